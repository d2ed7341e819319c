"""New runs over HTTP: scenarios that are played, traces that are imported."""

import json
from threading import Event
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from amqplite.control.lab import desk
from amqplite.lab.keeping import recording
from amqplite.lab.keeping.work import WAITING_MAX
from amqplite.lab.scenario import ORDER, find
from tests.control.lab.labs import Lab, lab, stream

SCENARIOS = [name for name in ORDER if not find(name).own]


async def imported(served: Lab, body: bytes | str, user: str = "teacher") -> tuple[int, Any]:
    octets = body.encode() if isinstance(body, str) else body
    answer = await served.as_(user).post("/import", content=octets)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_each_scenario_comes_out_as_it_has_to(scenario: str) -> None:
    async with lab() as served:
        run = await served.play(scenario=scenario)
    assert (run["state"], run["reason"]) == ("done", "")
    assert [check for check in run["expect"] if not check["ok"]] == []
    assert (run["counts"]["unexplained"], run["counts"]["violations"]) == (0, 0)


async def test_a_new_run_says_where_it_is() -> None:
    async with lab() as served:
        teacher = served.as_("teacher")
        answer = await teacher.post("/runs", json={"scenario": "no-fault"})
        assert answer.status_code == 201
        assert answer.headers["location"] == f"/lab/api/runs/{answer.json()['id']}"
        assert (await teacher.get(f"{served.url}{answer.headers['location']}")).status_code == 200


async def test_an_exact_run_is_the_same_every_time() -> None:
    async with lab() as served:
        teacher, told = served.as_("teacher"), []
        for _ in range(2):
            id_ = (await served.play(seed=3))["id"]
            told.append((await teacher.get(f"/runs/{id_}/events")).content)
    assert told[0] == told[1]


async def test_parameters_and_variants_make_another_run() -> None:
    async with lab() as served:
        run = await served.play(scenario="prefetch-blast", params={"prefetch": 2})
        assert run["header"]["params"]["prefetch"] == 2
        variant = find("fig-11-2").variants[0].name
        run = await served.play(variant=variant)
        assert run["header"]["variant"] == variant


async def test_a_real_run_is_played_as_the_user_who_asks() -> None:
    async with lab() as served:
        run = await served.play("student", mode="real")
        users = set()
        async with stream(served, "student", f"/runs/{run['id']}/stream") as events:
            while (event := await events.next())[2].get("state") != "done":
                connections: list[Any] = list(served.rig.broker.connections)
                users |= {connection.user.name for connection in connections}
        assert users == {"student"}
        assert event[2]["owner"] == "student"


BAD = [
    ({}, "Object missing required field 'scenario'"),
    ({"scenario": 7}, "scenario: Expected 'str', got 'int'"),
    ({"scenario": "none"}, "no scenario 'none'"),
    ({"scenario": "../fig-11-2"}, "no scenario '../fig-11-2'"),
    ({"scenario": "fig-11-2", "variant": "none"}, "fig-11-2 has no variant 'none'"),
    ({"scenario": "fig-11-2", "params": {"none": 1}}, "fig-11-2 has no parameter 'none'"),
    ({"scenario": "fig-11-2", "params": {"prefetch": "x"}}, "prefetch: 'x' is not a whole number"),
    ({"scenario": "fig-11-2", "params": {"prefetch": 10**9}}, "prefetch: 1e+09 is not in"),
    ({"scenario": "fig-11-2", "params": {"prefetch": []}}, "params[...]: Expected"),
    ({"scenario": "fig-11-2", "params": {"service": 1e999}}, "JSON"),
    ({"scenario": "fig-11-2", "mode": "fast"}, "mode: Invalid enum value 'fast'"),
    ({"scenario": "fig-11-2", "seed": -1}, "seed: Expected 'int' >= 0"),
    ({"scenario": "fig-11-2", "sed": 1}, "Object contains unknown field 'sed'"),
    ({"scenario": "fig-11-2", "mode": "real", "vhost": "none"}, "there is no vhost 'none'"),
]


@pytest.mark.parametrize(("body", "reason"), BAD, ids=[reason for _, reason in BAD])
async def test_what_cannot_be_played_is_named(body: dict[str, Any], reason: str) -> None:
    async with lab() as served:
        octets = json.dumps(body).encode()
        answer = await served.as_("teacher").post("/runs", content=octets)
    assert answer.status_code == 400
    assert reason in answer.json()["reason"]
    assert "Traceback" not in answer.text


async def test_who_may_not_use_the_vhost_may_not_play_there() -> None:
    async with lab() as served:
        said = {"scenario": "fig-11-2", "mode": "real"}
        for user in ("stranger", "watcher"):
            answer = await served.as_(user).post("/runs", json=said | {"vhost": "log/a b"})
            assert answer.status_code == 403, user
            assert "access to vhost 'log/a b' refused" in answer.json()["reason"]
        run = await served.play("teacher", mode="real", vhost="log/a b", scenario="no-fault")
        async with stream(served, "teacher", f"/runs/{run['id']}/stream") as events:
            end = (await events.rest())[-1][2]
        assert (end["state"], end["counts"]["acked"]) == ("done", 5)


async def test_too_much_work_is_put_off() -> None:
    gate = Event()
    async with lab() as served:
        teacher = served.as_("teacher")
        await teacher.get("/runs")  # there is a desk from now on
        assert served.site.desk is not None
        async with trio.open_nursery() as nursery:
            for _ in range(WAITING_MAX + 1):
                nursery.start_soon(served.site.desk.work.do, gate.wait, 10)
            await wait_all_tasks_blocked()
            for path, body in (("/runs", b'{"scenario": "fig-11-2"}'), ("/import", b"{}")):
                answer = await teacher.post(path, content=body)
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), path
                assert "others wait for the lab" in answer.json()["reason"]
            gate.set()


async def test_who_asks_too_often_is_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "DEAR_MAX", 2)
    monkeypatch.setattr(desk, "DEAR_PER_S", 0.001)
    async with lab() as served:
        for status in (201, 201, 429):
            answer = await served.as_("teacher").post("/runs", json={"scenario": "no-fault"})
            assert answer.status_code == status
        assert 900 < int(answer.headers["retry-after"]) <= 1000
        await served.play("student")


# -- import ----------------------------------------------------------------------------------------


async def test_a_trace_that_was_exported_is_imported() -> None:
    async with lab() as served:
        run, teacher = await served.play(), served.as_("teacher")
        file = (await teacher.get(f"/runs/{run['id']}/export?format=jsonl")).text
        status, again = await imported(served, file, "student")
        assert (status, again["owner"], again["name"]) == (201, "student", run["name"])
        assert again["metrics"] == run["metrics"]
        assert again["whys"] == run["whys"]
        events = [
            (await teacher.get(f"/runs/{id_}/events")).json() for id_ in (run["id"], again["id"])
        ]
        assert events[0] == events[1]
        assert (await teacher.get(f"/runs/{again['id']}/export?format=jsonl")).text == file


HEADER = '{"schema":"amqplite.trace/1","name":"x"}\n'

JUNK = [
    ("", "line 1: nothing is there, not even a header"),
    ("hello", "line 1: not JSON"),
    ("\xff\xfe", "line 1: not JSON"),
    ("{}", "line 1: the first line is no header of amqplite.trace/1"),
    (HEADER.replace("/1", "/2"), "line 1: the trace is amqplite.trace/2: newer than"),
    (HEADER + '{"n":1,"t":1}', "line 2: Object missing required field `type`"),
    (HEADER + '\n{"n":1,"t":1,"type":"acked"}\n{"n":1,"t":1,"type":"acked"}', "line 4: event 1"),
    (HEADER + '{"n":1,"t":-5,"type":"acked"}', "line 2: t of event 1 is -5"),
    (HEADER + '{"n":1,"t":1,"type":[]}', "line 2: Expected `str`"),
    (HEADER + "[" * 100_000, "line 2: "),
    (HEADER + f'{{"n":{2**70},"t":1,"type":"acked"}}', "line 2: n of event 118"),
    (HEADER + f'{{"n":1,"t":1,"type":"acked","s":{2**70},"id":1}}', "line 2: s of event 1 is 118"),
]


@pytest.mark.parametrize(("body", "reason"), JUNK, ids=[reason for _, reason in JUNK])
async def test_junk_is_refused_with_its_line(body: str, reason: str) -> None:
    async with lab() as served:
        status, answer = await imported(served, body.encode("latin-1"))
        assert (await served.as_("teacher").get("/runs")).json() == []
    assert status == 400
    assert reason in answer["reason"]
    assert "Traceback" not in answer["reason"]


async def test_events_of_an_unknown_type_are_kept_and_mean_nothing() -> None:
    async with lab() as served:
        status, run = await imported(served, HEADER + '{"n":7,"t":1,"type":"<img onerror>"}')
    assert (status, run["count"], run["counts"]["acked"]) == (201, 1, 0)


async def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with lab() as served:
        status, answer = await imported(served, b" " * (recording.OCTETS_MAX + 1))
    assert (status, answer["reason"]) == (413, "the request's body is over 8388608 octets")


async def test_of_too_many_events_the_first_are_kept_and_it_is_said() -> None:
    lines = [f'{{"n":{n},"t":{n},"type":"purged","q":"q"}}' for n in range(1, 20_101)]
    async with lab() as served:
        status, run = await imported(served, HEADER + "\n".join(lines))
    assert (status, run["count"], run["full"]) == (201, 20_000, True)


async def test_a_run_without_a_name_gets_one() -> None:
    async with lab() as served:
        _, run = await imported(served, '{"schema":"amqplite.trace/1","name":"\\u0000"}')
    assert run["name"] == "import"
