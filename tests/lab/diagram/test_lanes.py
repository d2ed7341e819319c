"""Who has a lane, in what order, and how what overlaps is stacked."""

import pytest

from amqplite.lab.diagram.boxes import Bar
from amqplite.lab.diagram.lanes import More, lanes_of, natural, pack
from tests.lab.story import Story, figure_11_2


def ids(story: Story, *queues: tuple[str, str]) -> list[str]:
    return [lane.id for lane in lanes_of(story.events, queues)]


def test_lanes_go_from_those_who_send_to_those_who_receive() -> None:
    assert ids(figure_11_2()) == ["p:p1", "q:q", "c:c1", "c:c2"]


def test_consumers_that_come_later_stand_below_in_their_order() -> None:
    story = Story()
    for name in ("c10", "c9"):
        story.consumer(0, name)
    story.publish(1, "m1")
    for name in ("b", "a"):
        story.consumer(2, name)
    assert ids(story) == ["p:p1", "q:q", "c:c9", "c:c10", "c:b", "c:a"]


def test_queues_that_are_named_have_a_lane_before_they_have_a_message() -> None:
    story = Story()
    story.publish(0, "m1", "b")
    assert ids(story, ("/", "a"), ("other", "b")) == ["p:p1", "q:a", "q:other/b", "q:b"]


def test_a_registration_alone_gives_its_queue_no_lane() -> None:
    story = Story("later")
    story.consumer(0, "c1")
    assert ids(story) == ["c:c1"]


@pytest.mark.parametrize(("count", "expected"), [(4, 4), (5, 1)])
def test_more_than_four_producers_share_a_lane(count: int, expected: int) -> None:
    story = Story()
    for k in range(count):
        story.publish(k, f"m{k}", p=f"p{k}")
    lanes = [lane for lane in lanes_of(story.events) if lane.kind == "producer"]
    assert len(lanes) == expected
    assert sum(lane.count for lane in lanes) == count
    assert {lane.id for lane in lanes} == (
        {"p:*"} if expected == 1 else {f"p:p{k}" for k in range(4)}
    )


def test_an_exchange_that_takes_dead_letters_has_a_lane() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(1, "dead_lettered", "m1", cause="ttl", exchange="retry", v="other")
    found = lanes_of(story.events)[-1]
    assert (found.id, found.kind, found.name) == ("x:other/retry", "exchange", "other/retry")


def test_names_sort_as_people_sort_them() -> None:
    names = ["c10", "c2", "c", "C2", "2", "c2b", "¹"]
    assert sorted(names, key=natural) == ["2", "C2", "c", "c2", "c2b", "c10", "¹"]


def bars(*spans: tuple[int, int | None]) -> list[Bar]:
    numbered = enumerate(spans, 1)
    return [
        Bar(kind="held", lane="c:c", queue="q:q", m=f"m{k}", start=a, stop=b, n0=k, n1=100 + k)
        for k, (a, b) in numbered
    ]


def packed(*spans: tuple[int, int | None], end: int = 100) -> tuple[list[int], int, list[More]]:
    (lane,) = lanes_of(figure_11_2().events[:1])
    boxes = bars(*spans)
    pack(boxes, lane, end)
    return [box.row for box in boxes], lane.rows, lane.more


def test_a_box_gets_the_lowest_row_that_is_free() -> None:
    assert packed((0, 4), (1, 2), (2, 3), (3, 9)) == ([0, 1, 1, 1], 2, [])


def test_a_row_is_free_in_the_instant_in_which_its_box_ends() -> None:
    assert packed((0, 4), (4, 8), (8, None)) == ([0, 0, 0], 1, [])


def test_what_takes_no_time_needs_no_row() -> None:
    assert packed((0, 4), (2, 2), (3, 5)) == ([0, 0, 1], 2, [])


def test_beyond_six_rows_they_are_counted() -> None:
    rows, needed, more = packed(*[(k, None) for k in range(8)], end=20)
    assert rows == [0, 1, 2, 3, 4, 5, -1, -1]
    assert (needed, more) == (6, [More(start=6, end=20, count=2)])


def test_a_row_that_becomes_free_goes_to_the_one_that_waits_longest() -> None:
    (lane,) = lanes_of(figure_11_2().events[:1])
    boxes = bars((0, 10), *[(k, None) for k in range(1, 8)])
    pack(boxes, lane, 20)
    assert [(box.row, box.shown) for box in boxes[6:]] == [(0, 10), (-1, 7)]
    assert lane.more == [More(start=6, end=20, count=2)]


def test_who_comes_after_consumers_stands_at_the_bottom() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(1, "released", "m1", by="sorter")
    story.consumer(2, "c1")
    assert ids(story) == ["p:p1", "q:q", "c:c1", "r:sorter"]
