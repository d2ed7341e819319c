import pytest

from amqplite.lab.explaining.teller import Teller
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.words import policy_words
from tests.lab.rerun.recorded import inputs_of

WORDS = [
    (RECORDED, "as recorded", "与记录相同"),
    (Policy(prefetch=10), "prefetch 1 → 10", "预取数 1 → 10"),
    (Policy(prefetch=0), "prefetch 1 → unlimited", "预取数 1 → 不限"),
    (Policy(single_active=True), "single active consumer", "单一活跃消费者"),
    (Policy(single_active=False), "no single active consumer", "取消单一活跃消费者"),
    (Policy(queue_per_consumer=True), "a queue per consumer", "每消费者一队列"),
    (Policy(partitions=2), "2 partitions by key", "按键分为 2 个分区"),
    (Policy(ack_timeout=800), "an ack timeout of 2.0 ticks", "确认超时 2.0 个节拍"),
    (Policy(ack_timeout=0), "no ack timeout", "不设确认超时"),
    (Policy(max_length=5), "a limit of 5 messages (drop-head)", "上限 5 条（drop-head）"),
    (
        Policy(max_length=1, overflow="reject-publish"),
        "a limit of 1 message (reject-publish)",
        "上限 1 条（reject-publish）",
    ),
    (
        Policy(single_active=True, no_faults=True),
        "single active consumer + no faults",
        "单一活跃消费者 + 没有故障",
    ),
]


@pytest.mark.parametrize(("policy", "english", "chinese"), WORDS)
def test_a_policy_has_its_words(policy: Policy, english: str, chinese: str) -> None:
    inputs = inputs_of("fig-11-2")
    assert policy_words(inputs, policy, Teller("en", 400_000)) == english
    assert policy_words(inputs, policy, Teller("zh", 400_000)).replace(" ", "") == chinese.replace(
        " ", ""
    )


def test_several_prefetches_are_all_named() -> None:
    inputs = inputs_of("fig-11-2")
    inputs.lines[0].takers[0].prefetch = 0
    words = policy_words(inputs, Policy(prefetch=1), Teller("en", 400_000))
    assert words == "prefetch unlimited/1 → 1"
