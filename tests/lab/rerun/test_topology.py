from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.measuring import measure
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.topology import Subscription, Topology, arguments_of, arrange
from tests.lab.rerun.recorded import inputs_of, keyed, measured
from tests.lab.story import Story

Q = ("/", "q")


def route(inputs: Inputs, topology: Topology) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for sent in inputs.sent:
        for _, queue in topology.route(sent):
            found.setdefault(queue, []).append(sent.m)
    return found


def test_as_recorded_all_stays_where_it_was() -> None:
    inputs = inputs_of("fig-11-2")
    topology = arrange(inputs, RECORDED)
    assert topology.queues == {Q: {}}
    assert topology.parts == {}
    assert route(inputs, topology) == {"q": ["m1", "m2", "m3", "m4", "m5"]}
    (taker,) = inputs.lines[0].takers
    assert topology.subscriptions(taker) == (Subscription(Q),)
    assert topology.first(Q) == Q


def test_arguments_follow_the_policy() -> None:
    was = {"x-expires": 9, "x-consumer-timeout": 1200, "x-single-active-consumer": True}
    assert arguments_of(was, RECORDED) == {
        "x-consumer-timeout": 1200,
        "x-single-active-consumer": True,
    }
    assert arguments_of(was, Policy(single_active=False, no_faults=True)) == {
        "x-single-active-consumer": False
    }
    assert arguments_of({}, Policy(ack_timeout=0)) == {"x-consumer-timeout": 0}
    assert arguments_of({}, Policy(no_faults=True, ack_timeout=5)) == {"x-consumer-timeout": 5}
    assert arguments_of({"x-max-length": 9}, Policy(max_length=2)) == {
        "x-max-length": 2,
        "x-overflow": "drop-head",
    }


def test_messages_are_dealt_out_among_the_consumers_that_have_come() -> None:
    inputs = inputs_of("fig-11-2")
    topology = arrange(inputs, Policy(queue_per_consumer=True))
    assert list(topology.queues) == [("/", "q.c2"), ("/", "q.c1")]
    assert route(inputs, topology) == {"q.c2": ["m1", "m3", "m5"], "q.c1": ["m2", "m4"]}
    (taker,) = inputs.lines[1].takers
    assert topology.subscriptions(taker) == (Subscription(("/", "q.c1")),)
    assert topology.first(Q) == ("/", "q.c2")


def test_who_comes_later_gets_what_comes_later() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.publish(1, "m2")
    story.consumer(2, "c2")
    for number in range(3, 7):
        story.publish(number, f"m{number}")
    inputs = measured(story)
    topology = arrange(inputs, Policy(queue_per_consumer=True))
    assert route(inputs, topology) == {"q.c1": ["m1", "m2", "m3", "m5"], "q.c2": ["m4", "m6"]}


def test_before_anybody_has_come_messages_are_for_all() -> None:
    inputs = inputs_of("sac-cancel")  # where both come after the last publish
    topology = arrange(inputs, Policy(queue_per_consumer=True))
    assert route(inputs, topology) == {"q.c2": ["m1", "m3", "m5"], "q.c1": ["m2", "m4"]}


def test_who_comes_back_has_the_same_queue() -> None:
    inputs = inputs_of("lost-ack")
    topology = arrange(inputs, Policy(queue_per_consumer=True))
    assert list(topology.queues) == [("/", "q.c1")]
    takers = [taker for line in inputs.lines for taker in line.takers]
    assert {topology.subscriptions(taker) for taker in takers} == {(Subscription(("/", "q.c1")),)}


def test_a_queue_without_consumers_stays_one_queue() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1", "q", "audit")
    inputs = measured(story, "audit")
    topology = arrange(inputs, Policy(partitions=2))
    assert list(topology.queues) == [("/", "q.1"), ("/", "q.2"), ("/", "audit")]
    assert route(inputs, topology) == {"q.1": ["m1"], "audit": ["m1"]}


def test_no_queue_gets_the_name_of_another() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1", "q", "q.1")
    topology = arrange(measured(story, "q.1"), Policy(partitions=1))
    assert list(topology.queues) == [("/", "q.1+"), ("/", "q.1")]


def test_a_keys_messages_go_to_one_partition() -> None:
    inputs = measure(keyed("BAABC"))
    topology = arrange(inputs, Policy(partitions=2))
    assert route(inputs, topology) == {"q.1": ["m1", "m4", "m5"], "q.2": ["m2", "m3"]}


def test_partitions_are_shared_and_everybody_stands_by_for_all() -> None:
    inputs = measure(keyed("ABC"))
    topology = arrange(inputs, Policy(partitions=3))
    c2, c1 = (taker for line in inputs.lines for taker in line.takers)
    one, two, three = (("/", f"q.{number}") for number in (1, 2, 3))
    assert topology.subscriptions(c2) == (
        Subscription(one),
        Subscription(three),
        Subscription(two, standby=True),
    )
    assert topology.subscriptions(c1) == (
        Subscription(two),
        Subscription(one, standby=True),
        Subscription(three, standby=True),
    )
    assert topology.standby_from == 0
