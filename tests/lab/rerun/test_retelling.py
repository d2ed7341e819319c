from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, keyed, recorded, trace_of
from tests.lab.story import Story


def test_all_has_its_recorded_name_and_number() -> None:
    story = Story("a queue / with any name\u2028")
    story.add(0, "consumer_registered", c="c1", conn="10.0.0.1:5 -> b", ch=7, prefetch=1, text="τ")
    story.add(0, "published", q="", m="", id=40, p="shop/3", conn="shop", ch=3, size=70_000)
    story.add(0, "enqueued", m="order-1", id=40, s=9, p="shop/3", conn="shop", ch=3, depth=1)
    events = again(trace_of(story)).trace.events
    registered, published, enqueued, delivered = events[:4]
    assert (registered.c, registered.conn, registered.ch, registered.text) == (
        *("c1", "10.0.0.1:5 -> b"),
        *(7, "τ"),
    )
    assert (published.id, published.p, published.conn, published.ch) == (40, "shop/3", "shop", 3)
    assert published.size == 70_000
    assert (enqueued.q, enqueued.s) == (story.queue, 1)
    assert (delivered.id, delivered.c) == (40, "c1")
    assert [event.n for event in events] == list(range(1, len(events) + 1))


def test_keys_and_exchanges_are_as_they_were() -> None:
    events = again(keyed("AB"), Policy(partitions=2)).trace.events
    assert [(e.exchange, e.key) for e in events if e.type == "published"] == [
        *(("keys", "A"), ("keys", "B")),
    ]
    assert [(e.q, e.key) for e in events if e.type == "enqueued"] == [("q.1", "A"), ("q.2", "B")]


def test_a_late_ack_says_what_it_was_about() -> None:
    trace = recorded("ack-timeout")
    (late,) = [event for event in trace.events if event.type == "late_ack_ignored"]
    assert late in again(trace).trace.events


def test_queues_of_other_vhosts_keep_theirs() -> None:
    story = Story()
    story.add(0, "published", q="", m="m1", id=1, p="p1", conn="p1", ch=1)
    story.add(0, "enqueued", m="m1", id=1, s=1, v="other", p="p1", conn="p1", ch=1)
    events = again(trace_of(story)).trace.events
    assert [(event.type, event.v, event.q) for event in events] == [
        *(("published", "/", ""), ("enqueued", "other", "q")),
    ]
