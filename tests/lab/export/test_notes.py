"""Notes go where no other is, and over as few arrows as may be."""

from itertools import combinations

from amqplite.lab.export.notes import LATES_MAX, Note
from tests.lab.export.pictures import chart_of
from tests.lab.story import TICK, Story, figure_11_2


def notes(story: Story, lane: str) -> list[Note]:
    return chart_of(story).strips[lane].notes


def test_the_cause_stands_beside_the_arrow_and_nothing_crosses_it() -> None:
    chart = chart_of()
    back, down = chart.strips["c:c2"].notes
    assert (back.kind, back.icon, back.row) == ("back", "cross", -1)
    assert back.text == "connection lost → m3 requeued"
    assert back.x > chart.x(3.4 * TICK) + 5
    deliveries = [chart.x(k * TICK) for k in (0, 2)]
    assert not any(back.x <= x <= back.x + back.width for x in deliveries)
    assert (down.kind, down.text, down.row) == ("down", "c2 is down", 0)
    assert down.x > chart.x(3.4 * TICK)


def test_how_late_it_is_stands_below_the_bar() -> None:
    chart = chart_of()
    (late,) = chart.strips["c:c1"].notes
    assert (late.kind, late.text, late.row) == ("late", "late 1.8", 1)
    assert (late.at, late.to) == (chart.x(4.8 * TICK), chart.x(6.6 * TICK))


def test_several_that_went_back_at_once_are_one_note() -> None:
    story = figure_11_2()
    for m in ("m6", "m7"):
        story.publish(9, m)
        story.deliver(9, m, "c1")
    for m in ("m6", "m7"):
        story.requeue(10, m, "c1", "nack_requeue")
    told = [(note.text, note.icon) for note in notes(story, "c:c1") if note.kind == "back"]
    assert told == [("nack + requeue → 2 messages requeued", "back")]


def test_notes_of_a_lane_never_overlap() -> None:
    story = Story()
    story.consumer(0, "c1")
    for k in range(12):
        story.publish(k / 4, f"m{k}")
        story.deliver(k / 4, f"m{k}", "c1")
        story.requeue(k / 4 + 0.1, f"m{k}", "c1", "nack_requeue")
    found = notes(story, "c:c1")
    assert len(found) == 12
    for one, other in combinations(found, 2):
        apart = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert one.row != other.row or apart


def test_nothing_reaches_out_of_the_chart() -> None:
    story = Story()
    story.consumer(0, "a consumer with a name that goes on and on and on")
    story.publish(0, "m1")
    story.publish(9.9, "m2")
    story.deliver(9.9, "m2", "c1")
    story.requeue(10, "m2", "c1", "connection_lost", "eof")
    chart = chart_of(story)
    for note in chart.strips["c:c1"].notes:
        assert chart.left - 12 <= note.x
        assert note.x + note.width <= chart.right


def test_words_on_the_line_of_who_is_away_keep_off_its_bars() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.add(1, "consumer_cancelled", c="c1")
    story.ack(4, "m1", "c1")
    story.publish(9, "m2")
    chart = chart_of(story)
    (note,) = chart.strips["c:c1"].notes
    assert (note.kind, note.text) == ("left", "c1 no longer takes messages")
    assert note.x > chart.x(4 * TICK)


def test_only_the_latest_are_told_how_late_they_are() -> None:
    story = Story()
    story.consumer(0, "c1")
    for k in range(1, 20):
        story.publish(0, f"m{k}")
    for k in range(19, 0, -1):
        story.deliver(20 - k, f"m{k}", "c1")
        story.ack(20 - k, f"m{k}", "c1")
    told = [note.text for note in notes(story, "c:c1") if note.kind == "late"]
    assert len(told) == LATES_MAX
    assert told[-1] == "late 18.0"


def test_a_silent_death_says_how_long_nobody_knew() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.add(2, "crashed", q="", c="c1")
    story.lose(8, "c1", "heartbeat_timeout")
    story.requeue(8, "m1", "c1", "connection_lost", "heartbeat_timeout")
    told = {note.kind: note.text for note in notes(story, "c:c1")}
    assert told["quiet"] == "nobody knew: 6.0"
    assert told["back"] == "heartbeat timed out → m1 requeued"
