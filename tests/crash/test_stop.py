"""SIGTERM under load: all in good order, and nothing forgotten or made up."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from amqplite.protocol.methods import QueueDeclare, QueueDeclareOk
from tests.broker_process import BrokerProcess
from tests.crash.inspection import check_file, check_topology, drain, visit
from tests.crash.ledger import Fuse, Ledger, name_of
from tests.crash.load import QUEUES, Load, declare
from tests.seeds import seeded
from tests.wire.conftest import until
from tests.wire.peer import Peer


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="default"),
        pytest.param({"window_messages": 30}, id="small-window"),
        pytest.param({"window_bytes": 4096, "outbox_high_bytes": 4096}, id="few-octets"),
    ],
)
def test_a_broker_stopped_under_load_knows_exactly_what_it_had_handed_out(
    tmp_path: Path, settings: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    with seeded(request.node.name) as random, BrokerProcess(tmp_path, **settings) as broker:
        for life in range(3):
            ledger, fuse = Ledger(), Fuse(random.randint(200, 2000))
            with visit(broker) as peer:
                declare(peer)
            load = Load(broker.amqp_port, ledger, fuse, random, life)
            load.start()
            assert fuse.blown.wait(30), "the load came to a halt"
            assert broker.stop() == 0, broker.output
            load.join()
            broker.start()
            check_file(tmp_path)
            with visit(broker) as peer:
                found = {queue: drain(peer, queue) for queue in QUEUES}
                check_topology(peer, ledger)
            ledger.check(found)
            places = {(queue, name_of(d)): d for queue, ds in found.items() for d in ds}
            made_up = [p for p, d in places.items() if d.redelivered and p not in ledger.handed]
            assert not made_up, "redelivered, though never handed out"


def test_a_reply_that_waits_for_the_disk_comes_before_the_close(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path) as broker:
        peer = Peer.open(broker.amqp_port)
        channel = peer.channel()
        with closing(sqlite3.connect(tmp_path / "amqplite.db")) as database:
            database.execute("BEGIN IMMEDIATE")
            channel.send(QueueDeclare(queue="late", durable=True))
            os.kill(broker.pid, signal.SIGTERM)
            until(lambda: "stopping" in broker.output)
        event = channel.await_answer(QueueDeclareOk)
        assert event.method.queue == "late"
        peer.expect_close(320)
        peer.hang_up()
        assert broker.wait() == 0


def test_of_a_backlog_on_disk_only_what_was_handed_out_is_redelivered(tmp_path: Path) -> None:
    with BrokerProcess(tmp_path, window_messages=10) as broker:
        with visit(broker) as peer:
            channel = peer.channel().confirm()
            channel.declare("backlog")
            for number in range(200):
                channel.publish(b"%d" % number, "backlog")
            channel.await_confirms(200)
            channel.qos(5)
            channel.consume("backlog")
            channel.deliveries(5)
        assert broker.stop() == 0
        broker.start()
        with visit(broker) as peer:
            left = peer.channel().drain("backlog")
        assert left == [(b"%d" % number, number < 5) for number in range(200)]
