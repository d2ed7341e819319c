"""HTTP of a broker as its users run it: what AMQP declares is found, whatever it is called."""

import os
import signal
import time
from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from tests.broker_process import BrokerProcess

VHOSTS = ("/", "/log", "a b")

QUEUES = (
    "orders/../../api/overview",
    "q?x=1",
    "q#1",
    "100%",
    "%2F",
    "été ☂",
    "q" * 255,
)


@pytest.fixture(scope="module", params=VHOSTS)
def vhost(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def broker(vhost: str) -> Iterator[BrokerProcess]:
    with BrokerProcess(":memory:", default_vhost=vhost) as process:
        yield process
        assert process.stop() == 0, process.output


@pytest.fixture
def channel(broker: BrokerProcess, vhost: str) -> Iterator[BlockingChannel]:
    parameters = pika.ConnectionParameters("127.0.0.1", broker.amqp_port, vhost)
    with pika.BlockingConnection(parameters) as connection:
        yield connection.channel()


@pytest.fixture
def client(broker: BrokerProcess) -> Iterator[httpx.Client]:
    url = f"http://127.0.0.1:{broker.http_port}"
    with httpx.Client(base_url=url, auth=("guest", "guest"), trust_env=False) as client:
        yield client


def test_what_is_declared_is_found_whatever_it_is_called(
    channel: BlockingChannel, client: httpx.Client, vhost: str
) -> None:
    for length, name in enumerate(QUEUES):
        channel.queue_declare(name, exclusive=True)
        for _ in range(length):
            channel.basic_publish("", name, b"m")
        channel.queue_declare(name, passive=True)
    for length, name in enumerate(QUEUES):
        answer = client.get(f"/api/queues/{quote(vhost, safe='')}/{quote(name, safe='')}")
        found = answer.json()
        assert (found["vhost"], found["name"], found["messages"]) == (vhost, name, length)
        assert found["exclusive"]
    listed = client.get(f"/api/queues/{quote(vhost, safe='')}").json()
    assert [queue["name"] for queue in listed] == list(QUEUES)
    assert len(client.get("/api/bindings").json()) == len(QUEUES)
    (connection,) = client.get("/api/connections").json()
    assert (connection["vhost"], connection["channels"]) == (vhost, 1)
    assert connection["client_properties"]["product"].startswith("Pika")
    assert {queue["owner_pid_details"]["name"] for queue in listed} == {connection["name"]}


def test_what_is_listed_says_where_the_broker_listens(
    broker: BrokerProcess, client: httpx.Client
) -> None:
    listeners = client.get("/api/overview").json()["listeners"]
    ports = {one["protocol"]: one["port"] for one in listeners}
    assert ports == {"amqp": broker.amqp_port, "http": broker.http_port}
    for port in ports.values():
        assert client.get(f"/api/health/checks/port-listener/{port}").status_code == 200


def test_a_broker_that_waits_for_its_clients_says_it_is_no_longer_healthy() -> None:
    with BrokerProcess(":memory:", shutdown_timeout_s=5) as broker:
        parameters = pika.ConnectionParameters("127.0.0.1", broker.amqp_port)
        connection = pika.BlockingConnection(parameters)  # which doesn't listen now
        health = f"http://127.0.0.1:{broker.http_port}/health"
        assert httpx.get(health, trust_env=False).json() == {"status": "ok"}
        os.kill(broker.pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        while httpx.get(health, trust_env=False).status_code == 200:
            assert time.monotonic() < deadline
        assert httpx.get(health, trust_env=False).json()["status"] == "failed"
        with pytest.raises(pika.exceptions.ConnectionClosedByBroker):
            connection.process_data_events(5)
        assert broker.wait() == 0
