"""What goes over the wire and what it means: frames, and methods with their contents."""

import struct
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from amqplite.protocol.codec import Method
from amqplite.protocol.fields import Table, encode_table, from_python
from amqplite.protocol.methods import BasicAck, BasicDeliver, BasicGetOk, BasicNack, BasicReturn
from amqplite.protocol.properties import Properties, decode_properties

METHOD_FRAME, HEADER_FRAME, BODY_FRAME, HEARTBEAT_FRAME = 1, 2, 3, 8
HEARTBEAT = b"\x08\x00\x00\x00\x00\x00\x00\xce"

TRANSIENT, PERSISTENT = Properties(delivery_mode=1), Properties(delivery_mode=2)

WITH_CONTENT = (BasicDeliver, BasicGetOk, BasicReturn)


class Frame(NamedTuple):
    """A frame as it came."""

    kind: int
    channel: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Event:
    """A method that came, with its content if it has one.

    Attributes:
        header: the content header's payload.
        parts: the sizes of the body frames, in octets.
    """

    channel: int
    method: Any
    header: bytes = b""
    body: bytes = b""
    parts: tuple[int, ...] = ()

    @property
    def tag(self) -> int:
        """The delivery tag."""
        return cast(int, self.method.delivery_tag)

    @property
    def redelivered(self) -> bool:
        """Whether it says that it may have been delivered before."""
        return cast(bool, self.method.redelivered)

    @property
    def properties(self) -> Properties:
        """The message's properties."""
        return decode_properties(self.header)

    @property
    def headers(self) -> Table:
        """The message's headers; empty if it has none."""
        return self.properties.headers or {}

    @property
    def seen(self) -> tuple[bytes, bool]:
        """The body, and whether it is a redelivery: what most tests ask for."""
        return self.body, self.redelivered


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    """Return the octets of a frame, right or wrong."""
    return struct.pack(">BHL", kind, channel, len(payload)) + payload + b"\xce"


def arguments(**named: object) -> bytes:
    """Return a table's octets: `x_max_length=5` for `x-max-length`; the usual tags."""
    return encode_table(from_python({name.replace("_", "-"): v for name, v in named.items()}))


class Content:
    """A content that is being received, behind its method."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._header: bytes | None = None
        self._body: list[bytes] = []
        self._missing = 0

    def add(self, kind: int, payload: bytes) -> bool:
        """Take a frame; return whether that was the last."""
        if self._header is None:
            assert kind == HEADER_FRAME, f"expected a content header, not a frame of type {kind}"
            self._header = payload
            self._missing = int.from_bytes(payload[4:12], "big")
        else:
            assert kind == BODY_FRAME, f"expected a content body, not a frame of type {kind}"
            assert payload, "an empty body frame"
            self._body.append(payload)
            self._missing -= len(payload)
        assert self._missing >= 0
        return not self._missing

    def event(self, channel: int) -> Event:
        """Return it, whole."""
        parts = tuple(map(len, self._body))
        return Event(channel, self._method, self._header or b"", b"".join(self._body), parts)


@dataclass(slots=True)
class Ledger:
    """Which publishes are settled, and how.

    Attributes:
        outcomes: whether a publish was acked, by its number.
    """

    last: int
    outcomes: dict[int, bool] = field(default_factory=dict)
    open: dict[int, None] = field(init=False)

    def __post_init__(self) -> None:
        self.open = dict.fromkeys(range(1, self.last + 1))

    def extend(self, count: int) -> None:
        """So many more have been published."""
        self.open.update(dict.fromkeys(range(self.last + 1, self.last + 1 + count)))
        self.last += count

    def settle(self, confirm: object) -> None:
        """Take a confirm into account."""
        assert isinstance(confirm, BasicAck | BasicNack), f"expected a confirm, not {confirm}"
        tag = confirm.delivery_tag
        assert tag in self.open, f"{confirm} settles nothing that is open"
        tags = [tag]
        if confirm.multiple:
            tags = []
            for number in self.open:  # ascending
                if number > tag:
                    break
                tags.append(number)
        for number in tags:
            del self.open[number]
            self.outcomes[number] = isinstance(confirm, BasicAck)
