import pytest

from amqplite.lab.rerun.bench import Bench
from amqplite.lab.rerun.ground import NOWHERE, Ground
from amqplite.lab.rerun.refusal import CannotRerun

Q, R = ("/", "q"), ("other", "a name that no wire would take" * 20)


def ground_with(**arguments: object) -> Ground:
    ground = Ground(Bench(lambda _: None))
    ground.declare(Q, Q, {f"x-{name.replace('_', '-')}": one for name, one in arguments.items()})
    return ground


def test_queues_have_names_of_their_own() -> None:
    ground = ground_with()
    ground.declare(R, Q, {})
    ground.declare(R, R, {"x-max-length": 1})  # it is there already
    assert [ground.name_of(queue) for queue in (Q, R)] == ["q0", "q1"]
    assert (ground.shown("q1"), ground.origin("q1")) == (R, Q)
    assert ground.queue(R).settings.max_length is None


def test_what_the_broker_knows_of_arguments_is_carried() -> None:
    settings = ground_with(max_length=3, consumer_timeout=500, unheard_of=1).queue(Q).settings
    assert (settings.max_length, settings.consumer_timeout_ms) == (3, 500)


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_length", -1), ("max_length", 1 << 80), ("overflow", None), ("max_length", {"a": []})],
)
def test_a_queue_that_can_not_be_had_is_named(name: str, value: object) -> None:
    with pytest.raises(CannotRerun, match=r"^Queue q can't be had: "):
        ground_with(**{name: value})


def test_a_message_comes_to_each_of_its_queues() -> None:
    ground = ground_with()
    ground.declare(R, R, {})
    assert ground.route([]) == NOWHERE
    assert ground.route([Q]) == ("", "q0")
    assert ground.route([Q, R]) == ground.route([Q, R]) == ("x0", "")
    assert ground.route([R, Q]) == ("x1", "")


def test_dead_letters_come_to_where_their_exchange_leads() -> None:
    ground = ground_with(dead_letter_exchange="dlx")
    assert ground.queue(Q).settings.dead_letter_exchange == "x0"
    ground.declare(R, R, {})
    ground.lead(("/", "dlx"), [R])
    assert ground.route([Q, R]) == ("x1", "")


def test_a_queue_may_be_changed_as_no_client_could() -> None:
    ground = ground_with(delivery_limit=2)
    ground.change(Q, {"x-single-active-consumer": True, "x-consumer-timeout": 9})
    settings = ground.queue(Q).settings
    assert (settings.single_active_consumer, settings.consumer_timeout_ms) == (True, 9)
    assert settings.delivery_limit == 2
