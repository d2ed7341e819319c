from amqplite.lab.rerun.policy import Policy
from tests.lab.rerun.recorded import again, order, recorded, told, trace_of
from tests.lab.story import TICK, Story


def test_messages_are_published_when_they_were_by_whom_they_were() -> None:
    trace = recorded("two-publishers")
    published = [event for event in trace.events if event.type == "published"]
    for policy in (Policy(), Policy(single_active=True)):
        events = again(trace, policy).trace.events
        assert [(e.t, e.m, e.p, e.tag) for e in events if e.type == "published"] == [
            (e.t, e.m, e.p, e.tag) for e in published
        ]


def test_what_came_in_one_piece_is_confirmed_in_one() -> None:
    trace = recorded("sac-cancel")
    confirmed = [event for event in again(trace).trace.events if event.type == "confirmed"]
    assert [(event.p, event.tag) for event in confirmed] == [("p1", 5)]


def test_nobody_has_told_of_what_was_there_before() -> None:
    story = Story()
    story.consumer(0, "c1")
    told_ = {"m": "m1", "id": 7, "s": 4, "c": "c1", "conn": "c1", "ch": 1, "tag": 1, "attempt": 1}
    story.add(0, "delivered", **told_)
    story.add(1, "acked", **told_)
    story.publish(2, "m2")
    events = again(trace_of(story)).trace.events
    assert told(events)[:3] == ["0 consumer_registered c1", "0 delivered m1 c1", "1 acked m1 c1"]
    assert [event.m for event in events if event.type == "published"] == ["m2"]
    assert [(e.m, e.id, e.p) for e in events if e.type == "enqueued"] == [
        ("m1", 7, ""),
        ("m2", 1, "p1"),
    ]


def test_what_no_queue_takes_is_told_so() -> None:
    story = Story()
    story.publish(0, "m1")
    for m, type_ in (("m2", "unroutable"), ("m3", "returned")):
        about = {"q": "", "m": m, "id": int(m[1]), "p": "p1", "conn": "p1", "ch": 1}
        story.add(1, "published", **about)
        story.add(1, type_, **about, cause="no_route")
    events = again(trace_of(story)).trace.events
    assert [(e.type, e.m, e.t // TICK) for e in events[2:]] == [
        *(("published", "m2", 1), ("unroutable", "m2", 1)),
        *(("published", "m3", 1), ("returned", "m3", 1)),
    ]


def test_tries_after_a_refusal_depend_on_it() -> None:
    trace = recorded("slow-backpressure")
    assert order(again(trace).trace, "refused") == order(trace, "refused")
    free = again(trace, Policy(max_length=100)).trace
    assert order(free, "enqueued") == " ".join(f"m{number}" for number in range(1, 21))
