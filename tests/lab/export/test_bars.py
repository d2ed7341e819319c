"""Each state of a message has a look of its own."""

from xml.etree.ElementTree import Element

from amqplite.lab.export import palette
from amqplite.lab.export.bars import THIN, draw_bars
from tests.lab.export.pictures import WORDS, chart_of, drawn, named, written
from tests.lab.story import Story


def bars(story: Story | None = None) -> dict[str, Element]:
    """Return what is drawn of each bar, by its name."""
    root = drawn(draw_bars, chart_of(story), WORDS)
    return {element.get("aria-label", ""): element for element in root}


def body(bar: Element) -> Element:
    return next(bar.iter("rect"))


def find(found: dict[str, Element], part: str) -> Element:
    (bar,) = [element for name, element in found.items() if part in name]
    return bar


def test_every_bar_has_a_sentence() -> None:
    root = drawn(draw_bars, chart_of(), WORDS)
    assert len(named(root)) == len(root) == 8
    assert "c2 holds m3, attempt 1, t=2.0 to 3.4, lost" in named(root)


def test_looks_of_the_figure() -> None:
    found = bars()
    waits = body(find(found, "m5 waits in q"))
    again = body(find(found, "m3 is back in q"))
    held = body(find(found, "c2 holds m1"))
    failed = body(find(found, "c2 holds m3"))
    assert (waits.get("fill"), waits.get("stroke")) == (palette.PAPER, palette.SKY)
    assert (again.get("stroke"), again.get("stroke-dasharray")) == (palette.VERMILION, "5 3")
    assert (held.get("fill"), held.get("stroke")) == (palette.BLUE, palette.OUTLINE)
    assert (failed.get("fill"), failed.get("stroke-dasharray")) == ("url(#amq-hatch)", "4 3")


def test_who_was_overtaken_and_who_overtook_have_a_ring() -> None:
    ringed = [
        name
        for name, bar in bars().items()
        if any(r.get("fill") == "none" and r.get("stroke") == palette.VERMILION for r in bar)
    ]
    assert ringed == [
        "c1 holds m4, attempt 1, t=3.0 to 4.8, acknowledged",
        "c1 holds m3, attempt 2, t=4.8 to 6.6, acknowledged",
    ]


def test_an_attempt_is_numbered_from_the_second() -> None:
    found = bars()
    assert written(find(found, "c1 holds m3")) == ["m3", "2"]
    assert written(find(found, "c1 holds m4")) == ["m4"]


def test_what_is_acknowledged_ends_in_a_disc_inside_its_bar() -> None:
    bar = find(bars(), "c1 holds m2")
    rect, disc = body(bar), next(bar.iter("circle"))
    right = float(rect.get("x", 0)) + float(rect.get("width", 0))
    assert disc.get("stroke") == palette.GREEN
    assert float(disc.get("cx", 0)) + float(disc.get("r", 0)) < right
    assert list(find(bars(), "c2 holds m3").iter("circle")) == []


def prefetched() -> Story:
    story = Story()
    story.consumer(0, "c1")
    for m in ("m1", "m2"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    story.ack(4, "m1", "c1")
    story.ack(9, "m2", "c1")
    return story


def test_what_its_consumer_has_not_begun_with_is_thin() -> None:
    chart = chart_of(prefetched())
    bar = find(bars(prefetched()), "c1 holds m2")
    thin, thick = bar.findall("rect")
    assert float(thin.get("height", 0)) == THIN
    assert thin.get("fill") == palette.BLUE_WASH
    assert abs(float(thick.get("x", 0)) - chart.x(4 * 400_000)) < 0.1


def test_words_that_do_not_fit_are_shortened_and_left_out() -> None:
    story = Story()
    story.publish(0, "a-name-of-many-letters")
    story.deliver(0.02, "a-name-of-many-letters", "c1")
    story.ack(1, "a-name-of-many-letters", "c1")
    story.publish(30, "m2")
    texts = [text for bar in bars(story).values() for text in written(bar)]
    assert "a-name-of-many-letters" not in texts
    assert all(text == "m2" or text.endswith("…") for text in texts)


def test_an_auto_ack_is_a_dot_and_the_work_a_bar() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.tell(0, "acked", "m1", "c1", auto=True)
    story.tell(0, "started", "m1", "c1")
    story.tell(3, "crashed", "m1", "c1")
    dot, work = bars(story).values()
    assert [element.tag for element in dot] == ["circle"]
    assert body(work).get("fill") == "url(#amq-hatch)"
