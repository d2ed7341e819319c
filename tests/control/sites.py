"""A site with a broker in memory, and calls to its handlers without HTTP."""

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from amqplite.broker.broker import Broker
from amqplite.broker.journal import Journal
from amqplite.broker.queue import Queue
from amqplite.broker.users import User, Users
from amqplite.broker.vhost import Vhost
from amqplite.control.call import Call
from amqplite.control.response import Response
from amqplite.control.router import Handler
from amqplite.control.site import Endpoint, Site

ENDPOINTS = (Endpoint("amqp", "127.0.0.1", 5672), Endpoint("http", "127.0.0.1", 15672))

VHOSTS = ("/", "/log", "log", "a b")

PASSWORDS = {"admin": "a", "watcher": "w", "owner": "o", "client": "c"}
"""An administrator, a monitoring and a management user, and one without a tag."""


def make_site(vhosts: tuple[str, ...] = VHOSTS) -> Site:
    """Return a site whose `owner` and `client` may enter the vhost `log` alone."""
    journal = Journal()
    users = Users(journal.define, bytes, loopback_users=("admin",))
    broker = Broker(0, users, journal, lambda prefix: f"{prefix}1")
    for vhost in vhosts:
        broker.add_vhost(vhost)
    tags = {"admin": "administrator", "watcher": "monitoring", "owner": "management"}
    for name, password in PASSWORDS.items():
        users.put_user(name, users.hash_password(password), [tags[name]] if name in tags else [])
    for name in ("owner", "client"):
        if "log" in vhosts:
            users.set_permissions(name, "log", configure="", write="", read="")
    return Site(broker, ENDPOINTS)


@dataclass(eq=False)
class FakeConnection:
    """As much of a connection as can be seen."""

    user: User
    vhost: Vhost
    name: str = "127.0.0.1:40000 -> 127.0.0.1:5672"
    client_properties: dict[str, Any] = field(default_factory=dict)
    channels: tuple[int, ...] = ()
    frame_max: int = 131_072
    channel_max: int = 2047
    heartbeat_s: int = 60

    @property
    def peer(self) -> SimpleNamespace:
        return SimpleNamespace(name=self.name)


def connect(site: Site, user: str, vhost: str, **facts: Any) -> FakeConnection:
    """Open a connection."""
    broker = site.broker
    held = broker.users.get(user)
    assert held is not None
    connection = FakeConnection(held, broker.vhosts[vhost], **facts)
    broker.connections[connection] = None
    return connection


def ask(handler: Handler, site: Site, user: str = "admin", /, **parameters: str) -> tuple[int, Any]:
    """Call a handler as `user`; return the status and the decoded JSON."""
    held = site.broker.users.get(user)
    assert held is not None
    response = handler(Call(site, held, parameters, {}))
    assert isinstance(response, Response)
    return response.status, decoded(response)


def listed(handler: Handler, site: Site, user: str = "admin", /, **parameters: str) -> Any:
    """Call a handler that has to succeed; return the decoded JSON."""
    status, said = ask(handler, site, user, **parameters)
    assert status == 200
    return said


def declare(site: Site, vhost: str, name: str, *, owner: object = None, **facts: Any) -> Queue:
    """Declare a queue."""
    return site.broker.vhosts[vhost].declare_queue(None, name, owner, **facts)


def decoded(response: Response) -> Any:
    """Return what a JSON response says."""
    assert isinstance(response.body, bytes)
    assert response.content_type == "application/json"
    return json.loads(response.body)
