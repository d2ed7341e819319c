import pytest

from amqplite.lab.rerun.policy import RECORDED, Policy, read_policy
from amqplite.lab.rerun.refusal import CannotRerun


def test_nothing_is_otherwise_unless_it_is_said() -> None:
    assert read_policy({}) == RECORDED
    assert RECORDED.told() == {}


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        ({"prefetch": "1"}, Policy(prefetch=1)),
        ({"prefetch": 0}, Policy(prefetch=0)),
        ({"prefetch": "Unlimited"}, Policy(prefetch=0)),
        ({"single_active": True}, Policy(single_active=True)),
        ({"single_active": "off"}, Policy(single_active=False)),
        ({"queue_per_consumer": "1"}, Policy(queue_per_consumer=True)),
        ({"partitions": 4}, Policy(partitions=4)),
        ({"ack_timeout": "never"}, Policy(ack_timeout=0)),
        (
            {"max_length": 0, "overflow": "reject-publish"},
            Policy(max_length=0, overflow="reject-publish"),
        ),
        ({"no_faults": "yes", "prefetch": None}, Policy(no_faults=True)),
    ],
)
def test_settings_are_read_as_values_or_as_texts(
    settings: dict[str, object], policy: Policy
) -> None:
    assert read_policy(settings) == policy
    assert read_policy(policy.told()) == policy


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"speed": 2}, "There is no setting speed; there are prefetch, single_active,"),
        ({"prefetch": -1}, "prefetch: -1 is not a whole number."),
        ({"prefetch": "²"}, "prefetch: ² is not a whole number."),
        ({"prefetch": True}, "prefetch: True is not a whole number."),
        ({"prefetch": "9" * 30}, f"prefetch: {'9' * 30} is not from 0 to 65535."),
        ({"partitions": 65}, "partitions: 65 is not from 0 to 64."),
        ({"no_faults": "maybe"}, "no_faults: maybe is neither on nor off."),
        ({"overflow": "drop"}, "overflow: drop is none of drop-head, reject-publish."),
        (
            {"queue_per_consumer": "on", "partitions": 2},
            "A queue per consumer and partitions exclude each other.",
        ),
    ],
)
def test_what_can_not_be_is_refused(settings: dict[str, object], why: str) -> None:
    with pytest.raises(CannotRerun) as refused:
        read_policy(settings)
    assert str(refused.value).startswith(why)
