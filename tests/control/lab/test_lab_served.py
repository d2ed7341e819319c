"""The lab of a broker as its users run it: real clients, and a stop in the midst of it all."""

import json
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import httpx
import pika
import pytest

from tests.broker_process import BrokerProcess


@pytest.fixture
def broker() -> Iterator[BrokerProcess]:
    with BrokerProcess(":memory:", shutdown_timeout_s=5) as process:
        yield process


def client_of(broker: BrokerProcess) -> httpx.Client:
    url = f"http://127.0.0.1:{broker.http_port}/lab/api"
    return httpx.Client(base_url=url, auth=("guest", "guest"), trust_env=False, timeout=20)


class Following(Thread):
    """Follows a stream to its end.

    Attributes:
        events: `(name, data)` of each so far.
        error: what broke it off.
    """

    def __init__(self, broker: BrokerProcess, path: str) -> None:
        super().__init__()
        self.events: list[tuple[str, Any]] = []
        self.error: Exception | None = None
        self._broker, self._path = broker, path

    def run(self) -> None:
        name = ""
        try:
            with client_of(self._broker) as client, client.stream("GET", self._path) as answer:
                for line in answer.iter_lines():
                    field, _, value = line.partition(": ")
                    if field == "event":
                        name = value
                    elif field == "data":
                        self.events.append((name, json.loads(value)))
        except Exception as error:
            self.error = error

    def types(self) -> list[str]:
        """Return the types of the trace's events so far."""
        return [data["type"] for name, data in self.events if name == "trace"]

    def await_begin(self) -> None:
        """Return once it has heard something."""
        self._wait(lambda: bool(self.events))

    def await_type(self, wanted: str) -> None:
        """Return once it has heard of an event of a type."""
        self._wait(lambda: wanted in self.types())

    def _wait(self, until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not until():
            assert time.monotonic() < deadline, (self.types(), self.error)
            self.join(0.01)


def test_real_clients_are_followed_from_hand_out_to_redelivery(broker: BrokerProcess) -> None:
    parameters = pika.URLParameters(broker.url)
    with client_of(broker) as client:
        assert client.put("/trace/%2F/q").status_code == 200
        following = Following(broker, "/trace/%2F/q/stream")
        following.start()
        first = pika.BlockingConnection(parameters)
        channel = first.channel()
        channel.queue_declare("q", arguments={"x-lab-faults": True})
        channel.basic_qos(prefetch_count=1)
        channel.basic_consume("q", lambda *_: None, consumer_tag="c1")
        for n in (1, 2):
            properties = pika.BasicProperties(message_id=f"m{n}")
            channel.basic_publish("", "q", b"", properties)
        first.process_data_events(0)
        following.await_type("delivered")
        said = {"q": "q", "do": "crash", "target": "c1", "confirm": True}
        assert client.post("/faults", json=said).status_code == 200
        following.await_type("requeued")
        with pytest.raises(pika.exceptions.AMQPError):
            first.process_data_events(5)
        with pika.BlockingConnection(parameters) as second:
            other = second.channel()
            for _ in range(2):
                method, properties, _ = other.basic_get("q")
                other.basic_ack(method.delivery_tag)
        following.await_type("acked")
        (queue,) = client.get("/queues").json()
        assert (queue["order"]["redelivered"], queue["order"]["requeued"]) == (
            1,
            {"connection_lost": 1},
        )
        assert client.delete("/trace/%2F/q").status_code == 204
    following.join(10)
    lost = next(data for _, data in following.events if data.get("type") == "connection_lost")
    assert lost["sub"] == "lab_fault"
    assert following.events[-1][1]["on"] is False
    assert broker.stop() == 0, broker.output


def test_a_broker_that_stops_ends_streams_and_runs_at_once(broker: BrokerProcess) -> None:
    with client_of(broker) as client:
        client.put("/trace/%2F/q")
        run = client.post("/runs", json={"scenario": "your-own", "mode": "real"}).json()
        paths = ("/trace/%2F/q/stream", f"/runs/{run['id']}/stream")
        following = [Following(broker, path) for path in paths]
        for one in following:
            one.start()
        following[0].await_begin()
        following[1].await_type("published")
        started = time.monotonic()
        assert broker.stop() == 0, broker.output
        assert time.monotonic() - started < 4
    for one in following:
        one.join(5)
        assert one.error is None
    assert '"level": "error"' not in broker.output


def test_a_run_outlives_no_restart_and_says_so(broker: BrokerProcess) -> None:
    with client_of(broker) as client:
        run = client.post("/runs", json={"scenario": "no-fault"}).json()
        again = client.get(f"/runs/{run['id']}").json()
        assert again["metrics"] == run["metrics"]
        assert broker.stop() == 0
        broker.start()
        assert client.get(f"/runs/{run['id']}").status_code == 404
        assert client.get("/runs").json() == []
    assert broker.stop() == 0
