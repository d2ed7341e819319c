"""A run as JSON."""

import json

from amqplite.lab.export.numbers import as_json, numbers
from amqplite.lab.scripts.expect import Check
from tests.lab.export.pictures import account_of


def test_the_figure() -> None:
    checks = [Check(what="inversions q", expected=1, got=1, ok=True)]
    told = json.loads(as_json(numbers(account_of(), checks)))
    assert told["header"]["name"] == "A story"
    done = [m for m in told["metrics"] if (m["scope"], m["at"]) == ("queue", "completion")]
    assert (done[0]["completion"], done[0]["inversions"]) == (["m1", "m2", "m4", "m3", "m5"], 1)
    assert told["counts"]["redeliveries"] == 1
    assert [why["m"] for why in told["whys"]] == ["m3"]
    assert told["verdict"]["zh"].startswith("5 条消息中")
    assert told["expect"] == [{"what": "inversions q", "expected": 1, "got": 1, "ok": True}]


def test_people_can_read_it() -> None:
    assert as_json({"a": ["队列"]}) == '{\n  "a": [\n    "队列"\n  ]\n}'
