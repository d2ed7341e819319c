"""Arrows go from where a message was to where it comes."""

import re

from amqplite.lab.export import palette
from amqplite.lab.export.arrows import draw_arrows, through
from amqplite.lab.export.chart import SLANT, Chart
from tests.lab.export.pictures import chart_of, drawn
from tests.lab.story import TICK, Story

Shaft = tuple[float, float, float, float]


def shafts(chart: Chart, stroke: str) -> list[Shaft]:
    found = []
    for path in drawn(draw_arrows, chart).iter("path"):
        if path.get("stroke") == stroke:
            x1, y1, x2, y2 = map(float, re.findall(r"-?[\d.]+", path.get("d", "")))
            found.append((x1, y1, x2, y2))
    return found


def test_what_is_published_and_handed_out_at_once_goes_straight_through() -> None:
    chart = chart_of()
    queue, c2 = chart.strips["q:q"], chart.strips["c:c2"]
    down = [s for s in shafts(chart, palette.INK) if abs(s[0] - chart.x(0)) < SLANT]
    publish, deliver = sorted(down, key=lambda shaft: shaft[1])
    assert publish[1] == chart.strips["p:p1"].bottom
    assert publish[3] < queue.first < deliver[1]
    assert publish[2] <= deliver[0] <= deliver[2] <= chart.x(0) + SLANT
    assert c2.top - 10 <= deliver[3] < c2.top


def test_what_waited_leaves_from_the_end_of_its_bar() -> None:
    chart = chart_of()
    queue = chart.strips["q:q"]
    (deliver,) = [s for s in shafts(chart, palette.INK) if abs(s[0] - chart.x(6.6 * TICK)) < 1]
    assert deliver[1] == queue.row(1) + queue.size / 2


def test_what_goes_back_goes_up_to_where_it_waits_again() -> None:
    chart = chart_of()
    queue, c2 = chart.strips["q:q"], chart.strips["c:c2"]
    red = shafts(chart, palette.VERMILION)
    (back,) = [s for s in red if s[1] > s[3]]
    (again,) = [s for s in red if s[1] < s[3]]
    assert abs(back[0] - chart.x(3.4 * TICK)) < 0.1
    assert back[1] == c2.top
    assert queue.row(0) + queue.size / 2 < back[3] < queue.row(0) + queue.size / 2 + 14
    assert abs(again[0] - chart.x(4.8 * TICK)) < 0.1
    assert again[1] == queue.row(0) + queue.size / 2


def test_all_lean_by_the_same_slant() -> None:
    chart = chart_of()
    heads = [
        p.get("d", "") for p in drawn(draw_arrows, chart).iter("path") if p.get("fill") != "none"
    ]
    tips = [float(d[1:].split()[0]) for d in heads]
    instants = [chart.x(arrow.t) for arrow in chart.layout.arrows]
    assert len(tips) == len(instants)
    assert all(any(0 < tip - x <= SLANT + 0.1 for x in instants) for tip in tips)


def test_arrows_that_would_lie_on_each_other_are_one() -> None:
    story = Story()
    for k in range(30):
        story.publish(0, f"m{k}")
    assert len(shafts(chart_of(story), palette.INK)) == 1


def test_crowded_arrows_are_thin() -> None:
    story = Story()
    for k in range(30):
        story.publish(k / 100, f"m{k}")
    story.publish(10, "last")
    chart = chart_of(story)
    assert len(shafts(chart, palette.INK)) == 1
    assert len(shafts(chart, palette.GREY)) > 10


def test_what_came_back_this_instant_is_beside_that_arrow() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.requeue(2, "m1", "c1", "nack_requeue")
    story.deliver(2, "m1", "c1")
    up, down = sorted(shafts(chart_of(story), palette.VERMILION))
    assert down[0] - up[2] >= 5


def test_a_queue_is_passed_above_what_waits_in_it() -> None:
    story = Story()
    story.publish(0, "m1")
    story.publish(1, "m2")
    story.deliver(1, "m2", "c1")
    chart = chart_of(story)
    queue = chart.strips["q:q"]
    assert through(chart, queue, TICK) == queue.top - 6
    assert through(chart_of(), chart_of().strips["q:q"], 0) == chart_of().strips["q:q"].first
