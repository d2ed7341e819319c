"""The scenarios over HTTP."""

from amqplite.lab.scenario import ORDER
from tests.control.lab.labs import lab


async def test_all_scenarios_are_told_in_both_languages() -> None:
    async with lab() as served:
        answer = await served.as_("student").get("/scenarios")
    scenarios = answer.json()
    assert [one["id"] for one in scenarios] == list(ORDER)
    assert answer.headers["cache-control"] == "no-store"
    for one in scenarios:
        for words in (one["title"], one["teaches"], one["story"], one["question"]):
            assert words["en"]
            assert words["zh"]
        right = one["question"]["right"]
        assert right in [choice["id"] for choice in one["question"]["answers"]]
        for param in one["params"]:
            assert param.keys() >= {"name", "en", "zh", "kind", "default", "min", "max"}
        for variant in one["variants"]:
            assert set(variant["set"]) <= {param["name"] for param in one["params"]}
