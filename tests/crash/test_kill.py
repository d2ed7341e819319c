"""SIGKILL under load, at random moments: what was confirmed is there, as it was, once, in order."""

from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest

from tests.broker_process import BrokerProcess
from tests.crash.inspection import check_file, check_topology, drain, visit
from tests.crash.ledger import Fuse, Ledger
from tests.crash.load import NO_CONSUMER, QUEUES, Load, declare
from tests.seeds import seeded

ROUNDS = 10
"""In each course, of which there are three."""

START_WITHIN_S = 10.0


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="default"),
        pytest.param({"window_messages": 30}, id="small-window"),
        pytest.param({"window_bytes": 4096, "outbox_high_bytes": 4096}, id="few-octets"),
    ],
)
def test_a_killed_broker_comes_back_with_all_that_was_confirmed(
    tmp_path: Path, settings: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    broker = BrokerProcess(tmp_path, **settings)
    with seeded(request.node.name) as random, broker:
        ledger = Ledger()
        for life in range(ROUNDS):
            kill_under_load(broker, ledger, random, life)
            started = monotonic()
            broker.start()
            assert monotonic() - started < START_WITHIN_S
            check_file(tmp_path)
            if life == ROUNDS - 1 or random.random() < 0.7:
                ledger = take_stock(broker, ledger)


def kill_under_load(broker: BrokerProcess, ledger: Ledger, random: Random, life: int) -> None:
    """Let clients of all kinds loose on the broker, and kill it at a random moment."""
    with visit(broker) as peer:
        declare(peer)
    fuse = Fuse(int(2 ** random.uniform(0, 11)))
    load = Load(broker.amqp_port, ledger, fuse, random, life)
    load.start()
    assert fuse.blown.wait(30), "the load came to a halt"
    broker.kill()
    load.join()


def take_stock(broker: BrokerProcess, ledger: Ledger) -> Ledger:
    """Empty the queues and check what was in them; return a ledger for what comes next."""
    with visit(broker) as peer:
        found = {queue: drain(peer, queue) for queue in QUEUES}
        ledger.check(found)
        made_up = [d for queue in NO_CONSUMER for d in found[queue] if d.redelivered]
        assert not made_up, "redelivered, though never handed out"
        check_topology(peer, ledger)
    return Ledger(present=ledger.present)
