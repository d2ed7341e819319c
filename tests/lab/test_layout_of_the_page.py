"""The page's own layout says the same of the same events, where node can be asked."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from amqplite.broker.trace import as_dict
from amqplite.lab.diagram.layout import lay_out, layout_json
from amqplite.lab.export.account import Account, account
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import ORDER, find
from amqplite.lab.trace import Header, Trace
from tests.broker_process import ROOT
from tests.lab.story import TICK, Story

PAGE = ROOT / "amqplite" / "control" / "page" / "lab"
CHECK = Path(__file__).with_name("layout_check.mjs")

Ask = Callable[[Account], dict[str, Any]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node isn't installed")
    folder = tmp_path_factory.mktemp("layout")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copytree(PAGE, folder / "lab")
    shutil.copy(CHECK, folder)

    def asked(told: Account) -> dict[str, Any]:
        lines = [to_builtins(told.header)]
        for event in told.events:
            order = told.annotations.get(event.n)
            lines.append(as_dict(event) | ({} if order is None else {"order": to_builtins(order)}))
        done = subprocess.run(
            [node, CHECK.name, "lab"],
            cwd=folder,
            input="\n".join(map(json.dumps, lines)),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return asked


def same(told: Account, ask: Ask) -> None:
    late = {n: order.late for n, order in told.annotations.items()}
    queues = [(queue.v, queue.q) for queue in told.header.queues]
    layout = lay_out(told.events, late, queues)
    ours, theirs = layout_json(layout), ask(told)
    for part in ("lanes", "boxes", "points", "spans"):
        assert ours[part] == theirs[part], part
    lates = [{"m": x.bar.m, "from": x.start, "to": x.stop} for x in layout.lates]
    assert sorted(lates, key=lambda x: x["m"]) == sorted(theirs["lates"], key=lambda x: x["m"])


@pytest.mark.parametrize("name", ORDER)
def test_of_each_scenario(name: str, ask: Ask) -> None:
    same(account(run_exact(find(name))), ask)


def test_of_many_rows(ask: Ask) -> None:
    story = Story()
    story.consumer(0, "c1")
    for k in range(20):
        story.publish(k / 4, f"m{k}")
    for k in range(12):
        story.deliver(5 + k / 8, f"m{k}", "c1")
    for k in (0, 2, 4, 1, 3):
        story.ack(8 + k / 4, f"m{k}", "c1")
    story.events.sort(key=lambda event: (event.t, event.n))
    events = [
        event if event.n == n else type(event)(**as_dict(event) | {"n": n})
        for n, event in enumerate(story.events, 1)
    ]
    same(account(Trace(Header(mode="exact", tick_us=TICK), events)), ask)


def test_of_five_publishers_and_a_dead_letter_exchange(ask: Ask) -> None:
    story = Story()
    for k in range(5):
        story.publish(k, f"m{k}", p=f"p{k}")
    story.deliver(5, "m0", "c1")
    story.tell(6, "rejected", "m0", "c1")
    story.tell(6, "dead_lettered", "m0", "c1", cause="rejected", exchange="retry")
    story.tell(7, "expired", "m1", cause="ttl")
    story.add(8, "gap", q="", lost_from=3, lost_to=9)
    story.enqueue(9, "m0", cause="dlx_return")
    same(account(Trace(Header(mode="exact", tick_us=TICK), story.events)), ask)
