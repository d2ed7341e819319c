"""Marks over HTTP: consumers tell what the broker cannot see."""

from typing import Any

import pytest
from trio.testing import wait_all_tasks_blocked

from amqplite.control.lab import desk
from amqplite.protocol.methods import BasicAck, BasicConsume
from tests.control.lab.labs import Lab, lab, send, traced

SAID = {"queue": "q", "message_id": "order-1", "mark": "applied", "by": "worker-7"}


async def mark(served: Lab, user: str = "app", **said: Any) -> tuple[int, Any]:
    answer = await served.as_(user).post("/marks", json=said)
    return answer.status_code, answer.json()


async def test_a_mark_is_told_in_the_trace_with_what_it_means() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await served.as_("student").put(traced("/", "q"))
        client = served.client()
        client.do(BasicConsume(0, "q", "worker", False, False, False, False, b""))
        send(client, "order-1")
        status, said = await mark(served, **SAID)
        assert (status, said["recorded"]) == (200, True)
        assert await mark(served, **SAID | {"message_id": "x" * 30}) == (
            200,
            {"recorded": True, "n": said["n"] + 1},
        )
        client.do(BasicAck(1, False))
        await wait_all_tasks_blocked(0.1)
        page = (await served.as_("student").get(traced("/", "q", "/events"))).json()
        first, second = (event for event in page["events"] if event["type"] == "applied")
        assert first["n"] == said["n"]
        assert (first["m"], first["c"], first["by"]) == ("order-1", "worker", "worker-7")
        assert (first["s"], first["attempt"]) == (1, 1)
        assert (second["m"], "id" in second) == ("x" * 23 + "…", False)
        told = (await served.as_("student").get(traced("/", "q"))).json()["outcome"]
        assert told["counts"]["effects"] >= 1


async def test_where_nothing_is_recorded_a_mark_is_for_nothing() -> None:
    async with lab() as served:
        served.rig.queue("q")
        assert await mark(served, **SAID) == (200, {"recorded": False})
        assert served.rig.broker.trace.log.last == 0


async def test_who_may_read_from_a_queue_may_mark() -> None:
    async with lab() as served:
        served.rig.queue("q")
        await served.as_("student").put(traced("/", "q"))
        for user in ("app", "student"):
            assert (await mark(served, user, **SAID))[0] == 200
        status, said = await mark(served, "stranger", **SAID)
        assert (status, said["reason"]) == (
            403,
            "read access to queue 'q' in vhost '/' refused for user 'stranger'",
        )
        assert (await mark(served, "app", **SAID, vhost="log/a b"))[0] == 403
        assert (await mark(served, "", **SAID))[0] == 401
        assert (await mark(served, "app", **SAID, vhost="none"))[0] == 404


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"mark": "done"}, "mark: Invalid enum value 'done'"),
        ({"mark": "acked"}, "mark: "),
        ({"message_id": ""}, "message_id: "),
        ({"message_id": 7}, "message_id: "),
        ({"by": "x" * 65}, "by: "),
        ({"queue": "q" * 256}, "queue: "),
        ({"who": "x"}, "'who'"),
    ],
)
async def test_what_is_said_wrongly_is_named(change: dict[str, Any], word: str) -> None:
    async with lab() as served:
        status, said = await mark(served, **SAID | change)
    assert (status, word in said["reason"]) == (400, True), said


async def test_marks_are_bounded_by_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "MARKS_MAX", 2)
    monkeypatch.setattr(desk, "MARKS_PER_S", 0.001)
    async with lab() as served:
        assert [(await mark(served, **SAID))[0] for _ in range(3)] == [200, 200, 429]
        assert (await mark(served, "student", **SAID))[0] == 200
        large = await served.as_("student").post("/marks", content=b" " * 5000)
        assert large.status_code == 413
