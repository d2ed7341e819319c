"""Durable state, in SQLite through SQLAlchemy.

`database.Database` is the store, `lock.DataDirLock` keeps its folder to one broker. What can keep
either from opening is defined here, apart from SQLAlchemy, which takes long to import.
"""


class StoreUnusable(Exception):
    """The store can't be opened; the text names the file, the reason and what to do."""


class DataDirInUse(StoreUnusable):
    """Another broker runs on this data folder."""


class DatabaseTooNew(StoreUnusable):
    """The database was written by a later version, which changed its tables."""


class DatabaseDamaged(StoreUnusable):
    """The file is no database, not one of ours, or broken. It is left as it was found."""
