"""Axis, lanes and their lines."""

import re
from xml.etree.ElementTree import Element

from amqplite.lab.export import palette
from amqplite.lab.export.ground import draw_ground
from tests.lab.export.pictures import WORDS, chart_of, drawn, written
from tests.lab.story import TICK, Story, figure_11_2


def ground(story: Story | None = None) -> Element:
    return drawn(draw_ground, chart_of(story), WORDS)


def lines(root: Element, dashed: bool) -> list[tuple[float, float]]:
    found = []
    for path in root.iter("path"):
        numbers = re.fullmatch(r"M(\S+) \S+H(\S+)", path.get("d", ""))
        if numbers and (path.get("stroke-dasharray") is not None) is dashed:
            found.append((float(numbers[1]), float(numbers[2])))
    return found


def test_lanes_are_named_with_what_they_are() -> None:
    texts = written(ground())
    assert texts[:10] == ["0", "1", "2", "3", "4", "5", "6", "7", "8", "ticks"]
    assert texts[10:] == [
        *("p1", "producer", "q", "queue"),
        *("c1", "consumer", "c2", "consumer"),
    ]


def test_a_queue_has_a_band() -> None:
    (band,) = ground().iter("rect")
    assert band.get("fill") == palette.WASH


def test_the_line_of_a_consumer_is_dotted_from_its_death_on() -> None:
    chart = chart_of()
    (dotted,) = lines(ground(), dashed=True)
    assert dotted == (round(chart.x(3.4 * TICK), 1), round(chart.right, 1))


def test_and_whole_again_when_it_is_back() -> None:
    story = figure_11_2()
    story.consumer(6, "c2")
    chart = chart_of(story)
    (dotted,) = lines(ground(story), dashed=True)
    assert dotted[1] == round(chart.x(6 * TICK), 1)
    assert (dotted[1], round(chart.right, 1)) in lines(ground(story), dashed=False)


def test_who_comes_late_has_no_line_before() -> None:
    story = figure_11_2()
    story.consumer(5, "c3")
    start = round(chart_of(story).x(5 * TICK), 1)
    assert start in [x for x, _ in lines(ground(story), dashed=False)]


def test_a_silence_nobody_noticed_is_a_band() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.add(2, "crashed", q="", c="c1")
    story.lose(8, "c1", "heartbeat_timeout")
    chart = chart_of(story)
    (band,) = [r for r in ground(story).iter("rect") if r.get("fill") == "url(#amq-quiet)"]
    assert float(band.get("x", 0)) == round(chart.x(2 * TICK), 1)


def test_idle_time_is_a_zigzag_with_how_long_it_was() -> None:
    story = figure_11_2()
    story.publish(500, "m6")
    root = drawn(draw_ground, chart_of(story, "collapse"), WORDS)
    assert "+491.6" in written(root)


def test_long_names_are_cut() -> None:
    story = Story("q" * 80)
    story.publish(0, "m1")
    (name,) = [text for text in written(ground(story)) if text.startswith("qq")]
    assert name.endswith("…")
    assert len(name) < 40
