from msgspec.structs import replace

from amqplite.broker.trace import Event
from amqplite.lab.order import Analysis
from amqplite.lab.rerun.measuring import measure
from amqplite.lab.rerun.policy import RECORDED, Policy
from amqplite.lab.rerun.rerun import rerun
from amqplite.lab.rerun.rows import Row, row, sentence, waited
from amqplite.lab.trace import Trace
from tests.lab.rerun.recorded import keyed, recorded, ticks


def row_of(trace: Trace, policy: Policy = RECORDED) -> Row:
    inputs = measure(trace)
    run = rerun(inputs, trace.header, policy)
    analysis = Analysis(run.trace.header)
    for event in run.trace.events:
        analysis.feed(event)
    return row(inputs, policy, run, analysis)


FIGURE = row_of(recorded("fig-11-2"))


def test_a_row_has_the_numbers_of_the_figure() -> None:
    assert (FIGURE.inversions, FIGURE.moved, FIGURE.buffer, FIGURE.redeliveries) == (1, 1, 1, 1)
    assert [ticks(us) for us in (FIGURE.late, FIGURE.end, FIGURE.took)] == [1.8, 8.4, 8.4]
    assert (FIGURE.done, FIGURE.open, FIGURE.dropped, FIGURE.refused) == (5, 0, 0, 0)
    assert (FIGURE.policy, FIGURE.label["en"]) == ({}, "as recorded")
    assert [ticks(us) for us in (FIGURE.wait_p95, FIGURE.wait_max)] == [2.6, 2.6]


def test_the_order_across_queues_and_within_keys_is_counted_by_itself() -> None:
    trace = keyed("ABAAB", crash=False, service=1.4)
    alone = row_of(trace, Policy(queue_per_consumer=True))
    assert (alone.inversions, alone.across) == (0, 0)
    slow = row_of(recorded("parallel-no-fault"), Policy(queue_per_consumer=True))
    assert (slow.inversions, slow.across) == (0, 1)
    assert row_of(keyed("ABAAB")).within_keys == 1


def test_who_waited_longer_than_most_is_found() -> None:
    events = []
    for number in range(1, 101):
        about = {"q": "q", "m": f"m{number}", "id": number}
        events.append(Event(n=2 * number, t=0, type="enqueued", **about))
        events.append(Event(n=2 * number + 1, t=number, type="delivered", **about))
    again = Event(n=999, t=10_000, type="delivered", q="q", m="m1", id=1)
    assert waited([*events, again]) == 95
    assert waited(events[:2]) == 1
    assert waited([]) == 0


def told(**changes: object) -> str:
    label = {"en": "a cure", "zh": "某策略"}
    return sentence(FIGURE, [replace(FIGURE, label=label, **changes)])["en"]


def test_the_price_is_named_whatever_it_is() -> None:
    assert told() == "A cure would have left it at 1 inversion in the same time."
    assert told(inversions=0, took=2 * FIGURE.took) == (
        "A cure would have cut 1 inversion to 0 at +100 % time."
    )
    assert told(inversions=3, took=FIGURE.took // 2) == (
        "A cure would have made 3 inversions of 1 at −50 % time."
    )
    assert told(inversions=0, done=3, open=2, redeliveries=2) == (
        "A cure would have cut 1 inversion to 0 (1 more redelivery, 2 messages not done)."
    )
    assert told(inversions=0, done=3, dropped=1, refused=1) == (
        "A cure would have cut 1 inversion to 0 (1 message dropped, 1 publish refused)."
    )
    assert told(inversions=0, across=4) == (
        "A cure would have cut 1 inversion to 0 in the same time (no order between the queues)."
    )
    assert told(inversions=0, done=0, open=5, endless=True) == (
        "A cure would not have ended (5 messages not done)."
    )


def test_several_are_told_in_one() -> None:
    cut = replace(FIGURE, label={"en": "x", "zh": "甲"}, inversions=0)
    same = replace(FIGURE, label={"en": "y", "zh": "乙"})
    assert sentence(FIGURE, [cut, cut, same, cut]) == {
        "en": "X would have cut 1 inversion to 0 in the same time; x to 0 in the same time; "
        "y would have left it at 1 inversion in the same time; "
        "x would have cut 1 inversion to 0 in the same time.",
        "zh": "甲会把 1 个逆序对减少到 0 个，用时不变；甲减少到 0 个，用时不变；"
        "乙仍会有 1 个逆序对，用时不变；甲会把 1 个逆序对减少到 0 个，用时不变。",
    }
    assert sentence(FIGURE, []) == {"en": "", "zh": ""}
