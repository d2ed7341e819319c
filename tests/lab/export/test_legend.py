"""The legend tells of what is there, and of nothing else."""

from amqplite.lab.export.chart import MARGIN
from amqplite.lab.export.legend import ROW, draw_legend
from tests.lab.export.pictures import WORDS, chart_of, drawn, written
from tests.lab.story import Story


def test_the_legend_of_the_figure() -> None:
    assert written(drawn(draw_legend, chart_of(), WORDS, 0, 2_000)) == [
        *("waits in the queue", "waits again", "held by a consumer", "came to nothing"),
        *("redelivered, with its attempt", "acknowledged", "out of order", "crashed"),
    ]


def test_a_quiet_run_has_a_short_one() -> None:
    story = Story()
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.ack(1, "m1", "c1")
    texts = written(drawn(draw_legend, chart_of(story), WORDS, 0, 2_000))
    assert texts == ["held by a consumer", "acknowledged"]


def test_it_takes_as_many_rows_as_it_needs() -> None:
    root = drawn(draw_legend, chart_of(), WORDS, 0, 600)
    heights = sorted({float(text.get("y", 0)) for text in root.iter("text")})
    assert len(heights) > 1
    assert heights[1] - heights[0] == ROW
    assert all(float(text.get("x", 0)) >= MARGIN for text in root.iter("text"))
