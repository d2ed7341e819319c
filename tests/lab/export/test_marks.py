"""What happened at an instant has a sign and a sentence."""

from xml.etree.ElementTree import Element

import pytest

from amqplite.lab.export.marks import draw_marks, goes_without_saying
from tests.lab.export.pictures import WORDS, chart_of, drawn, named, written
from tests.lab.story import TICK, Story


def marks(story: Story | None = None) -> Element:
    return drawn(draw_marks, chart_of(story), WORDS)


def begun() -> Story:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    return story


def test_the_crash_of_the_figure() -> None:
    root = marks()
    assert named(root) == ["t=3.4: c2 crashes."]
    chart = chart_of()
    first = next(root.iter("path")).get("d", "")
    assert first.startswith(f"M{round(chart.x(3.4 * TICK) - 9, 1)} ")


def test_a_crash_is_where_its_consumer_worked() -> None:
    story = begun()
    for m in ("m2", "m3"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    story.ack(2, "m1", "c1")
    story.lose(3, "c1")
    for m in ("m2", "m3"):
        story.requeue(3, m, "c1", "connection_lost", "eof")
    y = chart_of(story).strips["c:c1"].row(1) - 9
    assert next(marks(story).iter("path")).get("d", "").split("l")[0].endswith(f" {y:g}")


@pytest.mark.parametrize(
    ("type_", "sentence"),
    [
        ("expired", "t=3.0: m1 expires in q."),
        ("dropped", "t=3.0: q drops m1: queue full."),
        ("purged", "t=3.0: m1 is purged from q."),
    ],
)
def test_what_leaves_its_queue(type_: str, sentence: str) -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(3, type_, "m1", cause="maxlen")
    root = marks(story)
    assert named(root) == [sentence]
    assert list(root.iter("path"))


def test_what_no_queue_takes_bounces() -> None:
    story = Story()
    story.add(0, "published", q="", m="m1", id=1, p="p1")
    story.add(0, "refused", m="m1", id=1, p="p1", cause="maxlen")
    assert len(list(marks(story).iter("path"))) == 2


def test_an_effect_is_only_told_of_where_no_ack_follows() -> None:
    story = begun()
    story.tell(2, "applied", "m1", "c1")
    story.ack(2, "m1", "c1")
    assert named(marks(story)) == []
    mark = next(m for m in chart_of(story).layout.marks if m.kind == "applied")
    assert goes_without_saying(mark, TICK)
    lost = begun()
    lost.tell(2, "applied", "m1", "c1")
    lost.lose(2.5, "c1")
    lost.requeue(2.5, "m1", "c1", "connection_lost", "eof")
    assert named(marks(lost)) == ["t=2.0: c1 has done what m1 asks for.", "t=2.5: c1 crashes."]


def test_an_effect_without_its_bar_has_a_name() -> None:
    story = begun()
    story.requeue(1, "m1", "c1", "ack_timeout")
    story.tell(3, "applied", "m1", "c1")
    assert written(marks(story)) == ["m1"]


def test_missing_events_are_a_torn_band() -> None:
    story = begun()
    story.add(2, "gap", q="", lost_from=5, lost_to=9)
    root = marks(story)
    assert named(root) == ["5 events not shown"]
    assert list(root.iter("polygon"))


def test_what_is_let_go_at_one_instant_is_one_sign() -> None:
    story = Story()
    for m in ("m1", "m2", "m3"):
        story.publish(0, m)
        story.tell(1 if m == "m1" else 3, "released", m, by="sorter")
    root = marks(story)
    assert written(root) == ["m1", "m2, m3"]
    assert named(root)[1] == "t=3.0: m2, m3 is let go, in its turn."
