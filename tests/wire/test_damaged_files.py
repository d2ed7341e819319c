"""A database after a power cut, damaged, or not to be written: said clearly, nothing deleted."""

import os
import shutil
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
from tests.wire.peer import HungUp

DATABASE, PAGE_SIZE = "amqplite.db", 8192


def contents(folder: Path) -> dict[str, bytes]:
    """Return all there is to lose in a data folder: the file and its log, but for an empty one."""
    files = (folder / DATABASE, folder / f"{DATABASE}-wal")
    return {file.name: file.read_bytes() for file in files if file.exists() and file.stat().st_size}


def refusal(start: Start, folder: Path) -> str:
    """Return the one line with which a broker refuses to start on `folder`."""
    with pytest.raises(RuntimeError, match="did not start") as caught:
        start(folder)
    output = str(caught.value).partition("\n")[2]
    assert "Traceback" not in output, output
    (line,) = [line for line in output.splitlines() if line.startswith("Error: ")]
    return line


class Running:
    """A broker that is written to, and whose folder is copied while it is.

    Attributes:
        confirmed: how many publishes were confirmed before the last copy.
    """

    def __init__(self, start: Start, connect: Connect, queue: str) -> None:
        self.broker: BrokerProcess = start()
        self.queue = queue
        connect(to=self.broker).channel().declare(queue)
        self.broker.restart()  # so that the queue is in the file, not in its log alone
        self._channel = connect(to=self.broker).channel().confirm()
        self._ledger = Ledger(0)

    @property
    def confirmed(self) -> int:
        return len(self._ledger.outcomes)

    def publish(self, count: int, *, wait: bool = True) -> None:
        first = self._ledger.last
        self._ledger.extend(count)
        self._channel.peer.send_octets(
            b"".join(
                self._channel.publication(b"%d" % number, self.queue)
                for number in range(first, first + count)
            )
        )
        while wait and self._ledger.open:
            self._ledger.settle(self._channel.expect(BasicAck))

    def copy(self, folder: Path) -> Path:
        """Copy its files as they are, the log last: what a power cut may leave."""
        folder.mkdir()
        data = Path(self.broker.data_dir)
        for name in (DATABASE, f"{DATABASE}-wal"):
            if (data / name).exists():
                shutil.copyfile(data / name, folder / name)
        return folder


def drained(start: Start, connect: Connect, folder: Path, queue: str) -> list[int]:
    """Start a broker on `folder` and return the numbers it has; its file must be sound."""
    broker = start(folder)
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    channel = connect(to=broker).channel()
    count = channel.depth(queue)
    numbers = [int(body) for body, _ in channel.drain(queue)]
    assert len(numbers) == count
    broker.kill()
    return numbers


def test_a_copy_taken_while_it_runs_has_all_that_was_confirmed(
    start: Start, connect: Connect, tmp_path: Path, queue: str
) -> None:
    running = Running(start, connect, queue)
    for round_ in range(3):
        running.publish(300)
        confirmed = running.confirmed
        # Nothing is under way, as the tidying of an idle store has its own ways with the log.
        copy = running.copy(tmp_path / f"copy{round_}")
        running.publish(50, wait=False)
        assert drained(start, connect, copy, queue) == list(range(confirmed))
        running.publish(0)


@pytest.mark.parametrize("seed", range(4))
def test_a_log_cut_short_costs_the_latest_messages_and_no_order(
    start: Start, connect: Connect, tmp_path: Path, queue: str, seed: int
) -> None:
    running = Running(start, connect, queue)
    random = Random(seed)
    for _ in range(20):
        running.publish(random.randint(1, 30))
    confirmed = running.confirmed
    copy = running.copy(tmp_path / "copy")
    log = copy / f"{DATABASE}-wal"
    assert log.stat().st_size > 0
    os.truncate(log, random.randint(0, log.stat().st_size - 1))
    numbers = drained(start, connect, copy, queue)
    assert numbers == list(range(len(numbers)))
    assert len(numbers) <= confirmed


def test_garbage_at_the_end_of_the_log_is_no_message(
    start: Start, connect: Connect, tmp_path: Path, queue: str
) -> None:
    running = Running(start, connect, queue)
    running.publish(200)
    copy = running.copy(tmp_path / "copy")
    with (copy / f"{DATABASE}-wal").open("ab") as log:
        log.write(Random(0).randbytes(20_000))
    assert drained(start, connect, copy, queue) == list(range(200))


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
    start: Start, connect: Connect, queue: str, damage: Callable[[Path], None]
) -> None:
    running = Running(start, connect, queue)
    running.publish(5000)
    broker, folder = running.broker, Path(running.broker.data_dir)
    broker.stop()
    assert not (folder / f"{DATABASE}-wal").exists()
    damage(folder / DATABASE)
    before = contents(folder)
    line = refusal(start, folder)
    assert str(folder / DATABASE) in line
    assert contents(folder) == before


def take_in_order(channel: Channel, count: int) -> None:
    for number in range(count):
        assert int(channel.delivery().body) == number


@pytest.mark.parametrize("octet", [b"\x00", b"\xff"], ids=["zeroes", "ones"])
def test_damage_that_is_found_late_ends_the_broker_with_a_clear_line(
    start: Start, connect: Connect, queue: str, octet: bytes
) -> None:
    running = Running(start, connect, queue)
    running.publish(20_000)
    broker, file = running.broker, Path(running.broker.data_dir) / DATABASE
    broker.stop()
    with file.open("r+b") as database:  # where messages are, and nothing else
        database.seek(file.stat().st_size // 2 // PAGE_SIZE * PAGE_SIZE)
        database.write(octet * PAGE_SIZE)
    broker.start()
    channel = connect(to=broker).channel()
    channel.consume(queue, no_ack=True)
    with pytest.raises((HungUp, AssertionError)):
        take_in_order(channel, 20_000)
    assert broker.wait() == 1
    assert "Traceback" not in broker.output, broker.output
    assert f"{file} is damaged" in broker.output


def test_an_empty_file_beside_a_log_is_not_taken_for_a_new_database(
    start: Start, connect: Connect, queue: str, tmp_path: Path
) -> None:
    running = Running(start, connect, queue)
    running.publish(100)
    copy = running.copy(tmp_path / "copy")
    os.truncate(copy / DATABASE, 0)
    before = contents(copy)
    assert str(copy / DATABASE) in refusal(start, copy)
    assert contents(copy) == before


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
    start: Start,
    connect: Connect,
    queue: str,
    unwritable: Callable[[Path], None],
    what: str,
) -> None:
    running = Running(start, connect, queue)
    running.publish(100)
    broker, folder = running.broker, Path(running.broker.data_dir)
    broker.stop()
    before = contents(folder)
    unwritable(folder / DATABASE if what == "file" else folder)
    assert str(folder) in refusal(start, folder)
    assert contents(folder) == before
