"""Discs for what is published, and pills for what would lie on each other."""

from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest

from amqplite.lab.export.chart import DISC, Chart
from amqplite.lab.export.published import draw_published, draw_through
from tests.lab.export.pictures import WORDS, chart_of, drawn, named, written
from tests.lab.story import TICK, Story


def published(chart: Chart) -> Element:
    return drawn(draw_published, chart, WORDS)


def test_a_disc_for_each_message() -> None:
    chart = chart_of()
    root = published(chart)
    assert written(root) == ["m1", "m2", "m3", "m4", "m5"]
    assert named(root)[2] == "p1 publishes m3 at t=2.0"
    middles = [float(r.get("x", 0)) + float(r.get("width", 0)) / 2 for r in root.iter("rect")]
    assert middles == pytest.approx([chart.x(k * TICK) for k in range(5)], abs=0.1)


def test_those_of_one_instant_share_a_pill() -> None:
    story = Story()
    for k in range(1, 21):
        story.publish(0, f"m{k}")
    story.publish(9, "m21")
    root = published(chart_of(story))
    assert written(root) == ["m1–m20", "m21"]
    assert named(root)[0] == "p1 publishes 20 messages, m1–m20, at t=0.0"


def test_pills_never_overlap() -> None:
    story = Story()
    for k in range(40):
        story.publish(k * k / 40, f"message-{k}")
    boxes = [
        (float(rect.get("x", 0)), float(rect.get("width", 0)))
        for rect in published(chart_of(story)).iter("rect")
    ]
    assert all(x + w < after for (x, w), (after, _) in pairwise(boxes))
    assert min(w for _, w in boxes) >= 2 * DISC


def test_what_does_not_wait_goes_through_its_queue_as_a_dot() -> None:
    chart = chart_of()
    dots = [float(c.get("cx", 0)) for c in drawn(draw_through, chart).iter("circle")]
    assert dots == [round(chart.x(k * TICK) + 2.5, 1) for k in range(4)]
