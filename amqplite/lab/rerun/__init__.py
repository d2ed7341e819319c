"""Recorded traces that are run again, with the broker's own code, under another policy."""
