"""A publisher and a consumer that take next to nothing themselves, each a process of its own.

    python -m tests.benchmarks.load publish --port 5672 --queue q --count 100000
    python -m tests.benchmarks.load consume --port 5672 --queue q --count 100000 --ack

All messages are alike, so publishes are octets that were made before, and deliveries are counted by
their octets. The consumer says with a line when it is there; both end with a line of JSON: how
many, and when it began and ended, in seconds of the machine's clock.
"""

import argparse
import json
import select
from struct import Struct
from time import monotonic

from amqplite.protocol.codec import method_frame
from amqplite.protocol.methods import BasicAck, BasicConsume, BasicDeliver
from amqplite.protocol.properties import Properties
from tests.wire.channel import Channel
from tests.wire.peer import Peer

TAG = "load"
CHUNK, CHUNK_OCTETS = 1000, 64 * 1024
"""Messages that are sent at a time, where no rate is asked for, unless they have more octets."""

PER_S = 100
"""How often some are sent, where one is."""

WITHIN_S = 60.0
"""How long nothing may come."""

_CONFIRM = Struct(">7x4xQBx")


def publish(channel: Channel, options: argparse.Namespace) -> None:
    """Publish so many messages, with so many unconfirmed at most, and so many a second."""
    peer, window = channel.peer, options.window
    if window:
        channel.confirm()
    properties = Properties(delivery_mode=2 if options.persistent else 1)
    one = channel.publication(bytes(options.size), options.queue, properties=properties)
    sent = confirmed = 0
    rest = b""
    began = monotonic()
    at_once = max(1, options.rate // PER_S or min(CHUNK, CHUNK_OCTETS // len(one)))
    while sent < options.count:
        chunk = min(at_once, options.count - sent)
        if options.rate:
            due = began + sent / options.rate
            while (left := due - monotonic()) > 0:
                select.select([], [], [], left)
        peer.send_octets(one * chunk)
        sent += chunk
        while window and sent - confirmed > window:
            confirmed, rest = _read_confirms(peer, confirmed, rest)
    while window and confirmed < sent:
        confirmed, rest = _read_confirms(peer, confirmed, rest)
    _report(sent, began)


def _read_confirms(peer: Peer, confirmed: int, rest: bytes) -> tuple[int, bytes]:
    octets = rest + _read(peer)
    whole = len(octets) // _CONFIRM.size * _CONFIRM.size
    for up_to, _multiple in _CONFIRM.iter_unpack(octets[:whole]):
        confirmed = max(confirmed, up_to)
    return confirmed, octets[whole:]


def consume(channel: Channel, options: argparse.Namespace) -> None:
    """Take so many messages, and ack each if wanted."""
    peer = channel.peer
    if options.ack:
        channel.qos(options.prefetch)
    # no answer to be read: deliveries might come with it
    channel.send(
        BasicConsume(queue=options.queue, consumer_tag=TAG, no_ack=not options.ack, no_wait=True)
    )
    print("{}", flush=True)
    size = _delivery_size(options)
    ack = Struct(">7s4sQBB")
    head = method_frame(channel.number, BasicAck(0))
    octets = acked = 0
    began = 0.0
    while octets < options.count * size:
        octets += len(_read(peer))
        began = began or monotonic()
        if options.ack and octets // size > acked:
            got = octets // size
            tags = range(acked + 1, got + 1)
            peer.send_octets(
                b"".join([ack.pack(head[:7], head[7:11], tag, 0, 0xCE) for tag in tags])
            )
            acked = got
    peer.sync()
    _report(octets // size, began)


def _delivery_size(options: argparse.Namespace) -> int:
    method = BasicDeliver(TAG, 1, False, "", options.queue)
    header, body = 7 + 12 + 2 + 1 + 1, 7 + options.size + 1  # with a delivery mode alone
    return len(method_frame(1, method)) + header + body


def _read(peer: Peer) -> bytes:
    octets = peer.read(WITHIN_S)
    assert octets, "the broker hung up"
    return octets


def _report(count: int, began: float) -> None:
    print(json.dumps({"count": count, "began": began, "ended": monotonic()}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["publish", "consume"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--queue", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--size", type=int, default=100, help="octets of a body")
    parser.add_argument("--persistent", action="store_true")
    parser.add_argument("--window", type=int, default=0, help="unconfirmed at most; 0: no confirms")
    parser.add_argument("--rate", type=int, default=0, help="messages a second; 0: all there is")
    parser.add_argument("--ack", action="store_true")
    parser.add_argument("--prefetch", type=int, default=500)
    options = parser.parse_args()
    channel = Peer.open(options.port).channel(1)
    (publish if options.what == "publish" else consume)(channel, options)


if __name__ == "__main__":
    main()
