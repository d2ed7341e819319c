"""A database after a power cut, damaged, or not to be written: said clearly, nothing deleted."""

import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from amqplite.protocol.methods import BasicAck
from tests.broker_process import BrokerProcess
from tests.wire.channel import Channel
from tests.wire.conftest import Connect, Start
from tests.wire.events import Ledger
from tests.wire.peer import HungUp, Peer

DATABASE, LOG, PAGE_SIZE = "amqplite.db", "amqplite.db-wal", 8192


def contents(folder: Path) -> dict[str, bytes]:
    """Return all there is to lose in a data folder: the file and its log, but for an empty one."""
    files = (folder / DATABASE, folder / LOG)
    return {file.name: file.read_bytes() for file in files if file.exists() and file.stat().st_size}


def refusal(start: Start, folder: Path) -> str:
    """Return the one line with which a broker refuses to start on `folder`."""
    with pytest.raises(RuntimeError, match="did not start") as caught:
        start(folder)
    output = str(caught.value).partition("\n")[2]
    assert "Traceback" not in output, output
    (line,) = [line for line in output.splitlines() if line.startswith("Error: ")]
    return line


COUNT = 20_000
"""Messages in the database that is to be damaged: enough for pages that hold nothing else."""

QUEUE = "q"


class Running:
    """A broker that is written to, and whose files are copied while it is.

    Attributes:
        confirmed: how many publishes are confirmed.
    """

    def __init__(self, broker: BrokerProcess) -> None:
        self.broker = broker
        declaring = Peer.open(broker.amqp_port)
        declaring.channel().declare(QUEUE)
        declaring.close()
        broker.restart()  # so that the queue is in the file, not in its log alone
        self._channel = Peer.open(broker.amqp_port).channel().confirm()
        self._ledger = Ledger(0)

    @property
    def confirmed(self) -> int:
        return len(self._ledger.outcomes)

    def publish(self, count: int, *, wait: bool = True) -> None:
        first = self._ledger.last
        self._ledger.extend(count)
        self._channel.peer.send_octets(
            b"".join(
                self._channel.publication(b"%d" % number, QUEUE)
                for number in range(first, first + count)
            )
        )
        if wait:
            self.settle(self._ledger.last)

    def settle(self, count: int) -> None:
        """Wait until so many of all publishes are confirmed."""
        while self.confirmed < count:
            self._ledger.settle(self._channel.expect(BasicAck))

    def copy(self, folder: Path) -> Path:
        """Copy its files as they are at one moment, as a power cut may leave them."""
        folder.mkdir()
        os.kill(self.broker.pid, signal.SIGSTOP)
        try:
            for name in (DATABASE, LOG):
                shutil.copyfile(Path(self.broker.data_dir) / name, folder / name)
        finally:
            os.kill(self.broker.pid, signal.SIGCONT)
        return folder

    def close(self) -> None:
        self._channel.peer.hang_up()


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A copy taken while a broker ran, with its log; and how many publishes were confirmed."""
    with BrokerProcess(tmp_path_factory.mktemp("crashed"), shutdown_timeout_s=0.1) as broker:
        running = Running(broker)
        for count in (1, 30, 2, 100, 7, 20, 3, 40):
            running.publish(count)
        copy = running.copy(tmp_path_factory.mktemp("copies") / "copy")
        running.close()
        return copy, running.confirmed


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a broker that stopped in good order, with `COUNT` messages."""
    folder = tmp_path_factory.mktemp("stopped")
    with BrokerProcess(folder, shutdown_timeout_s=0.1) as broker:
        running = Running(broker)
        running.publish(COUNT)
        running.close()
        broker.stop()
    assert not (folder / LOG).exists()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a test has its own copy of such a folder."""
    return tmp_path / "folder"


def drained(start: Start, connect: Connect, folder: Path) -> list[int]:
    """Start a broker on `folder` and return the numbers it has; its file must be sound."""
    broker = start(folder)
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    channel = connect(to=broker).channel()
    count = channel.depth(QUEUE)
    channel.consume(QUEUE, no_ack=True)
    numbers = [int(event.body) for event in channel.deliveries(count)]
    assert channel.received() == []
    broker.kill()
    return numbers


def test_a_copy_taken_while_it_writes_has_all_that_was_confirmed(
    start: Start, connect: Connect, tmp_path: Path
) -> None:
    running = Running(start())
    for round_ in range(3):
        running.publish(1500, wait=False)
        running.settle(running.confirmed + 500)
        confirmed = running.confirmed
        copy = running.copy(tmp_path / f"copy{round_}")
        numbers = drained(start, connect, copy)
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= confirmed
        running.settle(1500 * (round_ + 1))
    running.close()


@pytest.mark.parametrize("seed", range(4))
def test_a_log_cut_short_costs_the_latest_messages_and_no_order(
    start: Start, connect: Connect, crashed: tuple[Path, int], folder: Path, seed: int
) -> None:
    copy, confirmed = crashed
    shutil.copytree(copy, folder)
    size = (folder / LOG).stat().st_size
    os.truncate(folder / LOG, Random(seed).randrange(size))
    numbers = drained(start, connect, folder)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) < confirmed


def test_garbage_at_the_end_of_the_log_is_no_message(
    start: Start, connect: Connect, crashed: tuple[Path, int], folder: Path
) -> None:
    copy, confirmed = crashed
    shutil.copytree(copy, folder)
    with (folder / LOG).open("ab") as log:
        log.write(Random(0).randbytes(20_000))
    assert drained(start, connect, folder) == list(range(confirmed))


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def cut_to_the_header(file: Path) -> None:
    os.truncate(file, 100)


def overwrite_the_first_page(file: Path) -> None:
    with file.open("r+b") as database:
        database.write(b"\xff" * 4096)


def overwrite_the_schema(file: Path) -> None:
    with file.open("r+b") as database:
        database.seek(100)
        database.write(b"\xff" * 4000)


DAMAGES = [
    cut,
    cut_to_the_header,
    overwrite_the_first_page,
    overwrite_the_schema,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_refused_and_left_alone(
    start: Start, stopped: Path, folder: Path, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(stopped, folder)
    damage(folder / DATABASE)
    before = contents(folder)
    assert str(folder / DATABASE) in refusal(start, folder)
    assert contents(folder) == before


def take_in_order(channel: Channel, count: int) -> None:
    for number in range(count):
        assert int(channel.delivery().body) == number


@pytest.mark.parametrize("octet", [b"\x00", b"\xff"], ids=["zeroes", "ones"])
def test_damage_that_is_found_late_ends_the_broker_with_a_clear_line(
    start: Start, connect: Connect, stopped: Path, folder: Path, octet: bytes
) -> None:
    shutil.copytree(stopped, folder)
    file = folder / DATABASE
    with file.open("r+b") as database:
        database.seek(file.stat().st_size // 2 // PAGE_SIZE * PAGE_SIZE)
        database.write(octet * PAGE_SIZE)
    broker = start(folder)
    channel = connect(to=broker).channel()
    channel.consume(QUEUE, no_ack=True)
    with pytest.raises((HungUp, AssertionError)):
        take_in_order(channel, COUNT)
    assert broker.wait() == 1
    assert "Traceback" not in broker.output, broker.output
    assert f"{file} is damaged" in broker.output


def test_an_empty_file_beside_a_log_is_not_taken_for_a_new_database(
    start: Start, crashed: tuple[Path, int], folder: Path
) -> None:
    shutil.copytree(crashed[0], folder)
    os.truncate(folder / DATABASE, 0)
    before = contents(folder)
    assert str(folder / DATABASE) in refusal(start, folder)
    assert contents(folder) == before


@pytest.fixture
def unwritable() -> Iterator[Callable[[Path], None]]:
    """Make a file or folder such that nobody can write it, root included, or skip."""
    made: list[Path] = []

    def make(path: Path) -> None:
        if os.geteuid() == 0:
            flagged = subprocess.run(["chattr", "+i", str(path)], capture_output=True, check=False)
            if flagged.returncode:
                pytest.skip("root may write everything here")
            made.append(path)
        else:
            path.chmod(0o500 if path.is_dir() else 0o400)

    yield make
    for path in made:
        subprocess.run(["chattr", "-i", str(path)], check=True)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_cannot_be_written_is_refused_in_one_line(
    start: Start, stopped: Path, folder: Path, unwritable: Callable[[Path], None], what: str
) -> None:
    shutil.copytree(stopped, folder)
    before = contents(folder)
    unwritable(folder / DATABASE if what == "file" else folder)
    assert str(folder) in refusal(start, folder)
    assert contents(folder) == before
