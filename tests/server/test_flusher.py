import pytest

from amqplite.server.flusher import Flusher


class Writer:
    """Notes what it is asked to do."""

    def __init__(self, *, fails: bool = False) -> None:
        self.calls: list[str] = []
        self.fails = fails

    def write_now(self) -> None:
        self.calls.append("now")
        if self.fails:
            raise ZeroDivisionError

    def write_soon(self) -> None:
        self.calls.append("soon")


def test_outside_of_any_work_output_is_written_soon() -> None:
    flusher, writer = Flusher(), Writer()
    flusher.has_output(writer)
    assert writer.calls == ["soon"]


def test_within_work_output_is_written_when_the_work_is_done() -> None:
    flusher, one, two = Flusher(), Writer(), Writer()
    flusher.begin()
    flusher.has_output(one)
    flusher.has_output(two)
    assert (one.calls, two.calls) == ([], [])
    flusher.end()
    assert (one.calls, two.calls) == (["now"], ["now"])
    flusher.begin()
    flusher.end()
    assert one.calls == ["now"]


def test_work_that_fails_is_done_too() -> None:
    flusher, writer = Flusher(), Writer()

    def fail() -> None:
        with flusher.gathering():
            flusher.has_output(writer)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    flusher.has_output(writer)
    assert writer.calls == ["now", "soon"]


def test_a_writer_that_fails_does_not_take_the_output_of_others_with_it() -> None:
    flusher, bad, good = Flusher(), Writer(fails=True), Writer()
    flusher.begin()
    flusher.has_output(bad)
    flusher.has_output(good)
    with pytest.raises(ZeroDivisionError):
        flusher.end()
    assert good.calls == ["soon"]
