"""The schema: what is durable, as SQLAlchemy Core tables.

`migrations/` builds the same; a test holds that the two agree.
"""

from sqlalchemy import (
    DDL,
    Boolean,
    Column,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)
from sqlalchemy.types import TypeDecorator, UserDefinedType

from amqplite.store.names import read_name, stored_name

metadata = MetaData()


class Name(TypeDecorator[str]):
    """A name in a column of affinity TEXT, which leaves a BLOB alone."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return what goes to SQLite."""
        return None if value is None else stored_name(value)  # type: ignore[return-value]

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Return what came from SQLite."""
        return None if value is None else read_name(value)


class Any(UserDefinedType[str | bytes]):
    """STRICT's ANY: TEXT or BLOB, as it was given."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Return the type's name in SQL."""
        return "ANY"


vhosts = Table("vhosts", metadata, Column("name", Name, primary_key=True, nullable=False))

users = Table(
    "users",
    metadata,
    Column("name", Name, primary_key=True, nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("tags", Name, nullable=False),
)

permissions = Table(
    "permissions",
    metadata,
    Column("user", Name, primary_key=True, nullable=False),
    Column("vhost", Name, primary_key=True, nullable=False),
    Column("configure", Name, nullable=False),
    Column("write", Name, nullable=False),
    Column("read", Name, nullable=False),
)

exchanges = Table(
    "exchanges",
    metadata,
    Column("vhost", Name, primary_key=True, nullable=False),
    Column("name", Name, primary_key=True, nullable=False),
    Column("type", Name, nullable=False),
    Column("auto_delete", Boolean, nullable=False),
    Column("internal", Boolean, nullable=False),
    Column("arguments", LargeBinary, nullable=False),
)

bindings = Table(
    "bindings",
    metadata,
    Column("vhost", Name, primary_key=True, nullable=False),
    Column("source", Name, primary_key=True, nullable=False),
    Column("destination", Name, primary_key=True, nullable=False),
    Column("to_exchange", Boolean, primary_key=True, nullable=False),
    Column("routing_key", Name, primary_key=True, nullable=False),
    Column("arguments", LargeBinary, primary_key=True, nullable=False),
)

queues = Table(
    "queues",
    metadata,
    Column("queue_id", Integer, primary_key=True),
    Column("vhost", Name, nullable=False),
    Column("name", Name, nullable=False),
    Column("auto_delete", Boolean, nullable=False),
    Column("arguments", LargeBinary, nullable=False),
    Column("messages", Integer, nullable=False, server_default=text("0")),
    Column("last_seq", Integer, nullable=False, server_default=text("0")),
    Column("sent_up_to", Integer, nullable=False, server_default=text("0")),
    UniqueConstraint("vhost", "name"),
)
"""Queues, and what a start must know of their messages without reading any: how many there are, and
the highest place ever used. Each commit keeps them exact."""

messages = Table(
    "messages",
    metadata,
    Column("key", Integer, primary_key=True),  # the queue's id, and 40 bits of place within it
    Column("deliveries", Integer, nullable=False),
    Column("content_id", Integer),
    Column("exchange", Any, nullable=False),
    Column("routing_key", Any, nullable=False),
    Column("properties", LargeBinary),
    Column("body", LargeBinary),
    sqlite_strict=True,
)
"""A message in a queue, gone once it is settled. Its rows lie in the order of the keys."""

Index(
    "ix_messages_content_id",
    messages.c.content_id,
    sqlite_where=messages.c.content_id.is_not(None),
)

contents = Table(
    "contents",
    metadata,
    Column("content_id", Integer, primary_key=True),
    Column("properties", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_strict=True,
)
"""What messages in several queues have in common; gone with the last of them."""

purges = Table(
    "purges",
    metadata,
    Column("first", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
    sqlite_strict=True,
)
"""Ranges of keys, ends included, whose messages are gone, though their rows may still be there."""

MESSAGE_LIST = """\
CREATE VIEW message_list AS
SELECT
    queues.vhost,
    queues.name AS queue,
    messages.key & 0xFFFFFFFFFF AS place,
    messages.exchange,
    messages.routing_key,
    length(coalesce(messages.body, contents.body)) AS size,
    messages.deliveries
FROM messages
LEFT JOIN queues ON queues.queue_id = messages.key >> 40
LEFT JOIN contents ON contents.content_id = messages.content_id
WHERE NOT EXISTS (SELECT * FROM purges WHERE messages.key BETWEEN first AND last)"""
"""For people with `sqlite3`: the messages, readably; sizes in octets."""

event.listen(metadata, "after_create", DDL(MESSAGE_LIST))  # type: ignore[no-untyped-call]
