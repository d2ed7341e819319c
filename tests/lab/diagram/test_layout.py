"""The whole diagram, without units of length."""

from amqplite.lab.diagram.layout import Layout, lay_out, layout_json
from tests.lab.story import LATE, TICK, Story, figure_11_2


def figure() -> Layout:
    story = figure_11_2()
    (n,) = [event.n for event in story.events if event.type == "acked" and event.m == "m3"]
    return lay_out(story.events, {n: LATE})


def test_rows_of_the_figure() -> None:
    layout = figure()
    assert [(lane.id, lane.rows) for lane in layout.lanes] == [
        ("p:p1", 1),
        ("q:q", 2),
        ("c:c1", 1),
        ("c:c2", 1),
    ]
    assert [(bar.m, bar.row) for bar in layout.bars if bar.lane == "q:q"] == [("m3", 0), ("m5", 1)]


def test_m3_is_ringed_and_so_is_who_overtook_it() -> None:
    layout = figure()
    assert [(bar.m, bar.kind, bar.ring) for bar in layout.bars if bar.ring] == [
        ("m4", "held", "early"),
        ("m3", "redelivered", "late"),
    ]
    (late,) = layout.lates
    assert (late.bar.m, late.start / TICK, late.stop / TICK) == ("m3", 4.8, 6.6)


def test_what_is_seen_ends_with_the_last_event() -> None:
    layout = figure()
    assert (layout.start, layout.end / TICK, layout.messages, layout.left_out) == (0, 8.4, 5, 0)


def test_many_messages_are_cut_short_but_not_their_order() -> None:
    layout = lay_out(figure_11_2().events, {}, messages_max=3)
    assert (layout.messages, layout.left_out) == (5, 2)
    assert {bar.m for bar in layout.bars} == {"m1", "m2", "m3"}
    assert layout.end / TICK == 6.6
    assert layout.orders[0].inversions == 1


def test_merged_producers_share_what_they_do() -> None:
    story = Story()
    for k in range(5):
        story.publish(k, f"m{k}", p=f"p{k}")
    layout = lay_out(story.events, {})
    assert {arrow.source for arrow in layout.arrows} == {"p:*"}
    assert {mark.lane for mark in layout.marks} == {"p:*"}


def test_nothing_makes_an_empty_diagram() -> None:
    layout = lay_out([], {})
    assert (layout.lanes, layout.bars, layout.start, layout.end) == ([], [], 0, 0)


def test_as_json() -> None:
    told = layout_json(figure())
    assert [lane["id"] for lane in told["lanes"]] == ["p:p1", "q:q", "c:c1", "c:c2"]
    (failed,) = [box for box in told["boxes"] if box["kind"] == "failed"]
    assert failed == {
        **{"kind": "failed", "lane": "c:c2", "queue": "q:q", "m": "m3", "s": 3, "attempt": 1},
        **{"row": 0, "shown": 2 * TICK, "work": 2 * TICK, "from": 2 * TICK, "to": 1_360_000},
        **{"n0": 12, "n1": 18, "end": "requeued", "cause": "connection_lost", "sub": "eof"},
        "ring": "",
    }
    assert told["orders"] == [
        {
            "queue": "q:q",
            "published": ["m1", "m2", "m3", "m4", "m5"],
            "completed": ["m1", "m2", "m4", "m3", "m5"],
            "inversions": 1,
        }
    ]
    assert [span["to"] for span in told["spans"]] == [None]


def test_what_takes_next_to_no_time_takes_none() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0.01, "m1", "c1")
    story.tell(0.02, "started", "m1", "c1")
    story.add(2, "crashed", q="", c="c1")
    story.lose(2.005, "c1")
    story.requeue(2.005, "m1", "c1", "connection_lost", "eof")
    whole, seen = lay_out(story.events, {}), lay_out(story.events, {}, instant_us=TICK // 50)
    assert [bar.kind for bar in whole.bars] == ["waiting", "failed", "requeued"]
    assert [bar.kind for bar in seen.bars] == ["failed", "requeued"]
    assert [arrow.fresh for arrow in seen.arrows if arrow.kind == "deliver"] == [True]
    assert seen.bars[0].work == seen.bars[0].start
    assert [span.kind for span in whole.spans] == ["down", "quiet"]
    assert [span.kind for span in seen.spans] == ["down"]
