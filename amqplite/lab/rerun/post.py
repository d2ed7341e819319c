"""Publishes in a re-run what was published, when it was, to where the policy has it."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

from amqplite.client.content import content_frames
from amqplite.lab.rerun.bench import Bench, Client
from amqplite.lab.rerun.cast import FIRST, Action
from amqplite.lab.rerun.ground import NOWHERE, Ground
from amqplite.lab.rerun.inputs import Inputs, QueueName, Sender, Sent
from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicPublish, ConfirmSelect
from amqplite.protocol.properties import Properties, encode_properties

BODY_MAX = 4096
"""Octets of a body that are really published; nobody reads them."""

_CHANNEL = 1
_FRAME_MAX = 131_072

Route = Callable[[Sent], Sequence[QueueName]]
"""Returns where a message goes."""


class Post:
    """All who publish.

    Args:
        inputs: what was recorded.
        route: where messages go.
        ground: the queues.
        bench: the broker.

    Attributes:
        sent: what was published so far, in order: the broker numbers it from 1.
    """

    def __init__(self, inputs: Inputs, route: Route, ground: Ground, bench: Bench) -> None:
        self.sent: list[Sent] = []
        self._inputs = inputs
        self._route = route
        self._ground = ground
        self._bench = bench
        self._clients: dict[int, Client] = {}
        self._senders: dict[str, Sender] = {}
        self._refused: set[int] = set()

    def actions(self) -> Iterator[Action]:
        """Yield what is to be published, in order: what came in one piece in one piece."""
        for (at, _), pieces in groupby(self._inputs.sent, lambda sent: (sent.at, sent.sender)):
            together = list(pieces)
            yield Action(at, together[0].n, FIRST, partial(self._publish, together))

    def named(self, conn: str) -> Sender | None:
        """Return who publishes on a connection, by its name in this run."""
        return self._senders.get(conn)

    def refused(self, number: int) -> None:
        """A queue did not take a message, by its number in this run."""
        self._refused.add(self.sent[number - 1].id)

    def _publish(self, together: Sequence[Sent]) -> None:
        wanted = [sent for sent in together if not sent.again or sent.again in self._refused]
        if not wanted:
            return
        client = self._client(wanted[0].sender)
        self.sent += wanted
        client.send(b"".join(self._octets(sent) for sent in wanted))

    def _octets(self, sent: Sent) -> bytes:
        exchange, key = self._ground.route(self._route(sent)) if sent.queues else NOWHERE
        publish = method_frame(_CHANNEL, BasicPublish(0, exchange, key, sent.returned))
        properties = encode_properties(Properties(priority=max(0, min(sent.prio, 255)) or None))
        body = bytes(max(0, min(sent.size, BODY_MAX)))
        return publish + b"".join(content_frames(_CHANNEL, _FRAME_MAX, properties, body))

    def _client(self, number: int) -> Client:
        client = self._clients.get(number)
        if client is None:
            client = self._clients[number] = self._bench.connect(f"p{number}")
            self._senders[client.name] = sender = self._inputs.senders[number]
            client.open_channel(_CHANNEL)
            if sender.confirms:
                client.say(_CHANNEL, ConfirmSelect(True))
        return client
