"""Notes as they are drawn."""

from amqplite.lab.export import palette
from amqplite.lab.export.lane_notes import draw_notes
from tests.lab.export.pictures import chart_of, drawn, written
from tests.lab.story import Story


def test_the_notes_of_the_figure() -> None:
    chart = chart_of()
    root = drawn(draw_notes, chart)
    assert written(root) == ["late 1.8", "connection lost → m3 requeued", "c2 is down"]
    heights = {t.text: float(t.get("y", 0)) for t in root.iter("text")}
    c1, c2 = chart.strips["c:c1"], chart.strips["c:c2"]
    assert c1.bottom < heights["late 1.8"] < c1.y + c1.height
    assert c2.y < heights["connection lost → m3 requeued"] < c2.top
    assert c2.top < heights["c2 is down"] < c2.bottom


def test_a_tag_is_around_its_words() -> None:
    root = drawn(draw_notes, chart_of())
    (tag,) = [r for r in root.iter("rect") if r.get("stroke") == palette.VERMILION]
    (words,) = [t for t in root.iter("text") if (t.text or "").startswith("connection")]
    x, width = float(tag.get("x", 0)), float(tag.get("width", 0))
    assert x < float(words.get("x", 0)) < x + width


def test_what_has_no_row_is_counted() -> None:
    story = Story()
    for k in range(9):
        story.publish(k / 10, f"m{k}")
    assert "+3" in written(drawn(draw_notes, chart_of(story)))


def test_every_icon_can_be_drawn() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.add(1, "consumer_active", c="c1")
    story.tell(2, "ack_lost", "m1", "c1")
    story.add(3, "fault", c="c1", text="crash c1")
    story.requeue(4, "m1", "c1", "nack_requeue")
    story.add(5, "bad_ack", c="c1")
    assert written(drawn(draw_notes, chart_of(story))) == [
        *("c1 is active now", "ack lost", "crash c1"),
        *("nack + requeue → m1 requeued", "ack refused"),
    ]
