"""Where a client connects, as whom, and with what limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

PORT = 5672


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A broker, and how to be its client.

    Attributes:
        name: the connection's, told as the client property `connection_name`; empty is none.
        heartbeat_s: in seconds, 0 for none; `None` takes what the broker proposes.
        channel_max: highest channel number, at most what the broker allows.
        frame_max: largest frame in octets with its overhead, at most what the broker allows.
        timeout_s: how long connecting may take, up to connection.open-ok; and a goodbye.
        properties: more client properties.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    user: str = "guest"
    password: str = "guest"
    vhost: str = "/"
    name: str = ""
    heartbeat_s: int | None = None
    channel_max: int = 2047
    frame_max: int = 131_072
    timeout_s: float = 10.0
    properties: Mapping[str, Any] = field(default_factory=dict)


_PARAMETERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "name": ("name", str),
    "connection_name": ("name", str),
    "heartbeat": ("heartbeat_s", int),
    "channel_max": ("channel_max", int),
    "frame_max": ("frame_max", int),
    "connection_timeout": ("timeout_s", lambda milliseconds: int(milliseconds) / 1000),
}
"""A URL's query, as RabbitMQ's clients write it."""


def parse_url(url: str) -> Target:
    """Read `amqp://user:password@host:port/vhost?heartbeat=10`; each part may be missing.

    The vhost is one segment, percent-encoded: `%2F` for the default one, which is also meant if
    nothing is there.

    Raises:
        ValueError: it is no such URL, or has a parameter we don't know.
    """
    parts = urlsplit(url)
    if parts.scheme != "amqp":
        raise ValueError(f"a broker's URL begins with amqp://, unlike {url!r}")
    vhost = parts.path.removeprefix("/")
    if "/" in vhost:
        raise ValueError(f"a vhost is one segment of a URL, with %2F for a slash, unlike {url!r}")
    values: dict[str, Any] = {
        "host": parts.hostname,
        "port": parts.port,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "vhost": unquote(vhost),
    }
    given = {name: value for name, value in values.items() if value}
    for parameter, value in parse_qsl(parts.query, keep_blank_values=True):
        if parameter not in _PARAMETERS:
            raise ValueError(f"a broker's URL has no parameter {parameter!r}")
        name, read = _PARAMETERS[parameter]
        given[name] = read(value)
    return Target(**given)
