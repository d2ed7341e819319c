"""What it costs to record a queue.

    python -m tests.benchmarks.bench_trace --rounds 7
    python -m tests.benchmarks.bench_trace --against ../amqplite-before

One broker runs, and the same load goes through one queue again and again: with the trace off, with
it on (`PUT /lab/api/trace/…`), off, on, … Each pair gives a ratio; what is printed is their median,
and between which of them the middle half lies. `--against` names a checkout of another version,
whose broker runs beside, untraced, and takes turns with the other two.

Two ratios are printed of each pair: of messages a second, and of the processor time that the broker
took for a message. The second is hardly disturbed by what else the machine does. They differ where
the broker is not what a load waits for.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from urllib.request import ProxyHandler, Request, build_opener

from tests.broker_process import ROOT, BrokerProcess
from tests.wire.peer import Peer

QUEUE = "load"
TOKEN = "Z3Vlc3Q6Z3Vlc3Q="  # guest:guest
PROFILES: dict[str, tuple[int, list[str], list[str]]] = {
    "fire": (200_000, [], []),
    "durable": (
        60_000,
        ["--size", "1024", "--persistent", "--window", "1000"],
        ["--size", "1024", "--ack"],
    ),
}
"""Messages, and what the publisher and the consumer are told: 100 octets, transient, and no acks;
or 1 KiB, persistent, confirmed, with an ack for each."""


@dataclass(frozen=True)
class Figures:
    """What a load came to: messages a second, and microseconds of the broker's for each."""

    rate: float
    cost: float


class Elsewhere(BrokerProcess):
    """A broker of the version in another folder."""

    def __init__(self, data_dir: Path, folder: Path) -> None:
        super().__init__(data_dir)
        self._folder = folder

    def _environment(self) -> dict[str, str]:
        path = {"PYTHONPATH": str(self._folder.resolve()), "PYTHONSAFEPATH": "1"}
        return super()._environment() | path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profiles", default=",".join(PROFILES))
    parser.add_argument("--scale", type=float, default=1.0, help="times as many messages")
    parser.add_argument("--against", type=Path, help="a checkout of another version")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours = stack.enter_context(BrokerProcess(folder / "ours"))
        brokers = {"off": ours, "on": ours}
        if options.against:
            theirs = Elsewhere(folder / "theirs", options.against)
            brokers = {"before": stack.enter_context(theirs)} | brokers
        for profile in options.profiles.split(","):
            measure(profile, brokers, options.rounds, options.scale)


def measure(profile: str, brokers: dict[str, BrokerProcess], rounds: int, scale: float) -> None:
    """Print what a profile comes to: a line for each thing that is compared with the first."""
    for broker in set(brokers.values()):
        run(profile, broker, scale / 4)  # to warm up
    taken: dict[str, list[Figures]] = {name: [] for name in brokers}
    for turn in range(rounds):
        names = list(brokers)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            with traced(brokers[name], name == "on"):
                taken[name].append(run(profile, brokers[name], scale))
    first = next(iter(brokers))
    for name, figures in taken.items():
        line = f"{profile:8} {name:7} {median(f.rate for f in figures):8.0f} messages/s"
        line += f" {median(f.cost for f in figures):7.2f} µs each"
        if name != first:
            pairs = list(zip(figures, taken[first], strict=True))
            line += f"   rate × {spread([a.rate / b.rate for a, b in pairs])}"
            line += f"   cost × {spread([a.cost / b.cost for a, b in pairs])}"
        print(line, flush=True)


def run(profile: str, broker: BrokerProcess, scale: float) -> Figures:
    """Send a load through the broker."""
    count, publisher, consumer = PROFILES[profile]
    count = round(count * scale)
    peer = Peer.open(broker.amqp_port)
    peer.channel().declare(QUEUE)
    before = processor_s(broker.pid)
    common = ["--port", str(broker.amqp_port), "--queue", QUEUE, "--count", str(count)]
    with subprocess.Popen(
        [*LOAD, "consume", *common, *consumer], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as consuming:
        assert consuming.stdout is not None
        consuming.stdout.readline()
        published = subprocess.run(
            [*LOAD, "publish", *common, *publisher],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        ended = json.loads(consuming.stdout.read())["ended"]
    cost = (processor_s(broker.pid) - before) / count * 1e6
    peer.close()
    return Figures(count / (ended - json.loads(published.stdout)["began"]), cost)


LOAD = (sys.executable, "-m", "tests.benchmarks.load")


@contextmanager
def traced(broker: BrokerProcess, on: bool) -> Iterator[None]:
    """Have the queue traced meanwhile, or not."""
    if on:
        ask(broker, "PUT")
    yield
    if on:
        ask(broker, "DELETE")


def ask(broker: BrokerProcess, method: str) -> None:
    """Ask the lab for the queue's trace, or for its end."""
    url = f"http://127.0.0.1:{broker.http_port}/lab/api/trace/%2F/{QUEUE}"
    asked = Request(url, method=method, headers={"authorization": f"Basic {TOKEN}"})
    build_opener(ProxyHandler({})).open(asked, timeout=20).close()


def processor_s(pid: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(ratios: list[float]) -> str:
    """Return the median, and where the middle half lies."""
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return f"{median(ratios):.3f} ({low:.3f} to {high:.3f})"


if __name__ == "__main__":
    main()
