"""SIGTERM under load: all in good order, and nothing forgotten or made up."""

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from amqplite.protocol.methods import QueueDeclare, QueueDeclareOk
from tests.broker_process import BrokerProcess
from tests.wire.conftest import until
from tests.wire.peer import Peer


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
