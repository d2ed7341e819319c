"""What was found, in sentences of both languages."""
