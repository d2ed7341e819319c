"""Order lines in characters."""

from amqplite.lab.export.text_order import draw_order
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import Story, figure_11_2


def order(story: Story, width: int = 80) -> list[str]:
    (found,) = account_of(story).layout.orders
    return draw_order(found, WORDS, width, colour=False)


def completing(*order_of: int) -> Story:
    story = Story()
    for k in sorted(order_of):
        story.publish(0, f"m{k}")
    for t, k in enumerate(order_of):
        story.deliver(t, f"m{k}", "c1")
        story.ack(t + 1, f"m{k}", "c1")
    return story


def test_the_figure() -> None:
    assert order(figure_11_2()) == [
        "q: 1 crossing   Every crossing is one inversion",
        "published  m1  m2  m3  m4  m5",
        "           │   │    ╲ ╱    │",
        "           │   │     ╳     │",
        "           │   │    ╱ ╲    │",
        "completed  m1  m2  m4  m3  m5",
        "m4 overtook m3",
    ]


def test_what_is_in_order_takes_one_line() -> None:
    assert order(completing(1, 2, 3)) == ["q: In order: 3 of 3"]


def test_what_is_gone_has_no_line() -> None:
    story = completing(1, 3, 2)
    story.publish(9, "m4")
    story.tell(10, "dropped", "m4", cause="maxlen")
    assert order(story)[2].endswith("✕")


def test_where_lines_would_be_a_tangle_it_is_said_how_far_each_is_late() -> None:
    assert order(completing(5, 4, 3, 2, 1)) == [
        "q: 10 crossings",
        "late: m4 -2, m3 +0, m2 +2, m1 +4",
    ]


def test_where_they_have_no_room_too() -> None:
    told = order(completing(*range(1, 39), 40, 39))
    assert told == ["q: 1 crossing", "late: m39 +1"]
