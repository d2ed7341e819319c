"""Text for Mermaid, and nothing in it that Mermaid would take for its own."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from amqplite.lab.export.mermaid import ARROWS_MAX, mermaid, quoted
from tests.lab.export.pictures import account_of
from tests.lab.story import Story, figure_11_2


def test_the_figure() -> None:
    assert mermaid(account_of()).splitlines() == [
        "sequenceDiagram",
        "    participant p1 as p1 (producer)",
        "    participant q2 as q (queue)",
        "    participant c3 as c1 (consumer)",
        "    participant c4 as c2 (consumer)",
        "    p1->>q2: m1 · t=0.0",
        "    q2->>c4: m1 · t=0.0",
        "    p1->>q2: m2 · t=1.0",
        "    q2->>c3: m2 · t=1.0",
        "    c4-->>q2: ✓ m1 · t=1.8",
        "    p1->>q2: m3 · t=2.0",
        "    q2->>c4: m3 · t=2.0",
        "    c3-->>q2: ✓ m2 · t=2.8",
        "    p1->>q2: m4 · t=3.0",
        "    q2->>c3: m4 · t=3.0",
        "    c4--xq2: connection lost → m3 requeued · t=3.4",
        "    Note over c4: c2 is down",
        "    p1->>q2: m5 · t=4.0",
        "    c3-->>q2: ✓ m4 · t=4.8",
        "    q2->>c3: redelivered (attempt 2): m3 · t=4.8",
        "    c3-->>q2: ✓ m3 · t=6.6",
        "    Note over c3: m3: late 1.8",
        "    q2->>c3: m5 · t=6.6",
        "    c3-->>q2: ✓ m5 · t=8.4",
    ]


def test_in_chinese() -> None:
    told = mermaid(account_of(), "zh")
    assert "    c4--xq2: 连接断开 → m3 重新入队 · t=3.4\n" in told
    assert "participant q2 as q (队列)" in told


def test_what_was_wanted_is_no_lost_arrow() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.publish(0, "m1")
    story.deliver(0, "m1", "c1")
    story.requeue(1, "m1", "c1", "nack_requeue")
    assert "    c3-->>q2: nack + requeue → m1 requeued · t=1.0\n" in mermaid(account_of(story))


def arrows(told: str) -> list[str]:
    return re.findall(r"^    \w+(?:->>|-->>|--x|--\))\w+: .*$", told, re.MULTILINE)


def test_of_a_long_run_it_tells_what_was_out_of_order() -> None:
    story = figure_11_2()
    for k in range(40):
        story.publish(10 + k, f"n{k}")
        story.deliver(10 + k, f"n{k}", "c1")
        story.ack(10.5 + k, f"n{k}", "c1")
    told = mermaid(account_of(story))
    assert "Note over p1,c4: only messages that came back or were out of order" in told
    assert len(arrows(told)) == 8
    assert "n7" not in told
    assert "m3" in told


def test_it_is_never_longer_than_what_people_read() -> None:
    story = Story()
    for k in range(200):
        story.publish(k, f"m{k}")
    told = mermaid(account_of(story))
    assert len(arrows(told)) == ARROWS_MAX
    assert told.endswith("    Note over p1,q2: 140 more steps\n")


def test_who_expired_is_noted() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(3, "expired", "m1", cause="ttl")
    assert "    Note over q2: m1 expired · t=3.0\n" in mermaid(account_of(story))


def test_nothing_is_a_diagram_too() -> None:
    assert mermaid(account_of([])).startswith("sequenceDiagram\n")


@given(st.text(max_size=30))
@example("two\u2028lines")
def test_names_are_only_names(name: str) -> None:
    told = quoted(name)
    assert len(told.splitlines()) <= 1
    assert ";" not in re.sub(r"#\d+;", "", told)
    assert not set(re.sub(r"#\d+;", "", told)) & set('<>{}[]"#`%\\&*~^|$')
