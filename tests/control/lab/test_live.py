"""Live queues over HTTP: listed, traced, followed, kept as runs."""

import json
from typing import Any

import pytest
from trio.testing import wait_all_tasks_blocked

from amqplite.lab.keeping import recording
from amqplite.lab.live import tracing
from amqplite.protocol.methods import BasicAck, BasicConsume
from tests.connection.client import Client
from tests.control.lab.labs import Lab, lab, send, stream, traced

ODD = ("/", "..", "%2F", "a b", "q?x=1#y", "été ☂", '<img src=x onerror="alert(1)">', "q" * 255)


def consume(client: Client, queue: str = "q", tag: str = "worker", *, no_ack: bool = False) -> None:
    client.do(BasicConsume(0, queue, tag, False, no_ack, False, False, b""))


async def put(served: Lab, user: str, path: str) -> Any:
    answer = await served.as_(user).put(path, json={})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_queues_are_those_of_the_vhosts_the_user_may_see() -> None:
    async with lab() as served:
        served.rig.queue("q", lab_faults=True)
        other = served.rig.broker.vhosts["log/a b"]
        other.declare_queue(None, "ops", None)
        client = served.client()
        consume(client)
        send(client, "m1", "m2")
        client.do(BasicAck(1, False))
        await put(served, "student", traced("/", "q"))
        listed = {}
        for user in ("teacher", "student", "stranger", "watcher"):
            listed[user] = (await served.as_(user).get("/queues")).json()
    names = {user: [(one["v"], one["q"]) for one in queues] for user, queues in listed.items()}
    both = [("/", "q"), ("log/a b", "ops")]
    assert names == {"teacher": both, "watcher": both, "student": both[:1], "stranger": []}
    queue, ops = listed["teacher"]
    assert (queue["ready"], queue["unacked"], queue["consumers"]) == (0, 1, 1)
    assert (queue["traced"], queue["faults"], 880 < queue["left"] <= 900) == (True, True, True)
    assert (ops["traced"], ops["left"], ops["faults"]) == (False, 0, False)
    assert (queue["order"]["completed"], queue["order"]["inversions"]) == (1, 0)
    assert (queue["order"]["unexplained"], queue["order"]["violations"]) == (0, 0)


async def test_a_traced_queue_is_followed_as_things_happen() -> None:
    async with lab() as served:
        served.rig.queue("q")
        client = served.client()
        state = await put(served, "student", traced("/", "q"))
        assert (state["on"], state["by"], state["count"]) == (True, "student", 0)
        assert state["queue"]["consumer_names"] == []
        async with stream(served, "student", traced("/", "q", "/stream")) as events:
            assert (await events.next())[0] == "state"
            consume(client)
            send(client, "order-1")
            client.do(BasicAck(1, False))
            told = [await events.next() for _ in range(5)]
            assert [(name, data["type"]) for name, _, data in told] == [
                ("trace", "consumer_registered"),
                ("trace", "published"),
                ("trace", "enqueued"),
                ("trace", "delivered"),
                ("trace", "acked"),
            ]
            assert [id_ for _, id_, _ in told] == [data["n"] for _, _, data in told]
            assert told[-1][2]["m"] == "order-1"
            _, state = await events.until("state")
            assert state["queue"]["consumer_names"] == ["worker"]
            assert (state["viewers"], state["count"]) == (1, 5)
        last = told[2][1]
        async with stream(
            served, "student", traced("/", "q", "/stream"), last_event_id=str(last)
        ) as events:
            again, _ = await events.until("state")
        assert again == told[3:]
        page = (await served.as_("student").get(traced("/", "q", f"/events?after={last}"))).json()
        assert [event["type"] for event in page["events"]] == ["delivered", "acked"]
        assert (page["next"], page["gap"]) == (told[-1][1], None)


async def test_a_traced_queue_tells_what_came_of_the_order() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await put(served, "student", traced("/", "q"))
        client = served.client()
        consume(client)
        send(client, "m1", "m2")
        client.do(BasicAck(2, False), BasicAck(1, False))
        told = (await served.as_("student").get(traced("/", "q"))).json()["outcome"]
        assert (told["counts"]["acked"], told["whys"][0]["m"]) == (2, "m1")
        assert told["whys"][0]["cause"] == "out_of_order_ack"
        (queue,) = (await served.as_("student").get("/queues")).json()
        assert queue["order"]["inversions"] == 1


@pytest.mark.parametrize("name", ODD)
async def test_a_queue_of_any_name_in_any_vhost_is_traced(name: str) -> None:
    async with lab() as served:
        for vhost in ("/", "log/a b"):
            state = await put(served, "teacher", traced(vhost, name))
            assert (state["v"], state["q"]) == (vhost, name)
        listed = (await served.as_("teacher").get("/trace")).json()
        assert [(one["v"], one["q"]) for one in listed] == [("/", name), ("log/a b", name)]
        assert (await served.as_("teacher").delete(traced("/", name))).status_code == 204
        assert [one["v"] for one in (await served.as_("teacher").get("/trace")).json()] == [
            "log/a b"
        ]


async def test_a_queue_that_is_declared_later_is_traced_from_then_on() -> None:
    async with lab() as served:
        assert (await put(served, "student", traced("/", "later")))["queue"] is None
        served.rig.queue("later")
        send(served.client(), "m1", queue="later")
        await wait_all_tasks_blocked(0.1)
        page = (await served.as_("student").get(traced("/", "later", "/events"))).json()
        assert [event["type"] for event in page["events"]] == ["published", "enqueued"]


async def test_only_who_may_see_the_vhost_may_look_into_it() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await put(served, "student", traced("/", "q"))
        await put(served, "teacher", traced("log/a b", "q"))
        for path in (traced("/", "q"), traced("/", "q", "/events"), traced("/", "q", "/stream")):
            assert (await served.as_("stranger").get(path)).status_code == 403, path
            assert (await served.as_("app").get(path)).status_code == 403, path
            assert (await served.as_("").get(path)).status_code == 401, path
        for method in ("PUT", "DELETE"):
            asked = await served.as_("stranger").request(method, traced("/", "q"))
            assert asked.status_code == 403
        frozen = await served.as_("stranger").post(traced("/", "q", "/runs"), json={})
        assert frozen.status_code == 403
        assert [one["v"] for one in (await served.as_("student").get("/trace")).json()] == ["/"]
        assert (await served.as_("stranger").get("/trace")).json() == []


async def test_what_is_not_traced_is_not_found() -> None:
    async with lab() as served:
        served.rig.queue("q")
        teacher = served.as_("teacher")
        for path in (traced("/", "q"), traced("/", "q", "/events"), traced("/", "q", "/stream")):
            assert (await teacher.get(path)).status_code == 404
        assert (await teacher.delete(traced("/", "q"))).status_code == 404
        assert (await teacher.post(traced("/", "q", "/runs"), json={})).status_code == 404
        assert (await teacher.put(traced("none", "q"))).status_code == 404
        refused = await teacher.put(traced("/", "é" * 128))
        assert (refused.status_code, refused.json()["reason"]) == (
            400,
            "a queue's name has 255 octets at most",
        )


async def test_only_so_many_are_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "TRACED_MAX", 1)
    async with lab() as served:
        await put(served, "student", traced("/", "a"))
        await put(served, "student", traced("/", "a"))
        refused = await served.as_("student").put(traced("/", "b"))
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")


async def test_who_is_looked_at_is_not_stopped_by_others() -> None:
    async with lab() as served:
        await put(served, "teacher", traced("/", "q"))
        async with stream(served, "teacher", traced("/", "q", "/stream")) as events:
            await events.next()
            refused = await served.as_("student").delete(traced("/", "q"))
            assert refused.status_code == 403
            assert (await served.as_("admin").delete(traced("/", "q"))).status_code == 204
            ((name, _, state),) = await events.rest()
            assert (name, state["on"]) == ("state", False)
        await put(served, "teacher", traced("/", "q"))
        assert (await served.as_("student").delete(traced("/", "q"))).status_code == 204


async def test_a_slow_reader_finds_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "EVENTS_MAX", 40)
    async with lab() as served:
        served.rig.queue("q")
        client = served.client()
        await put(served, "student", traced("/", "q"))
        send(client, "m1")
        await wait_all_tasks_blocked(0.1)
        page = (await served.as_("student").get(traced("/", "q", "/events"))).json()
        seen = page["next"]
        send(client, *(f"m{n}" for n in range(2, 102)))
        await wait_all_tasks_blocked(0.1)
        late = (await served.as_("student").get(traced("/", "q", f"/events?after={seen}"))).json()
        first = late["events"][0]["n"]
        assert late["gap"] == {"lost_from": seen + 1, "lost_to": first - 1}
        assert len(late["events"]) <= 40
        fresh = (await served.as_("student").get(traced("/", "q", "/events"))).json()
        assert (fresh["gap"], fresh["events"]) == (None, late["events"])
        path = traced("/", "q", "/stream")
        async with stream(served, "student", path, last_event_id=str(seen)) as events:
            told, _ = await events.until("state")
        assert told[0] == ("gap", 0, late["gap"])
        assert [data for _, _, data in told[1:]] == late["events"]


async def test_who_resumes_after_a_restart_begins_anew() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await put(served, "student", traced("/", "q"))
        send(served.client(), "m1")
        await wait_all_tasks_blocked(0.1)
        path = traced("/", "q", "/stream")
        async with stream(served, "student", path, last_event_id="99999") as events:
            assert [(await events.next())[2]["type"] for _ in range(2)] == ["published", "enqueued"]


async def test_what_was_traced_is_kept_as_a_run() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await put(served, "student", traced("/", "q"))
        client = served.client()
        consume(client)
        send(client, "m1", "m2")
        client.do(BasicAck(2, False), BasicAck(1, False))
        student = served.as_("student")
        answer = await student.post(traced("/", "q", "/runs"), json={"name": "the jam"})
        run = answer.json()
        assert (answer.status_code, run["name"], run["owner"]) == (201, "the jam", "student")
        assert (run["state"], run["header"]["mode"], run["count"]) == ("done", "live", 9)
        assert [why["m"] for why in run["whys"]] == ["m1"]
        assert (await served.as_("stranger").get(f"/runs/{run['id']}")).status_code == 403
        page = (await student.get(f"/runs/{run['id']}/events")).json()
        live = (await student.get(traced("/", "q", "/events"))).json()
        assert page["events"] == live["events"]
        unnamed = (await student.post(traced("/", "q", "/runs"))).json()
        assert unnamed["name"] == "q"
        for body in ({"seconds": -1}, {"seconds": "x"}, {"second": 1}):
            refused = await student.post(traced("/", "q", "/runs"), json=body)
            assert (refused.status_code, "second" in refused.json()["reason"]) == (400, True)


async def test_only_the_last_seconds_may_be_kept() -> None:
    async with lab() as served:
        served.rig.queue("q")
        now = 1_000_000
        served.rig.broker.trace.clock = lambda: now
        await put(served, "student", traced("/", "q"))
        client = served.client()
        for label in ("m1", "m2", "m3"):
            now += 10_000_000
            send(client, label)
        path = traced("/", "q", "/runs")
        run = (await served.as_("student").post(path, json={"seconds": 12})).json()
        page = (await served.as_("student").get(f"/runs/{run['id']}/events")).json()
    assert {event["m"] for event in page["events"]} == {"m2", "m3"}


async def test_names_that_are_no_text_are_harmless() -> None:
    async with lab() as served:
        served.rig.vhost.declare_queue(None, "q\udcff", None)
        student = served.as_("student")
        assert (await student.put("/trace/%2F/q%FF")).json()["q"] == "q\\xff"
        send(served.client(), "m\udcfe", queue="q\udcff")
        await wait_all_tasks_blocked(0.1)
        page = (await student.get("/trace/%2F/q%FF/events")).json()
        assert {(event["q"], event["m"]) for event in page["events"][1:]} == {("q\\xff", "m\ufffd")}
        run = (await student.post("/trace/%2F/q%FF/runs")).json()
        assert (run["name"], run["header"]["queues"][0]["q"]) == ("q", "q\\xff")
        for format_ in ("jsonl", "svg", "csv", "markdown"):
            answer = await student.get(f"/runs/{run['id']}/export?format={format_}")
            assert answer.status_code == 200, format_
        assert (await student.get("/queues")).json()[0]["q"] == "q\\xff"


async def test_many_readers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    async with lab() as served:
        await put(served, "student", traced("/", "q"))
        assert served.site.desk is not None
        monkeypatch.setattr(served.site.desk.streams, "_most", 1)
        path = traced("/", "q", "/stream")
        async with stream(served, "student", path) as events:
            await events.next()
            refused = await served.as_("student").get(path)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
            assert "1 streams are open" in refused.json()["reason"]
        await wait_all_tasks_blocked(0.05)
        async with stream(served, "student", path) as events:
            await events.next()
        listed = (await served.as_("student").get("/trace")).content
        assert json.loads(listed)[0]["viewers"] in (0, 1)
