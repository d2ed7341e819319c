"""Runs as they are recorded and kept, and what came of them."""
