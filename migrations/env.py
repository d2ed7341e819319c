"""Runs the revisions on the connection that `amqplite.store.migrate` passes in.

Without one (offline), they are written out as SQL: that is how `head.sql` is made.
"""

from alembic import context

from amqplite.store.tables import metadata

context.configure(
    connection=context.config.attributes.get("connection"),
    dialect_name="sqlite",
    target_metadata=metadata,
    render_as_batch=True,  # SQLite can't ALTER most things: copy and move instead
    transactional_ddl=True,  # SQLite can, though alembic doubts it: all revisions or none
)
with context.begin_transaction():
    context.run_migrations()
