"""Durable state, in SQLite through SQLAlchemy."""
