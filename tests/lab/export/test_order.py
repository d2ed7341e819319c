"""Order lines: who is where above, who is where below, and what crosses."""

from xml.etree.ElementTree import Element

from amqplite.lab.export import palette
from amqplite.lab.export.order import LINES_MAX, STEP, OrderBlock
from tests.lab.export.pictures import WORDS, account_of, drawn, named, written
from tests.lab.story import Story, figure_11_2


def block(story: Story | None = None, width: float = 900) -> Element:
    (found,) = account_of(story).layout.orders
    return drawn(OrderBlock(found, "Order", 90, WORDS).draw, 30, 30 + width, 0)


def columns(root: Element, y: float) -> dict[str, float]:
    """Return where the boxes are whose words are at a height."""
    return {
        text.text or "": float(text.get("x", 0))
        for text in root.iter("text")
        if text.get("text-anchor") == "middle" and float(text.get("y", 0)) == y
    }


def test_two_rows_and_one_crossing() -> None:
    root = block()
    heights = sorted({float(t.get("y", 0)) for t in root.iter("text") if t.get("text-anchor")})
    upper, lower = columns(root, heights[0]), columns(root, heights[1])
    assert sorted(upper, key=upper.__getitem__) == ["m1", "m2", "m3", "m4", "m5"]
    assert sorted(lower, key=lower.__getitem__) == ["m1", "m2", "m4", "m3", "m5"]
    assert upper["m4"] - upper["m3"] == STEP
    (ring,) = root.iter("circle")
    assert float(ring.get("cx", 0)) == (upper["m3"] + upper["m4"]) / 2
    assert {"1 crossing", "m4 overtook m3", "published", "completed"} <= set(written(root))


def test_it_is_told_in_a_sentence() -> None:
    assert named(block()) == [
        "Published m1, m2, m3, m4, m5. completed: m1, m2, m4, m3, m5. 1 crossing."
    ]


def test_the_name_of_a_crossing_keeps_off_the_lines() -> None:
    root = block()
    (name,) = [t for t in root.iter("text") if (t.text or "").endswith("overtook m3")]
    (ring,) = root.iter("circle")
    assert float(name.get("x", 0)) > float(ring.get("cx", 0)) + 7
    assert name.get("fill") == palette.VERMILION_INK


def test_what_is_in_order_is_said_to_be() -> None:
    story = Story()
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    root = block(story)
    assert "In order: 1 of 1" in written(root)
    assert not list(root.iter("circle"))


def test_what_is_gone_ends_in_a_cross() -> None:
    story = figure_11_2()
    story.publish(9, "m6")
    story.tell(10, "dropped", "m6", cause="maxlen")
    crosses = [p for p in block(story).iter("path") if p.get("stroke-width") == "2.4"]
    assert len(crosses) == 1


def reversed_story(count: int) -> Story:
    story = Story()
    for k in range(count):
        story.publish(0, f"m{k}")
    for k in range(count, 0, -1):
        story.deliver(count - k, f"m{k - 1}", "c1")
        story.ack(count - k + 1, f"m{k - 1}", "c1")
    return story


def test_many_crossings_have_no_names_and_more_have_no_rings() -> None:
    few, some, many = (block(reversed_story(n), 3_000) for n in (3, 8, 20))
    assert len([t for t in written(few) if "overtook" in t]) == 3
    assert [len(list(root.iter("circle"))) for root in (few, some, many)] == [3, 28, 0]
    assert not [t for t in written(some) if "overtook" in t]


def test_where_boxes_have_no_room_there_are_dots() -> None:
    root = block(reversed_story(50))
    assert len(list(root.iter("circle"))) == 100
    assert not list(root.iter("rect"))


def test_of_too_many_there_is_a_strip() -> None:
    story = reversed_story(LINES_MAX + 1)
    root = block(story)
    heights = [float(rect.get("height", 0)) for rect in root.iter("rect")]
    assert len(heights) == LINES_MAX  # the one in the middle is not displaced
    assert max(heights) == 35
    late = [r for r in root.iter("rect") if r.get("fill") == palette.VERMILION]
    assert len(late) == LINES_MAX / 2
    (found,) = account_of(story).layout.orders
    assert OrderBlock(found, "", 90, WORDS).width > 10_000
