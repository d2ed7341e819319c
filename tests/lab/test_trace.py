import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite import __version__
from amqplite.broker.trace import Event, as_dict
from amqplite.lab.trace import (
    Header,
    Trace,
    TracedQueue,
    TraceError,
    encode_event,
    read_jsonl,
    write_jsonl,
)

HEADER = Header(
    name="Load balancing + redelivery",
    scenario="fig-11-2",
    mode="exact",
    seed=42,
    params={"prefetch": 1},
    tick_us=400_000,
    queues=[TracedQueue(q="q", arguments={"x-max-length": 5})],
)
EVENTS = [
    Event(n=1, t=0, type="published", m="m1", id=1, p="p1"),
    Event(n=2, t=0, type="enqueued", q="q", m="m1", id=1, s=1, depth=0),
    Event(n=7, t=1_360_000, type="connection_lost", conn="c2", cause="connection_lost", sub="eof"),
]
FIRST = '{"schema":"amqplite.trace/1"}'


def test_a_trace_comes_back_as_it_was_written() -> None:
    trace = Trace(HEADER, EVENTS)
    assert read_jsonl(write_jsonl(trace)) == trace


def test_what_is_written_is_one_line_of_json_each_without_what_says_nothing() -> None:
    lines = write_jsonl(Trace(HEADER, EVENTS)).split("\n")
    assert lines[-1] == ""
    assert json.loads(lines[0]) == {
        "schema": "amqplite.trace/1",
        "version": __version__,
        "name": "Load balancing + redelivery",
        "scenario": "fig-11-2",
        "mode": "exact",
        "seed": 42,
        "params": {"prefetch": 1},
        "tick_us": 400_000,
        "started": "",
        "queues": [{"v": "/", "q": "q", "arguments": {"x-max-length": 5}}],
        "variant": "",
    }
    assert lines[1] == '{"n":1,"t":0,"type":"published","m":"m1","id":1,"p":"p1"}'
    assert json.loads(lines[2])["depth"] == 0


def test_lines_may_come_one_by_one_and_as_octets() -> None:
    trace = Trace(HEADER, EVENTS)
    text = write_jsonl(trace)
    assert read_jsonl(text.encode()) == trace
    assert read_jsonl(line.encode() for line in text.splitlines(keepends=True)) == trace


def test_a_header_may_say_little() -> None:
    assert read_jsonl(FIRST) == Trace(Header(version=__version__), [])


def test_what_is_not_known_is_passed_over() -> None:
    line = '{"n":1,"t":5,"type":"sparkled","colour":"red"}'
    later = '{"schema":"amqplite.trace/1","mood":"good"}'
    assert read_jsonl([later, line]).events == [Event(n=1, t=5, type="sparkled")]


def test_a_line_separator_of_unicode_does_not_end_a_line() -> None:
    trace = Trace(HEADER, [Event(n=1, t=0, type="published", m="a\u2028b\x85c")])
    assert read_jsonl(write_jsonl(trace)) == trace


JUNK = [
    # lines                                               line  reason
    ([],                                                     1, "nothing is there"),
    (["", "  "],                                             1, "nothing is there"),
    (["hello"],                                              1, "not JSON: "),
    (["{"],                                                  1, "a trace is lines of JSON"),
    (["[]"],                                                 1, "Expected `object`, got `array`"),
    (["{}"],                                                 1, "no header of amqplite.trace/1"),
    (['{"n":1,"t":0,"type":"acked"}'],                       1, "no header of amqplite.trace/1"),
    (['{"schema":"perfetto/1"}'],                            1, "no header of amqplite.trace/1"),
    (['{"schema":"amqplite.trace/1","tick_us":0}'],          1, "a tick of 0 µs is none"),
    (['{"schema":"amqplite.trace/1","seed":"x"}'],           1, "Expected `int`, got `str`"),
    ([FIRST, "", '{"n":1'],                                  3, "not JSON: "),
    ([FIRST, '{"n":1,"t":0}'],                               2, "missing required field `type`"),
    ([FIRST, '{"n":1,"t":"0","type":"acked"}'],              2, "Expected `int`, got `str`"),
    ([FIRST, '{"n":1,"t":-1,"type":"acked"}'],               2, "t of event 1 is -1"),
    ([FIRST, '{"n":1,"t":0,"type":"acked","s":-3}'],         2, "s of event 1 is -3"),
    ([FIRST, '{"n":1,"t":0,"type":"acked","depth":-2}'],     2, "depth of event 1 is -2"),
    ([FIRST, '{"n":9007199254740992,"t":0,"type":"acked"}'], 2, "is 9007199254740992"),
    ([FIRST, '{"n":1,"t":0,"type":"acked","id":1e30}'],      2, "Expected `int`, got `float`"),
    (['{"schema":"amqplite.trace/1","tick_us":9007199254740992}'], 1, "is none"),
    ([FIRST, '{"n":2,"t":0,"type":"acked"}',
             '{"n":2,"t":0,"type":"acked"}'],                3, "event 2 comes after event 2"),
    ([FIRST, b'{"n":2,"t":0,"type":"\xff"}'],                2, "not JSON: "),
    ([FIRST, '{"n":1,"t":0,"type":"acked","x":' + "[" * 9999], 2, "not JSON: "),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "line", "reason"), [pytest.param(*row, id=f"{row[1]}:{row[2]}") for row in JUNK]
)
def test_junk_is_refused_with_the_line_and_the_reason(
    lines: list[str | bytes], line: int, reason: str
) -> None:
    with pytest.raises(TraceError) as caught:
        read_jsonl(lines)
    assert caught.value.line == line
    assert f"line {line}: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_newer_schema_is_refused_with_both_versions() -> None:
    with pytest.raises(TraceError) as caught:
        read_jsonl('{"schema":"amqplite.trace/3","version":"9.1.0","mode":7}')
    assert str(caught.value) == (
        "line 1: the trace is amqplite.trace/3, written by amqplite 9.1.0: newer than "
        f"amqplite.trace/1, which amqplite {__version__} reads"
    )


words = st.text(max_size=5)
numbers = st.integers(0, 2**40)


@given(
    st.lists(
        st.builds(
            Event,
            n=st.just(1),
            t=numbers,
            type=words,
            m=words,
            id=numbers,
            depth=st.integers(-1, 9),
            redelivered=st.booleans(),
            text=words,
        ),
        max_size=1,
    )
)
def test_any_event_comes_back_as_it_was_written(events: list[Event]) -> None:
    assert read_jsonl(write_jsonl(Trace(HEADER, events))).events == events
    for event in events:
        assert list(json.loads(encode_event(event)).items()) == list(as_dict(event).items())


def test_names_that_are_no_text_are_told_as_their_octets() -> None:
    name = b"\xffq".decode(errors="surrogateescape")
    header = Header(queues=[TracedQueue(q=name, arguments={name: [name]})])
    trace = read_jsonl(write_jsonl(Trace(header, [Event(n=1, t=0, type="purged", q=name)])))
    assert trace.events[0].q == "\\xffq"
    assert trace.header.queues == [TracedQueue(q="\\xffq", arguments={"\\xffq": ["\\xffq"]})]
