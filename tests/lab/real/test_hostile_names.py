"""Names as clients may choose them, through the trace, into every form it is handed out in."""

import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from amqplite.control.lab.export import FORMATS
from amqplite.protocol.fields import encode_table, from_python
from amqplite.protocol.methods import (
    BasicConsume,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStart,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
)
from amqplite.protocol.properties import Properties
from tests.broker_process import BrokerProcess
from tests.hostile.test_names_and_tables import NAMES
from tests.lab.real.lab_http import Lab, measured
from tests.wire.channel import Channel
from tests.wire.peer import HEADER, Peer

CHOSEN = {
    **{name: NAMES[name] for name in ("long and beyond ASCII", "every octet", "no UTF-8", "NULs")},
    **{name: NAMES[name] for name in ("half a surrogate pair", "terminal", "a path")},
    "an image": b'<img src=x onerror="alert(1)">&amp;\'',
    "an end of a script": b"</script><script>alert(1)</script><!--",
    "a formula": b'=HYPERLINK("http://evil","x")',
    "lines": b"a\r\nb\tc\x0bd\x85e\xe2\x80\xa8f",
    "the other way round": "\u202egnp.exe\u2066".encode(),
    "markdown": b"`x` **y** | z [a](javascript:alert(1)) ```",
    "mermaid": b"end; note over p1: x %%{init: {}}%% -->>",
}


@pytest.fixture(params=CHOSEN)
def name(request: pytest.FixtureRequest) -> str:
    return CHOSEN[request.param].decode(errors="surrogateescape")


def named(port: int, name: str) -> Peer:
    """Return a peer whose connection has a name."""
    peer = Peer(port)
    peer.send_octets(HEADER)
    peer.zero.expect(ConnectionStart)
    properties = encode_table(from_python({"connection_name": name}))
    peer.send(0, ConnectionStartOk(properties, "PLAIN", b"\0guest\0guest"))
    tune = peer.zero.expect(ConnectionTune)
    peer.send(0, ConnectionTuneOk(tune.channel_max, tune.frame_max, 0), ConnectionOpen("/"))
    peer.zero.expect(ConnectionOpenOk)
    return peer


def cut(name: str) -> str:
    """Return what of a name goes into 255 octets, with a digit before it."""
    octets = name.encode(errors="surrogateescape")[:254]
    return octets.decode(errors="surrogateescape")


@pytest.fixture
def run(broker: BrokerProcess, lab: Lab, name: str) -> Iterator[Any]:
    """A run in which everything has that name, and the first message was overtaken."""
    holder, worker, shop = (named(broker.amqp_port, name) for _ in range(3))
    publisher = shop.channel().confirm()
    queue = publisher.declare(name)
    lab.trace(queue)
    first, second = (consume(peer, queue, name) for peer in (holder, worker))
    for digit in "12":
        properties = Properties(message_id=f"{digit}{cut(name)}", delivery_mode=1)
        publisher.publish(b"", queue, properties=properties)
    publisher.await_confirms(2)
    first.delivery()
    second.ack(second.delivery().tag)
    holder.reset()
    second.ack(second.delivery().tag)
    worker.sync()
    told = lab.told(queue)
    assert told["outcome"]["counts"]["unexplained"] == 0
    yield lab.freeze(queue)
    publisher.delete(queue)
    for peer in (worker, shop):
        peer.close()


def consume(peer: Peer, queue: str, tag: str) -> Channel:
    channel = peer.channel()
    channel.qos(1)
    channel.call(BasicConsume(queue=queue, consumer_tag=tag))
    return channel


@pytest.fixture(scope="module")
def ordinary(broker: BrokerProcess) -> str:
    """The page of a run in which all names are well-behaved."""
    lab = Lab(broker.http_port)
    run = lab.post("/runs", {"scenario": "fig-11-2"})
    page = lab.export(run["id"], "html").decode()
    lab.close()
    return page


def test_it_is_told_and_handed_out_harmlessly(lab: Lab, run: Any, name: str, ordinary: str) -> None:
    queue = run["header"]["queues"][0]["q"]
    kept = name.replace("\r", "").replace("\n", "")  # a queue's name has none of these
    assert queue == kept.encode(errors="surrogateescape").decode(errors="backslashreplace")
    done = measured(run, "queue", "completion", queue)
    assert (done["n"], done["inversions"]) == (2, 1)
    assert [label[0] for label in done["completion"]] == ["2", "1"]

    exports = {form: lab.export(run["id"], form) for form in FORMATS}
    imported = lab.import_(exports["jsonl"])
    assert lab.export(imported["id"]) == exports["jsonl"]
    for part in ("metrics", "counts", "whys", "verdict"):
        assert imported[part] == run[part], part

    lines = exports["jsonl"].decode().split("\n")
    assert {event["q"] for event in map(json.loads, lines[1:-1]) if "q" in event} == {queue}
    check_svg(exports["svg"].decode())
    check_html(exports["html"].decode(), ordinary)
    check_csv(exports["csv"].decode(), queue)
    json.loads(exports["perfetto"])
    for form in ("mermaid", "markdown", "text"):
        check_text(exports[form].decode())


def check_svg(svg: str) -> None:
    """It is XML, and does nothing."""
    for element in ElementTree.fromstring(svg).iter():
        tag = element.tag.rpartition("}")[2]
        assert tag not in ("script", "img", "image", "foreignObject", "a", "iframe"), tag
        assert not [one for one in element.attrib if one.lower().startswith("on")]


class Elements(HTMLParser):
    """The elements of a page, and the attributes that run something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def check_html(page: str, ordinary: str) -> None:
    """It has the scripts that any such page has, and no images."""
    found = Elements(page)
    assert "img" not in found.tags
    assert found.handlers == []
    assert found.tags["script"] == Elements(ordinary).tags["script"] > 0


def check_csv(table: str, queue: str) -> None:
    """A spreadsheet finds two messages, and no formula."""
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert len(rows) == 2
    for row in rows:
        assert row["queue"].removeprefix("'") == queue.replace("\0", "\ufffd")
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def check_text(text: str) -> None:
    """Nothing in it steers a terminal, or turns what follows around."""
    assert [char for char in text if not (char.isprintable() or char == "\n")] == []
