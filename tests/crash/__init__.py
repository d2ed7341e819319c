"""Brokers that end badly, and what has to be left of their messages."""
