"""Order lines against counting pairs."""

from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker.trace import Event
from amqplite.lab.diagram.crossings import OrderLines, order_lines
from tests.lab.story import Story, figure_11_2


def test_one_crossing_in_the_figure() -> None:
    (found,) = order_lines(figure_11_2().events)
    assert found.queue == "q:q"
    assert [line.m for line in found.lines] == ["m1", "m2", "m3", "m4", "m5"]
    assert [line.m for line in found.completed] == ["m1", "m2", "m4", "m3", "m5"]
    assert [(x.early.m, x.late.m) for x in found.crossings()] == [("m4", "m3")]
    assert found.inversions == 1
    assert [line.displaced for line in found.lines] == [0, 0, 1, -1, 0]
    assert [line.m for line in found.lines if line.overtook] == ["m4"]


def test_what_is_gone_has_no_end_and_crosses_nothing() -> None:
    story = Story()
    for k in (1, 2, 3):
        story.publish(k, f"m{k}")
    story.tell(4, "dropped", "m1", cause="maxlen")
    story.deliver(5, "m3", "c1")
    story.ack(6, "m3", "c1")
    (found,) = order_lines(story.events)
    assert [(line.m, line.completed, line.gone) for line in found.lines] == [
        ("m1", None, "dropped"),
        ("m2", None, ""),
        ("m3", 0, ""),
    ]
    assert list(found.crossings()) == []


def test_what_comes_back_from_a_dead_letter_exchange_keeps_its_place() -> None:
    story = Story()
    story.publish(0, "m1")
    story.publish(0, "m2")
    story.tell(1, "dead_lettered", "m1", cause="ttl")
    story.ack(2, "m2", "c1")
    story.enqueue(3, "m1", cause="dlx_return")
    story.ack(4, "m1", "c1")
    (found,) = order_lines(story.events)
    assert [(x.early.m, x.late.m) for x in found.crossings()] == [("m2", "m1")]
    assert [line.gone for line in found.lines] == ["", ""]


def test_each_queue_has_its_own_order() -> None:
    story = Story()
    story.publish(0, "m1", "a", "b")
    story.publish(0, "m2", "a", "b")
    story.ack(1, "m2", "c1", "b")
    story.ack(2, "m1", "c1", "b")
    story.ack(3, "m1", "c1", "a")
    a, b = order_lines(story.events)
    assert (a.queue, a.inversions, len(a.completed)) == ("q:a", 0, 1)
    assert (b.queue, b.inversions, len(b.completed)) == ("q:b", 1, 2)


def completion(order: list[int]) -> OrderLines:
    number = iter(range(1, 1_000))
    events = [
        Event(n=next(number), t=0, type="enqueued", q="q", m=f"m{s}", id=s, s=s)
        for s in sorted(order)
    ]
    events += [
        Event(n=next(number), t=t, type="acked", q="q", m=f"m{s}", id=s, s=s)
        for t, s in enumerate(order)
    ]
    (found,) = order_lines(events)
    return found


@given(st.lists(st.integers(1, 40), unique=True, min_size=1, max_size=25))
def test_it_counts_what_pairs_say(order: list[int]) -> None:
    found = completion(order)
    place = {f"m{s}": k for k, s in enumerate(order)}
    value = {f"m{s}": s for s in order}
    pairs = {
        (early, late)
        for early in value
        for late in value
        if value[early] > value[late] and place[early] < place[late]
    }
    assert {(x.early.m, x.late.m) for x in found.crossings()} == pairs
    assert found.inversions == len(pairs)
    for line in found.lines:
        assert line.over == sum(late == line.m for _, late in pairs)
        assert line.overtook == any(early == line.m for early, _ in pairs)
        assert line.displaced == place[line.m] - sorted(order).index(value[line.m])
