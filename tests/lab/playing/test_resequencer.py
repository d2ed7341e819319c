"""A resequencer."""

from amqplite.lab.playing.resequencer import Resequencer


def test_what_comes_too_early_is_held_until_what_is_before_it_is_done() -> None:
    gone = list[str]()
    resequencer = Resequencer(["m1", "m2", "m3", "m4"], gone.append)
    resequencer.done("m1")
    assert gone == ["m1"]
    resequencer.done("m3")
    resequencer.done("m4")
    assert gone == ["m1"]
    resequencer.done("m2")
    assert gone == ["m1", "m2", "m3", "m4"]


def test_what_is_done_again_or_unknown_is_no_news() -> None:
    gone = list[str]()
    resequencer = Resequencer(["m1"], gone.append)
    for m in ("x", "m1", "m1"):
        resequencer.done(m)
    assert gone == ["m1"]
