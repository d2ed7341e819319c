"""How fast the store is, on this machine's disk.

    python tests/benchmarks/bench_store.py --folder /var/tmp

Commits run in a thread of their own, as in the broker. Each figure is taken twice: with the main
thread idle, and with it running Python all the time, as a loaded broker looks to a commit.
"""

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from pathlib import Path

from amqplite.broker.records import Batch, MessageRow, Purge, Put, QueueRow, message_key
from amqplite.store.database import Database


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=None, help="where to put the database")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--size", type=int, default=1024, help="octets of a body")
    parser.add_argument("--queues", type=int, default=1)
    parser.add_argument("--backlog", type=int, default=0, help="messages stored before")
    options = parser.parse_args()
    sys.setswitchinterval(0.001)  # as the broker does
    for busy in (False, True):
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            measure(Path(folder) / "amqplite.db", options, busy)


def measure(path: Path, options: argparse.Namespace, busy: bool) -> None:
    """Print a line for each kind of work."""
    print(f"main thread {'busy' if busy else 'idle'}, batches of {options.batch}")
    store = Database(path)
    store.load()
    queue_ids = range(1, options.queues + 1)
    store.commit(
        Batch(definitions=[Put(QueueRow(n, "/", f"queue {n}", False, b"")) for n in queue_ids])
    )
    body = os.urandom(options.size)
    places = range(options.backlog // options.queues, (options.backlog + options.rows))
    keys = [message_key(n, place) for place in places for n in queue_ids][: options.rows]
    before = [
        message_key(n, place)
        for place in range(options.backlog // options.queues)
        for n in queue_ids
    ]
    for part in parts(before, 5000):
        store.commit(Batch(inserts=[row(key, body) for key in part]))

    inserts = [[row(key, body) for key in part] for part in parts(keys, options.batch)]
    report("insert", options, busy, lambda: commit_all(store, map_batches("inserts", inserts)))
    report("page", options, False, lambda: page_all(store, keys))
    for name in ("delete", "delete, shuffled"):
        deletes = map_batches("deletes", list(parts(keys, options.batch)))
        report(name, options, busy, partial(commit_all, store, deletes))
        commit_all(store, map_batches("inserts", inserts))
        random.Random(1).shuffle(keys)
    purges = [Purge(message_key(n, 0), message_key(n + 1, 0) - 1) for n in queue_ids]
    slowest = commit_all(store, [Batch(definitions=[*purges])])
    print(f"  {'purge':18} {slowest * 1000:9.1f} ms", end=", ")
    print(f"and {1 + sum(1 for _ in iter(store.tidy, False))} calls to tidy up")
    commit_all(store, map_batches("spilled", inserts[:1]))
    report("spill", options, busy, lambda: commit_all(store, map_batches("spilled", inserts)))
    store.close()
    started = time.perf_counter()
    store = Database(path)
    store.load()
    print(f"  {'open and load':18} {(time.perf_counter() - started) * 1000:9.1f} ms")
    store.close()


def report(name: str, options: argparse.Namespace, busy: bool, work: Callable[[], float]) -> None:
    """Run `work` in a thread, spinning meanwhile if `busy`, and print its speed."""
    took: list[float] = []
    thread = threading.Thread(target=lambda: took.append(work()))
    started = time.perf_counter()
    thread.start()
    while busy and thread.is_alive():
        sum(range(1000))
    thread.join()
    seconds = time.perf_counter() - started
    batches = -(-options.rows // options.batch)
    print(
        f"  {name:18} {options.rows / seconds:9.0f} rows/s"
        f"  {seconds / batches * 1000:7.1f} ms a batch, the slowest {took[0] * 1000:7.1f} ms"
    )


def commit_all(store: Database, batches: Iterable[Batch]) -> float:
    """Commit each batch; return the seconds of the slowest."""
    slowest = 0.0
    for batch in batches:
        started = time.perf_counter()
        store.commit(batch)
        slowest = max(slowest, time.perf_counter() - started)
    return slowest


def page_all(store: Database, keys: list[int]) -> float:
    """Read all messages, a page at a time, queue by queue; return the seconds of the slowest."""
    slowest = 0.0
    first, last = min(keys), max(keys)
    while first <= last:
        started = time.perf_counter()
        page = store.page(first, last, 256)
        slowest = max(slowest, time.perf_counter() - started)
        if not page:
            break
        first = page[-1][0] + 1
    return slowest


def row(key: int, body: bytes) -> MessageRow:
    """Return a message as a task queue has it."""
    return (key, 0, None, "", "task_queue", b"\x10\x00\x02", body)


def parts(items: list[int], size: int) -> Iterable[list[int]]:
    """Cut `items` in lists of `size`."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def map_batches(name: str, parts: Iterable[object]) -> Iterable[Batch]:
    """Make a batch of each part, with it as the field `name`."""
    for part in parts:
        batch = Batch()
        setattr(batch, name, part)
        yield batch


if __name__ == "__main__":
    main()
