import msgspec

from amqplite.lab.analysis.metrics import LISTED_MAX
from tests.lab.story import TICK, figure_11_2
from tests.lab.told import analysed, told


def test_the_figure_s_numbers() -> None:
    counts = analysed(figure_11_2().events).report().counts
    assert (counts.published, counts.enqueued, counts.acked, counts.completed) == (5, 5, 5, 5)
    assert (counts.ready, counts.unacked, counts.gone, counts.dropped) == (0, 0, 0, 0)
    assert (counts.deliveries, counts.redeliveries) == (6, 1)
    assert counts.requeued == {"connection_lost": 1}
    assert (counts.possible_duplicates, counts.reported_duplicates, counts.lost) == (1, 0, [])
    in_ticks = [us / TICK for us in (counts.wasted, counts.requeue_wait, counts.rework)]
    assert in_ticks == [1.4, 1.4, 1.8]
    assert (counts.detection_gap, counts.depth_max, counts.end / TICK) == (0, 2, 8.4)
    assert (counts.unexplained, counts.violations, counts.bad_acks) == (0, 0, 0)
    told_of = msgspec.to_builtins(counts.by_cause)
    assert told_of == {"connection_lost": {"reordered": 1, "inversions": 1, "late": 720_000}}


def test_what_was_told_of_a_moment_stays_as_it_was() -> None:
    analysis = analysed(figure_11_2().events)
    before = analysis.report().counts
    for event in told((9, "released", 9), (9, "dropped", 9, {"cause": "ttl"})):
        analysis.feed(event)
    assert (before.released, before.dropped_names, before.gone_by_cause) == ([], [], {})


def test_long_lists_are_cut_and_their_numbers_are_not() -> None:
    lines = [(0, "unroutable", id_) for id_ in range(1, LISTED_MAX + 4)]
    lines += [(1, "released", id_) for id_ in range(1, LISTED_MAX + 4)]
    counts = analysed(told(*lines)).report().counts
    assert (counts.dropped, len(counts.dropped_names)) == (LISTED_MAX + 3, LISTED_MAX)
    assert len(counts.released) == LISTED_MAX
