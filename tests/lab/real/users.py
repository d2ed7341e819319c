"""Users that a broker finds in its database when it starts for the first time."""

import os
from pathlib import Path

from amqplite.app import DATABASE
from amqplite.broker.journal import Journal
from amqplite.broker.records import Put, VhostRow
from amqplite.broker.users import Users
from amqplite.store.database import Database

TAGS = {
    "guest": ("administrator",),
    "teacher": ("management",),
    "worker": (),
}
"""Users by their tags; each has its name as its password, and may do anything in the vhost `/`."""


def put_users(folder: Path) -> None:
    """Make a database with these users."""
    database, journal = Database(folder / DATABASE), Journal()
    database.load()
    journal.define(Put(VhostRow("/")))
    users = Users(journal.define, os.urandom)
    for name, tags in TAGS.items():
        users.put_user(name, users.hash_password(name), tags)
        users.set_permissions(name, "/", configure=".*", write=".*", read=".*")
    batch, _ = journal.take()
    assert batch is not None
    database.commit(batch)
    database.close()
