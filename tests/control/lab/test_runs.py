"""Runs over HTTP: listed, named, dropped, read, followed, explained."""

from typing import Any

import httpx
import pytest
import trio

from amqplite.lab.keeping import runs as kept
from tests.control.lab.labs import lab, stream


async def test_a_run_tells_what_came_of_it() -> None:
    async with lab() as served:
        made = await served.play()
        teacher = served.as_("teacher")
        run = (await teacher.get(f"/runs/{made['id']}")).json()
    assert run | {"left": 0} == made | {"left": 0}
    assert (run["state"], run["owner"], run["count"], run["full"]) == ("done", "teacher", 43, False)
    assert run["header"]["scenario"] == "fig-11-2"
    assert run["duration"] == 3_360_000
    (queue,) = (m for m in run["metrics"] if (m["scope"], m["at"]) == ("queue", "completion"))
    assert queue["completion"] == ["m1", "m2", "m4", "m3", "m5"]
    assert (queue["inversions"], queue["late"]) == (1, 720_000)
    assert run["counts"]["redeliveries"] == 1
    assert [why["m"] for why in run["whys"]] == ["m3"]
    assert run["verdict"].keys() == {"en", "zh"}
    assert all(check["ok"] for check in run["expect"])
    assert 86_390 < run["left"] <= 86_400


async def test_runs_are_listed_newest_first() -> None:
    async with lab() as served:
        first = await served.play()
        second = await served.play(scenario="no-fault")
        listed = (await served.as_("student").get("/runs")).json()
    assert [run["id"] for run in listed] == [second["id"], first["id"]]
    assert listed[1]["headline"] == {
        "n": 5,
        "inversions": 1,
        "moved": 1,
        "late": 720_000,
        "buffer": 1,
        "redeliveries": 1,
    }
    assert listed[1]["verdict"] == first["verdict"]
    assert "whys" not in listed[1]


async def test_a_run_is_named_by_who_has_it() -> None:
    async with lab() as served:
        id_ = (await served.play())["id"]
        path = f"/runs/{id_}"
        teacher, student, admin = (served.as_(user) for user in ("teacher", "student", "admin"))
        named = await teacher.put(path, json={"name": " Monday's\tclass "})
        assert (named.status_code, named.json()["name"]) == (200, "Monday's class")
        refused = await student.put(path, json={"name": "mine"})
        assert (refused.status_code, refused.json()["reason"]) == (
            403,
            "the run is of user 'teacher'",
        )
        assert (await admin.put(path, json={"name": "图 11-2"})).status_code == 200
        assert (await student.get(path)).json()["name"] == "图 11-2"
        for body in ({}, {"name": 1}, {"name": "\x00 "}, {"name": "x" * 500}, {"nam": "x"}):
            answer = await teacher.put(path, json=body)
            assert (answer.status_code, "nam" in answer.json()["reason"]) == (400, True), body


async def test_a_run_is_dropped_by_who_has_it() -> None:
    async with lab() as served:
        id_ = (await served.play())["id"]
        assert (await served.as_("student").delete(f"/runs/{id_}")).status_code == 403
        assert (await served.as_("teacher").delete(f"/runs/{id_}")).status_code == 204
        assert (await served.as_("teacher").get(f"/runs/{id_}")).status_code == 404


async def test_a_run_that_is_no_longer_kept_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RUNS_MAX", 1)
    async with lab() as served:
        first = await served.play()
        await served.play()
        answer = await served.as_("teacher").get(f"/runs/{first['id']}")
    assert (answer.status_code, answer.json()) == (
        410,
        {"error": "expired", "reason": "this run is no longer kept"},
    )


RUN_PATHS = ("", "/events", "/stream", "/metrics", "/why?msg=m1", "/export?format=svg")


@pytest.mark.parametrize("id_", ["nothing", "..", "%2F", "%2e%2e", "%FF", "a%00b", "x" * 3000])
async def test_no_path_leads_to_what_is_not_there(id_: str) -> None:
    async with lab() as served:
        await served.play()
        for path in RUN_PATHS:
            answer = await raw(served.url, f"/lab/api/runs/{id_}{path}")
            assert b" 404 " in answer.partition(b"\r\n")[0], path


async def raw(url: str, target: str) -> bytes:
    """Ask for a target as it is."""
    host, _, port = url.removeprefix("http://").partition(":")
    stream = await trio.open_tcp_stream(host, int(port))
    async with stream:
        await stream.send_all(
            f"GET {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic dGVhY2hlcjpndWVzdA==\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        return b"".join([bytes(data) async for data in stream])


async def test_nothing_is_told_without_a_login_or_without_a_tag() -> None:
    async with lab() as served:
        id_ = (await served.play())["id"]
        for path in ("/runs", *(f"/runs/{id_}{more}" for more in RUN_PATHS), "/scenarios"):
            assert (await served.as_("").get(path)).status_code == 401, path
            assert (await served.as_("app").get(path)).status_code == 403, path


# -- events ----------------------------------------------------------------------------------------


async def test_events_are_read_from_any_number_on() -> None:
    async with lab() as served:
        teacher, id_ = served.as_("teacher"), (await served.play())["id"]
        all_ = (await teacher.get(f"/runs/{id_}/events")).json()
        assert [event["n"] for event in all_["events"]] == list(range(1, 44))
        assert (all_["next"], all_["gap"]) == (43, None)
        late = next(e for e in all_["events"] if e["type"] == "acked" and e["m"] == "m3")
        assert (late["order"]["over"], late["order"]["cause"]) == (["m4"], "connection_lost")
        rest = (await teacher.get(f"/runs/{id_}/events?after=40")).json()
        assert rest == {"events": all_["events"][40:], "next": 43, "gap": None}
        assert (await teacher.get(f"/runs/{id_}/events?after=99")).json() == {
            "events": [],
            "next": 99,
            "gap": None,
        }
        for after in ("-1", "x", "1.5"):
            assert (await teacher.get(f"/runs/{id_}/events?after={after}")).status_code == 400


async def test_the_stream_of_a_run_that_is_over_ends_with_its_state() -> None:
    async with lab() as served:
        run, teacher = await served.play(), served.as_("teacher")
        path = f"/runs/{run['id']}/stream"
        async with stream(served, "teacher", path) as events:
            *trace, end = await events.rest()
        assert [(name, id_, data["n"]) for name, id_, data in trace] == [
            ("trace", n, n) for n in range(1, 44)
        ]
        assert end == ("state", 44, run | {"left": end[2]["left"]})
        async with stream(served, "teacher", path, last_event_id="41") as events:
            assert [id_ for _, id_, _ in await events.rest()] == [42, 43, 44]
        async with stream(served, "teacher", f"{path}?after=43") as events:
            assert [name for name, _, _ in await events.rest()] == ["state"]
        over = await teacher.get(path, headers={"last-event-id": "44"})
        assert (over.status_code, over.content) == (204, b"")
        assert (await teacher.get(path, headers={"last-event-id": "junk"})).status_code == 400


async def test_a_run_that_goes_on_is_followed_and_resumed() -> None:
    async with lab() as served:
        run = await served.play(mode="real")
        assert run["state"] == "running"
        path = f"/runs/{run['id']}/stream"
        async with stream(served, "student", path) as events:
            _, state = await events.until("state")
            assert state["state"] == "running"
            while (await events.next())[1] < 15:
                pass
        async with stream(served, "student", path, last_event_id="10") as events:
            told = await events.rest()
        trace = [(id_, data) for name, id_, data in told if name == "trace"]
        last = trace[-1][0]
        assert [id_ for id_, _ in trace] == list(range(11, last + 1))
        assert [data["n"] for _, data in trace] == [id_ for id_, _ in trace]
        states = [(id_, data["state"]) for name, id_, data in told if name == "state"]
        assert states[-1] == (last + 1, "done")
        assert all(check["ok"] for check in told[-1][2]["expect"])


async def test_a_run_that_is_dropped_ends_its_streams() -> None:
    async with lab() as served:
        run, teacher = await served.play(mode="real", scenario="your-own"), served.as_("teacher")
        async with stream(served, "teacher", f"/runs/{run['id']}/stream") as events:
            await events.until("state")
            assert (await teacher.delete(f"/runs/{run['id']}")).status_code == 204
            assert (await events.rest())[-1][2]["state"] == "done"


async def test_streams_end_when_the_broker_stops() -> None:
    async with lab() as served:
        run, teacher = await served.play(mode="real", scenario="your-own"), served.as_("teacher")
        path = f"/runs/{run['id']}/stream"
        async with stream(served, "teacher", path) as events:
            await events.until("state")
            served.site.stopping.set()
            await events.rest()
        answer = await teacher.get(path)
        assert (answer.status_code, answer.json()["reason"]) == (
            503,
            "the broker stops; close one, or come again later",
        )


# -- numbers and sentences -------------------------------------------------------------------------


async def test_metrics_are_those_of_a_scope() -> None:
    async with lab() as served:
        run, teacher = await served.play(), served.as_("teacher")
        path = f"/runs/{run['id']}/metrics"
        assert (await teacher.get(path)).json() == run["metrics"]
        consumers = (await teacher.get(f"{path}?scope=consumer")).json()
        assert {one["name"]: one["completion"] for one in consumers} == {
            "c1": ["m2", "m4", "m3", "m5"],
            "c2": ["m1", "m3"],
        }
        assert (await teacher.get(f"{path}?scope=key")).json() == []
        refused = await teacher.get(f"{path}?scope=galaxy")
        assert (refused.status_code, refused.json()["reason"]) == (
            400,
            "scope: 'galaxy' is none of queue, consumer, key, publisher, publish",
        )


async def test_a_message_is_explained_in_either_language() -> None:
    async with lab() as served:
        id_, teacher = (await served.play())["id"], served.as_("teacher")

        async def why(**asked: str) -> Any:
            answer = await teacher.get(f"/runs/{id_}/why", params=asked)
            return answer.json() if answer.status_code == 200 else answer.status_code

        late = await why(msg="m3")
        assert late["text"] == late["why"]["text"]["en"]
        assert (late["why"]["cause"], late["why"]["over"]) == ("connection_lost", ["m4"])
        assert (await why(msg="m3", lang="zh-CN"))["text"] == late["why"]["text"]["zh"]
        assert (await why(n=str(late["why"]["events"][1])))["why"] == late["why"]
        assert (await why(msg="m1"))["why"]["kind"] == "plain"
        assert await why(msg="m99") == await why(n="9999") == 404
        assert (await teacher.get(f"/runs/{id_}/why?msg=%FF")).status_code == 404
        assert await why() == await why(n="x") == await why(msg="") == 400


async def test_what_others_live_traffic_is_in_a_run_only_who_may_see_it_sees() -> None:
    async with lab() as served:
        run = await served.play(mode="real", scenario="your-own")
        path = f"/runs/{run['id']}"
        listed = {}
        for user in ("stranger", "student", "watcher"):
            client: httpx.AsyncClient = served.as_(user)
            listed[user] = len((await client.get("/runs")).json())
            status = (await client.get(path)).status_code
            assert status == (403 if user == "stranger" else 200), user
        assert listed == {"stranger": 0, "student": 1, "watcher": 1}
