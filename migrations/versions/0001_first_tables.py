"""Users, topology, queues and messages.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import UserDefinedType

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


class Any(UserDefinedType[str | bytes]):
    """STRICT's ANY."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Return the type's name in SQL."""
        return "ANY"


def upgrade() -> None:
    op.create_table("vhosts", sa.Column("name", sa.Text, primary_key=True, nullable=False))
    op.create_table(
        "users",
        sa.Column("name", sa.Text, primary_key=True, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
    )
    op.create_table(
        "permissions",
        sa.Column("user", sa.Text, primary_key=True, nullable=False),
        sa.Column("vhost", sa.Text, primary_key=True, nullable=False),
        sa.Column("configure", sa.Text, nullable=False),
        sa.Column("write", sa.Text, nullable=False),
        sa.Column("read", sa.Text, nullable=False),
    )
    op.create_table(
        "exchanges",
        sa.Column("vhost", sa.Text, primary_key=True, nullable=False),
        sa.Column("name", sa.Text, primary_key=True, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("auto_delete", sa.Boolean, nullable=False),
        sa.Column("internal", sa.Boolean, nullable=False),
        sa.Column("arguments", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "bindings",
        sa.Column("vhost", sa.Text, primary_key=True, nullable=False),
        sa.Column("source", sa.Text, primary_key=True, nullable=False),
        sa.Column("destination", sa.Text, primary_key=True, nullable=False),
        sa.Column("to_exchange", sa.Boolean, primary_key=True, nullable=False),
        sa.Column("routing_key", sa.Text, primary_key=True, nullable=False),
        sa.Column("arguments", sa.LargeBinary, primary_key=True, nullable=False),
    )
    op.create_table(
        "queues",
        sa.Column("queue_id", sa.Integer, primary_key=True),
        sa.Column("vhost", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("auto_delete", sa.Boolean, nullable=False),
        sa.Column("arguments", sa.LargeBinary, nullable=False),
        sa.Column("messages", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("last_seq", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("sent_up_to", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.UniqueConstraint("vhost", "name"),
    )
    op.create_table(
        "messages",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("deliveries", sa.Integer, nullable=False),
        sa.Column("content_id", sa.Integer),
        sa.Column("exchange", Any, nullable=False),
        sa.Column("routing_key", Any, nullable=False),
        sa.Column("properties", sa.LargeBinary),
        sa.Column("body", sa.LargeBinary),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_messages_content_id",
        "messages",
        ["content_id"],
        sqlite_where=sa.text("content_id IS NOT NULL"),
    )
    op.create_table(
        "contents",
        sa.Column("content_id", sa.Integer, primary_key=True),
        sa.Column("properties", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "purges",
        sa.Column("first", sa.Integer, primary_key=True),
        sa.Column("last", sa.Integer, nullable=False),
        sqlite_strict=True,
    )
    op.execute(
        """\
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
    )


def downgrade() -> None:
    op.execute("DROP VIEW message_list")
    op.drop_table("purges")
    op.drop_table("contents")
    op.drop_table("messages")
    op.drop_table("queues")
    op.drop_table("bindings")
    op.drop_table("exchanges")
    op.drop_table("permissions")
    op.drop_table("users")
    op.drop_table("vhosts")
