"""What if, over HTTP: another policy, how far the model is right, and what can't be run again."""

from typing import Any

import pytest
from trio.testing import wait_all_tasks_blocked

from amqplite.protocol.methods import BasicAck, BasicConsume
from tests.control.lab.labs import Lab, lab, send, traced


async def ask(served: Lab, run: Any, user: str = "teacher", lang: str = "", **said: Any) -> Any:
    path = f"/runs/{run['id']}/whatif?lang={lang}"
    answer = await served.as_(user).post(path, json=said)
    return answer.status_code, answer.json()


async def test_another_policy_is_tried_on_what_was_recorded() -> None:
    async with lab() as served:
        run = await served.play()
        status, told = await ask(served, run, policy={"single_active": True})
        assert status == 200
        assert (told["check"]["messages"], told["check"]["differ"]) == (5, 0)
        recorded, tried = told["rows"]
        assert (recorded["inversions"], tried["inversions"]) == (1, 0)
        assert tried["policy"] == told["policy"] == {"single_active": True}
        assert tried["took"] > recorded["took"]
        assert told["sentence"].keys() == {"en", "zh"}
        assert told["assumptions"]
        kept = (await served.as_("student").get(f"/runs/{told['run']['id']}")).json()
    assert (kept["header"]["mode"], kept["state"], kept["owner"]) == (
        "simulated",
        "done",
        "teacher",
    )
    assert kept["name"].startswith(f"{run['name']}: ")
    assert kept["counts"]["acked"] == 5


async def test_a_policy_may_begin_later() -> None:
    async with lab() as served:
        run = await served.play()
        _, told = await ask(served, run, policy={"single_active": True}, at=1_200_000)
        assert told["since"] == 1_200_000
        teacher = served.as_("teacher")
        events = [
            (await teacher.get(f"/runs/{id_}/events")).json()["events"]
            for id_ in (run["id"], told["run"]["id"])
        ]
    before = [
        [(event["t"], event["type"], event.get("m")) for event in one if event["t"] < 1_000_000]
        for one in events
    ]
    published = [[event for event in one if event[1] == "published"] for one in before]
    assert published[0] == published[1]


async def test_policies_are_tried_side_by_side_and_no_run_is_kept() -> None:
    async with lab() as served:
        run = await served.play()
        policies = [{"prefetch": 5}, {"single_active": True}, {"no_faults": True}]
        status, told = await ask(served, run, policies=policies)
        assert status == 200
        assert [row["policy"] for row in told["rows"]] == [{}, *policies]
        assert told["check"]["differ"] == 0
        assert len((await served.as_("teacher").get("/runs")).json()) == 1


async def test_what_real_clients_did_is_run_again() -> None:
    async with lab() as served:
        served.rig.queue("q")
        student = served.as_("student")
        await student.put(traced("/", "q"))
        client = served.client()
        client.do(BasicConsume(0, "q", "worker", False, False, False, False, b""))
        send(client, "m1", "m2", "m3")
        client.do(BasicAck(2, False), BasicAck(1, False), BasicAck(3, False))
        await wait_all_tasks_blocked(0.1)
        run = (await student.post(traced("/", "q", "/runs"))).json()
        status, told = await ask(served, run, "student", policy={"prefetch": 1})
        assert (status, told["check"]["messages"]) == (200, 3)
        refused = await served.as_("stranger").get(f"/runs/{told['run']['id']}")
        assert refused.status_code == 403
        assert (await ask(served, run, "stranger", policy={}))[0] == 403


BAD = [
    ({"policy": {"prefetch": "x"}}, 400, "prefetch"),
    ({"policy": {"prefetch": -1}}, 400, "prefetch"),
    ({"policy": {"luck": True}}, 400, "luck"),
    ({"policy": {"partitions": 2, "queue_per_consumer": True}}, 400, ""),
    ({"policy": {"prefetch": [1]}}, 400, "policy"),
    ({"policy": 7}, 400, "policy"),
    ({"policies": [{}] * 9}, 400, "policies"),
    ({"policies": [{}], "at": 5}, 400, "policies"),
    ({"at": -1}, 400, "at"),
    ({"polcy": {}}, 400, "polcy"),
]


@pytest.mark.parametrize(("said", "status", "word"), BAD)
async def test_what_is_no_policy_is_named(said: dict[str, Any], status: int, word: str) -> None:
    async with lab() as served:
        run = await served.play()
        told = await ask(served, run, **said)
        in_chinese = await ask(served, run, lang="zh", **said)
    assert (told[0], in_chinese[0]) == (status, status)
    assert word in told[1]["reason"]
    assert "Traceback" not in told[1]["reason"]


async def test_a_trace_that_cannot_be_run_again_says_why() -> None:
    header = '{"schema":"amqplite.trace/1","name":"x"}'
    gap = '{"n":9,"t":1,"type":"gap","lost_from":1,"lost_to":9}'
    async with lab() as served:
        for lines in ([header], [header, gap]):
            answer = await served.as_("teacher").post("/import", content="\n".join(lines).encode())
            status, told = await ask(served, answer.json(), policy={"prefetch": 1})
            assert status == 422
            assert told["reason"]
