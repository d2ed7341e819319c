"""Faults over HTTP: on whom, by whom, and what has to be agreed."""

from typing import Any

import pytest

from amqplite.protocol.methods import BasicAck, BasicConsume
from tests.connection.client import Client
from tests.control.lab.labs import Lab, lab, send, stream, traced


async def strike(served: Lab, user: str, **said: Any) -> tuple[int, Any]:
    answer = await served.as_(user).post("/faults", json=said)
    return answer.status_code, answer.json()


def consumer(served: Lab, queue: str = "q", tag: str = "worker") -> Client:
    client = served.client()
    client.do(BasicConsume(0, queue, tag, False, False, False, False, b""))
    return client


# -- on actors -------------------------------------------------------------------------------------


async def test_who_has_a_run_may_strike_its_actors() -> None:
    async with lab() as served:
        run = await served.play("student", scenario="no-fault", mode="real")
        id_ = run["id"]
        async with stream(served, "student", f"/runs/{id_}/stream") as events:
            while (await events.next())[2].get("type") != "started":
                pass
            assert await strike(served, "student", run=id_, do="crash", target="c2") == (
                200,
                {"done": "crash", "target": "c2"},
            )
            told = [event[2] for event in await events.rest()]
        (fault,) = (event for event in told if event.get("type") == "fault")
        assert (fault["c"], fault["by"]) == ("c2", "student")
        assert any(event.get("type") == "connection_lost" for event in told)


async def test_nobody_strikes_somebody_elses_actors_but_an_administrator() -> None:
    async with lab() as served:
        id_ = (await served.play("student", scenario="your-own", mode="real"))["id"]
        status, said = await strike(served, "teacher", run=id_, do="crash", target="c1")
        assert (status, said["reason"]) == (403, "the run is of user 'student'")
        status, said = await strike(served, "admin", run=id_, do="crash", target="nobody")
        assert status == 400
        assert (await served.as_("admin").delete(f"/runs/{id_}")).status_code == 204


async def test_what_actors_cannot_suffer_is_named() -> None:
    async with lab() as served:
        id_ = (await served.play("student", scenario="no-fault", mode="real"))["id"]
        for do, target in (("explode", "c1"), ("crash", "c9")):
            status, said = await strike(served, "student", run=id_, do=do, target=target)
            assert status == 400
            assert (do if do == "explode" else target) in said["reason"]
        assert (await served.as_("student").delete(f"/runs/{id_}")).status_code == 204


async def test_a_run_that_is_over_has_no_actors() -> None:
    async with lab() as served:
        id_ = (await served.play("student"))["id"]
        status, said = await strike(served, "student", run=id_, do="crash", target="c1")
        assert (status, said) == (
            409,
            {"error": "conflict", "reason": "nobody plays this run now"},
        )
        status, _ = await strike(served, "student", run="nothing", do="crash", target="c1")
        assert status == 404


# -- on real clients -------------------------------------------------------------------------------


async def test_an_administrator_strikes_a_client_that_has_agreed() -> None:
    async with lab() as served:
        served.rig.queue("q", lab_faults=True)
        client = consumer(served)
        await served.as_("admin").put(traced("/", "q"))
        said = {"q": "q", "do": "crash", "target": "worker"}
        status, answer = await strike(served, "admin", **said)
        assert (status, "confirm" in answer["reason"]) == (400, True)
        assert not client.connection.closed
        status, _ = await strike(served, "admin", **said, confirm=True)
        assert (status, client.connection.closed) == (200, True)
        async with stream(served, "admin", traced("/", "q", "/stream")) as events:
            told = {}
            while "connection_lost" not in told:
                event = (await events.next())[2]
                told[event.get("type")] = event
        assert told["fault"]["by"] == "admin"
        assert told["connection_lost"]["sub"] == "lab_fault"


@pytest.mark.parametrize("user", ["teacher", "watcher", "student"])
async def test_others_strike_no_client(user: str) -> None:
    async with lab() as served:
        served.rig.queue("q", lab_faults=True)
        client = consumer(served)
        status, said = await strike(served, user, q="q", do="crash", target="worker", confirm=True)
        assert (status, said["reason"]) == (
            403,
            "a fault on real clients takes the tag administrator",
        )
        assert not client.connection.closed


async def test_nobody_strikes_a_client_that_has_not_agreed() -> None:
    async with lab() as served:
        served.rig.queue("q")
        served.rig.queue("maybe", lab_faults="yes")
        for queue in ("q", "maybe"):
            client = consumer(served, queue)
            status, said = await strike(
                served, "admin", q=queue, do="crash", target="worker", confirm=True
            )
            assert status == 403
            assert "x-lab-faults: true" in said["reason"]
            assert not client.connection.closed


async def test_where_nobody_is_nothing_is_found() -> None:
    async with lab() as served:
        served.rig.queue("q", lab_faults=True)
        sure = {"do": "crash", "target": "worker", "confirm": True}
        for place in (
            {"q": "q"},
            {"q": "none"},
            {"q": "q", "v": "none"},
            {"v": "log/a b", "q": "q"},
        ):
            assert (await strike(served, "admin", **sure, **place))[0] == 404, place
        assert (await strike(served, "stranger", **sure, q="q"))[0] == 404


async def test_what_is_said_wrongly_is_named() -> None:
    async with lab() as served:
        served.rig.queue("q", lab_faults=True)
        consumer(served)
        for said, word in (
            ({"do": "crash", "target": "worker"}, "name a run, or a queue"),
            ({"q": "q", "target": "worker"}, "'do'"),
            ({"q": "q", "do": "crash"}, "'target'"),
            ({"q": "q", "do": 1, "target": "worker"}, "do: "),
            ({"q": "q", "do": "silence", "target": "worker", "confirm": True}, "do: 'silence'"),
            ({"q": "q", "do": "crash", "target": "worker", "confirm": "yes"}, "confirm: "),
            ({"q": "q", "do": "x" * 300, "target": "worker"}, "do: "),
        ):
            status, answer = await strike(served, "admin", **said)
            assert (status, word in answer["reason"]) == (400, True), (said, answer)


async def test_a_lost_ack_brings_the_message_again() -> None:
    async with lab() as served:
        queue = served.rig.queue("q", lab_faults=True)
        client = consumer(served)
        send(client, "m1")
        sure = {"q": "q", "target": "worker", "confirm": True}
        assert (await strike(served, "admin", do="lose_ack", **sure))[0] == 200
        client.say(BasicAck(1, False))
        assert (queue.ready, client.connection.closed) == (1, True)
