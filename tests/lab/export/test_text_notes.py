"""Notes below the bars, and what bars are made of."""

from amqplite.lab.export.text_notes import NOTES_MAX, legend, notes_below
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import TICK, Story, figure_11_2


def notes(story: Story, lane: str) -> list[tuple[str, float, float | None]]:
    layout = account_of(story).layout
    (found,) = [one for one in layout.lanes if one.id == lane]
    return [
        (note.text, note.start / TICK, None if note.stop is None else note.stop / TICK)
        for note in notes_below(layout, found, WORDS)
    ]


def test_the_notes_of_the_figure() -> None:
    assert notes(figure_11_2(), "c:c2") == [("✕ connection lost → m3 requeued", 3.4, None)]
    assert notes(figure_11_2(), "c:c1") == [("late 1.8", 4.8, 6.6)]
    assert notes(figure_11_2(), "q:q") == []


def test_what_was_wanted_has_another_sign() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.requeue(1, "m1", "c1", "nack_requeue")
    assert notes(story, "c:c1") == [("↩ nack + requeue → m1 requeued", 1, None)]


def test_of_many_there_are_the_latest() -> None:
    story = Story()
    for k in range(12):
        story.publish(0, f"m{k}")
    for k in range(11, -1, -1):
        story.deliver(12 - k, f"m{k}", "c1")
        story.ack(12 - k, f"m{k}", "c1")
    told = notes(story, "c:c1")
    assert [words for words, _, _ in told] == ["late 8.0", "late 9.0", "late 10.0", "late 11.0"]
    assert len(told) == NOTES_MAX


def test_the_legend_of_the_figure() -> None:
    layout = account_of().layout
    assert legend(layout, WORDS, 200, colour=False) == [
        "",
        "─ waits in the queue   ┄ waits again   ━ held by a consumer   ╱ came to nothing   "
        "░ redelivered, with its attempt   ✓ acknowledged",
    ]
    assert len(legend(layout, WORDS, 60, colour=False)) == 4
    assert legend(account_of([]).layout, WORDS, 60, colour=False) == []
