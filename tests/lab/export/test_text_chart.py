"""The diagram in characters."""

from amqplite.lab.export.text_chart import draw_chart
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import Story, figure_11_2


def chart(story: Story | None = None, width: int = 80) -> list[str]:
    return draw_chart(account_of(story).layout, WORDS, width, colour=False)


def row(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.startswith(name))


def test_bars_begin_and_end_in_the_columns_of_their_time() -> None:
    lines = chart()
    axis, c1 = lines[0], row(lines, "c1")
    assert c1.index("[m2") == axis.index("1")
    assert c1.index("[m4") == axis.index("3")


def test_those_published_at_once_are_named_by_the_first_and_the_last() -> None:
    story = Story()
    for k in range(1, 21):
        story.publish(0, f"m{k}")
    story.publish(9, "m21")
    assert row(chart(story), "p1").split()[1:] == ["m1–m20", "m21"]
    assert any("+15" in line for line in chart(story))


def test_prefetched_messages_are_thin_until_they_are_begun_with() -> None:
    story = Story()
    story.consumer(0, "c1")
    for m in ("m1", "m2"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    story.ack(4, "m1", "c1")
    story.ack(9, "m2", "c1")
    first, second = [line for line in chart(story) if "[m" in line]
    assert first.startswith("c1     [m1━━━━━━━")
    assert second[7:].startswith("┄" * 20)
    assert second.index("[m2") == first.index("✓]") + 2


def test_who_acks_at_once_has_a_dot() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.tell(0, "acked", "m1", "c1", auto=True)
    story.publish(5, "m2")
    assert row(chart(story), "c1").split()[1] == "•"


def test_what_the_application_did_is_a_diamond() -> None:
    story = figure_11_2()
    story.tell(7, "applied", "m1", "c2")
    assert "◆" in row(chart(story), "c2")


def test_a_name_that_does_not_fit_is_cut() -> None:
    story = Story("a-queue-with-a-long-name")
    story.publish(0, "m1")
    assert any(line.startswith("a-queue-with-a-…") for line in chart(story))


def test_who_says_no_more_than_goodbye_is_said_to_take_nothing_more() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.add(1, "consumer_cancelled", c="c1")
    story.publish(9, "m2")
    assert "··· c1 no longer takes messages ···" in row(chart(story), "c1")


def test_dead_letters_and_refusals_have_signs() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(4, "expired", "m1", cause="ttl")
    story.add(8, "published", q="", m="m2", id=2, p="p1")
    story.add(9, "refused", m="m2", id=2, p="p1")
    lines = chart(story)
    assert "✕" in row(lines, "q")
    assert "↩" in row(lines, "p1")


def test_the_layout_decides_what_is_there() -> None:
    assert chart(Story()) == ["ticks  0"]


def test_what_is_held_back_downstream_and_let_go() -> None:
    story = Story()
    for m in ("m1", "m2"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    story.tell(0, "released", "m1", by="sorter")
    story.ack(1, "m1", "c1")
    story.ack(2, "m2", "c1")
    story.tell(8, "released", "m2", by="sorter")
    story.publish(10, "m3")
    line = row(chart(story), "sorter")
    assert line.split()[1] == "◆m1"
    assert "[m2" in line
    assert line.endswith("◆m2")
