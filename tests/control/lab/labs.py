"""The lab of a broker in this process, over real sockets: HTTP for several users, and AMQP."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import h11
import httpx
import trio

from amqplite.control.listener import HttpListener
from amqplite.control.site import Site, endpoints
from tests.connection.client import Client, properties_of, publish
from tests.lab.listening import listening
from tests.rig import GUEST, Rig

TAGS = {
    "admin": ("administrator",),
    "watcher": ("monitoring",),
    "teacher": ("management",),
    "student": ("management",),
    "stranger": ("management",),
    "app": (),
}
"""Users; all have the password `guest`, and all but `stranger` may do anything in the vhost `/`."""


@dataclass
class Lab:
    """A broker with HTTP, and its users.

    Attributes:
        url: of HTTP.
    """

    rig: Rig
    site: Site
    url: str
    nursery: trio.Nursery
    _clients: dict[str, httpx.AsyncClient] = field(default_factory=dict)

    def as_(self, user: str) -> httpx.AsyncClient:
        """Return an HTTP client of a user's, below the lab's API; of nobody's for no name."""
        if user not in self._clients:
            self._clients[user] = httpx.AsyncClient(
                base_url=f"{self.url}/lab/api",
                auth=(user, "guest") if user else None,
                trust_env=False,
                timeout=20,
            )
        return self._clients[user]

    async def play(self, user: str = "teacher", scenario: str = "fig-11-2", **said: Any) -> Any:
        """Play a scenario; return the run's JSON."""
        answer = await self.as_(user).post("/runs", json={"scenario": scenario, **said})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def client(self) -> Client:
        """Return an AMQP client, without a socket."""
        return Client(self.rig).open()

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()


@asynccontextmanager
async def lab() -> AsyncIterator[Lab]:
    """Serve a broker on free ports of loopback."""
    rig = Rig()
    users = rig.broker.users
    for name, tags in TAGS.items():
        users.put_user(name, GUEST, tags)
        if name != "stranger":
            users.set_permissions(name, "/", configure=".*", write=".*", read=".*")
    rig.broker.add_vhost("log/a b")
    for name in ("teacher", "admin"):
        users.set_permissions(name, "log/a b", configure=".*", write=".*", read=".*")
    async with listening(rig) as broker:
        http = await trio.open_tcp_listeners(0, host="127.0.0.1")
        site = Site(rig.broker, endpoints({"amqp": broker.sockets, "http": http}))
        site.spawn = broker.nursery.start_soon
        listener = HttpListener(site)
        broker.nursery.start_soon(trio.serve_listeners, listener.serve, http)
        served = Lab(rig, site, f"http://{site.endpoints[1].address}", broker.nursery)
        try:
            yield served
            assert broker.faults == []
        finally:
            with trio.CancelScope(shield=True):
                await served.close()


def traced(vhost: str, queue: str, more: str = "") -> str:
    """Return the path of a traced queue, so that no client takes a name in it for `..`."""
    names = (quote(name, safe="").replace(".", "%2E") for name in (vhost, queue))
    return f"/trace/{'/'.join(names)}{more}"


def send(client: Client, *labels: str, queue: str = "q") -> None:
    """Publish messages with these message-ids."""
    client.do(*(publish(b"", queue, properties_of(message_id=label)) for label in labels))


class Stream:
    """Server-sent events, as they come: read with h11, since httpx can't leave a stream early."""

    def __init__(self, socket: trio.abc.Stream) -> None:
        self.socket = socket
        self._http = h11.Connection(h11.CLIENT)
        self._text = ""

    async def ask(self, path: str, user: str, **headers: str) -> h11.Response:
        """Ask for the stream; return the head of the answer."""
        credentials = b64encode(f"{user}:guest".encode()).decode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {"host": "x", "authorization": f"Basic {credentials}"}
        request = h11.Request(method="GET", target=f"/lab/api{path}", headers=[*named.items()])
        octets = self._http.send(request)
        await self.socket.send_all((octets or b"") + (self._http.send(h11.EndOfMessage()) or b""))
        head = await self._event()
        assert isinstance(head, h11.Response)
        return head

    async def _event(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(bytes(await self.socket.receive_some()))
        return event

    async def next(self) -> tuple[str, int, Any]:
        """Return name, id and data of the next event.

        Raises:
            EOFError: the stream has ended.
        """
        while True:
            while "\n\n" not in self._text:
                event = await self._event()
                if not isinstance(event, h11.Data):
                    raise EOFError
                self._text += event.data.decode()
            told, _, self._text = self._text.partition("\n\n")
            fields = dict(line.split(": ", 1) for line in told.split("\n") if line[0] != ":")
            if "event" in fields:
                id_ = int(fields.get("id", 0))
                return fields["event"], id_, json.loads(fields["data"])

    async def until(self, name: str) -> tuple[list[tuple[str, int, Any]], Any]:
        """Return the events before the next one of a name, and that one's data."""
        before = []
        while (event := await self.next())[0] != name:
            before.append(event)
        return before, event[2]

    async def rest(self) -> list[tuple[str, int, Any]]:
        """Return the events to the end."""
        events = []
        with suppress(EOFError):
            while True:
                events.append(await self.next())
        return events


@asynccontextmanager
async def stream(served: Lab, user: str, path: str, **headers: str) -> AsyncIterator[Stream]:
    """Listen to a stream as a user."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    with trio.fail_after(20):
        async with await trio.open_tcp_stream(host, int(port)) as socket:
            events = Stream(socket)
            head = await events.ask(path, user, **headers)
            assert head.status_code == 200
            assert (b"content-type", b"text/event-stream") in head.headers
            yield events
