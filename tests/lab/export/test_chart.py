"""Where the lanes and instants of a picture are."""

from itertools import pairwise

import pytest

from amqplite.lab.diagram.lanes import Lane
from amqplite.lab.diagram.scales import Kind
from amqplite.lab.export.chart import CHART, GAP, Chart, lane_name, times_of
from tests.lab.export.pictures import WORDS, account_of, chart_of
from tests.lab.story import TICK, Story, figure_11_2


def test_time_runs_evenly_to_the_right() -> None:
    chart = chart_of()
    steps = [chart.x(k * TICK) for k in range(9)]
    widths = [after - before for before, after in pairwise(steps)]
    assert steps[0] == chart.left
    assert max(widths) == pytest.approx(min(widths))
    assert CHART[0] <= chart.right - chart.left <= CHART[1]


def test_the_axis_has_a_label_for_each_tick() -> None:
    chart = chart_of()
    assert chart.ticks() == [(chart.x(k * TICK), str(k)) for k in range(9)]


def test_lanes_are_below_each_other_with_room_for_arrows() -> None:
    chart = chart_of()
    assert list(chart.strips) == ["p:p1", "q:q", "c:c1", "c:c2"]
    for above, below in pairwise(chart.strips.values()):
        assert below.y == above.y + above.height + GAP
    last = chart.strips["c:c2"]
    assert chart.bottom == last.y + last.height


def test_rows_of_a_lane_are_inside_it() -> None:
    for strip in chart_of().strips.values():
        assert strip.y < strip.top < strip.middle < strip.bottom < strip.y + strip.height


def test_bars_are_on_their_lanes_and_as_long_as_it_took() -> None:
    chart = chart_of()
    (m3,) = [bar for bar in chart.layout.bars if bar.kind == "redelivered"]
    x, y, width, height = chart.bar(m3)
    assert (x, x + width) == (chart.x(4.8 * TICK), pytest.approx(chart.x(6.6 * TICK)))
    strip = chart.strips["c:c1"]
    assert y + height / 2 == strip.row(0)


def test_what_has_not_ended_reaches_to_the_right() -> None:
    story = Story()
    story.publish(0, "m1")
    story.publish(3, "m2")
    chart = chart_of(story)
    x, _, width, _ = chart.bar(chart.layout.bars[0])
    assert x + width == chart.right


def test_equal_steps_have_the_times_of_their_instants() -> None:
    chart = chart_of(kind="order")
    labels = [label for _, label in chart.ticks()]
    assert labels == ["0", "1", "1.8", "2", "2.8", "3", "3.4", "4", "4.8", "6.6", "8.4"]
    places = [x for x, _ in chart.ticks()]
    steps = [after - before for before, after in pairwise(places)]
    assert max(steps) == pytest.approx(min(steps))


def test_idle_time_is_cut_out() -> None:
    story = figure_11_2()
    story.publish(500, "m6")
    chart = chart_of(story, kind="collapse")
    assert [(b.start / TICK, b.end / TICK) for b in chart.scale.breaks] == [(8.4, 500)]
    assert chart.x(500 * TICK) - chart.x(8.4 * TICK) < 40


@pytest.mark.parametrize("kind", ["time", "order", "collapse"])
def test_an_empty_trace_is_no_trouble(kind: Kind) -> None:
    chart = Chart(account_of([]).layout, kind, WORDS, 0)
    assert chart.strips == {}
    assert chart.bottom > 0


def test_one_message_to_two_queues_goes_side_by_side() -> None:
    story = Story()
    story.publish(0, "m1", "a", "b", "c")
    chart = chart_of(story)
    assert [chart.aside(arrow) for arrow in chart.layout.arrows] == [0, 8, 16]


def test_instants_are_those_at_which_something_is_drawn() -> None:
    times = [t / TICK for t in times_of(chart_of().layout)]
    assert times == [0, 1, 1.8, 2, 2.8, 3, 3.4, 4, 4.8, 6.6, 8.4]


def test_lanes_without_a_name_are_called_by_what_they_are() -> None:
    assert lane_name(Lane(id="p:", kind="producer", name=""), WORDS) == "producer"
    assert lane_name(Lane(id="p:*", kind="producer", name="", count=7), WORDS) == "7 producers"
    assert lane_name(Lane(id="q:q", kind="queue", name="q"), WORDS) == "q"
