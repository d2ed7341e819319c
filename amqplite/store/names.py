"""Names are octets that are mostly UTF-8: the broker's strings carry what isn't as lone surrogates.

They are stored as TEXT where they are UTF-8, so that people can read them, and as BLOB where they
are not.
"""


def stored_name(name: str) -> str | bytes:
    """Return `name` as SQLite can hold it."""
    return name if name.isascii() or _is_text(name) else name.encode(errors="surrogateescape")


def read_name(stored: str | bytes) -> str:
    """Return the name that `stored_name` made `stored` of."""
    return stored if isinstance(stored, str) else stored.decode(errors="surrogateescape")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
