"""The space-time diagram: from events to bars, arrows and places; no drawing yet."""
