"""SIGKILL while a broker starts: the next start goes on from there."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic

from tests.broker_process import ROOT, BrokerProcess
from tests.crash.inspection import check_file, visit
from tests.seeds import seeded

KILLS = 12


def test_a_start_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    """The first ones in the middle of making the database, the others with messages in it."""
    with seeded("start") as random:
        began = monotonic()
        with BrokerProcess(tmp_path / "measured"):
            takes_s = monotonic() - began
        folder = tmp_path / "data"
        for _ in range(KILLS // 2):
            start_and_kill(folder, random.uniform(takes_s / 3, takes_s))
        with BrokerProcess(folder) as broker:
            check_file(folder)
            with visit(broker) as peer:
                channel = peer.channel().confirm()
                channel.declare("kept")
                for number in range(100):
                    channel.publish(b"%d" % number, "kept")
                channel.await_confirms(100)
            broker.kill()
            for _ in range(KILLS // 2):
                start_and_kill(folder, random.uniform(takes_s / 3, takes_s))
            broker.start()
            check_file(folder)
            with visit(broker) as peer:
                left = peer.channel().drain("kept")
            assert left == [(b"%d" % number, False) for number in range(100)]


def start_and_kill(folder: Path, after_s: float) -> None:
    """Start a broker, and kill it `after_s` later, whatever it does by then."""
    command = (sys.executable, "-m", "amqplite", "serve", "--data-dir", str(folder))
    with subprocess.Popen(
        [*command, "--amqp-port", "0", "--http-port", "0"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
        process.kill()
