"""Asking a broker's lab over HTTP: what is asked, and what goes wrong."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from amqplite.lab.playing.remote import RemoteError, RemoteLab
from amqplite.lab.trace import Header, Trace, write_jsonl
from tests.broker_process import free_port
from tests.lab.story import figure_11_2

TRACE = Trace(Header(mode="real"), figure_11_2().events)


class Broker(ThreadingHTTPServer):
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, Any]] = []
        self.headers: list[str | None] = []
        self.states = ["running", "done"]
        self.reason = ""
        self.refuses: tuple[int, bytes] | None = None
        self.file = write_jsonl(TRACE).encode()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Broker

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def answer(self) -> None:
        broker, length = self.server, int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        broker.asked.append((self.command, self.path, body))
        broker.headers.append(self.headers.get("authorization"))
        status, content = 200, b"event: trace\ndata: {}\n\n"
        if broker.refuses is not None:
            status, content = broker.refuses
        elif "export" in self.path:
            content = broker.file
        elif "stream" not in self.path:
            state = broker.states.pop(0) if len(broker.states) > 1 else broker.states[0]
            run = {"id": "a/b", "state": state, "reason": broker.reason}
            content = json.dumps(run).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def play(broker: Broker) -> Trace:
    return RemoteLab(broker.url, "lea", "pass:word").play("fig-11-2", {"prefetch": 2}, "v", 3)


def test_it_starts_a_run_waits_for_its_end_and_reads_it(broker: Broker) -> None:
    assert play(broker) == TRACE
    wanted = {"scenario": "fig-11-2", "params": {"prefetch": 2}, "seed": 3}
    assert broker.asked == [
        ("POST", "/lab/api/runs", wanted | {"variant": "v", "mode": "real"}),
        ("GET", "/lab/api/runs/a%2Fb/stream", None),
        ("GET", "/lab/api/runs/a%2Fb", None),
        ("GET", "/lab/api/runs/a%2Fb/export?format=jsonl", None),
    ]
    assert set(broker.headers) == {"Basic bGVhOnBhc3M6d29yZA=="}


def test_a_stream_that_breaks_off_is_read_again(broker: Broker) -> None:
    broker.states = ["running", "running", "done"]
    assert play(broker) == TRACE
    assert [path.rpartition("/")[2] for _, path, _ in broker.asked].count("stream") == 2


def test_a_run_that_failed_says_why(broker: Broker) -> None:
    broker.states, broker.reason = ["failed"], "the actors can't log in"
    with pytest.raises(RemoteError, match=r"^the actors can't log in$"):
        play(broker)


@pytest.mark.parametrize(
    ("status", "content", "expected"),
    [
        (401, b'{"error":"not_authorised","reason":"Login failed"}', "Login failed"),
        (400, b'{"error":"bad_request"}', "bad_request"),
        (500, b"<html>", "the broker answers 500 Internal Server Error"),
        (404, b"[]", "the broker answers 404 Not Found"),
        (200, b"<html>", "what answers at .* is no broker's lab"),
    ],
)
def test_a_refusal_is_told_in_the_brokers_words(
    broker: Broker, status: int, content: bytes, expected: str
) -> None:
    broker.refuses = status, content
    with pytest.raises(RemoteError, match=f"^{expected}$"):
        play(broker)


def test_what_is_no_trace_is_said_to_be_none(broker: Broker) -> None:
    broker.file = b"<html>"
    with pytest.raises(RemoteError, match=r"what the broker answers is no trace: line 1"):
        play(broker)


def test_nobody_answers() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(RemoteError, match=rf"no broker answers at {url}/lab/api: .*refused"):
        RemoteLab(url).play("fig-11-2", {}, "", 0)


@pytest.mark.parametrize("url", ["localhost:15672", "ftp://x", "http://", "file:///etc/passwd"])
def test_an_address_has_to_be_one(url: str) -> None:
    with pytest.raises(RemoteError, match="is no address of a broker"):
        RemoteLab(url)
