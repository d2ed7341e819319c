"""What every export is made from."""

from amqplite.lab.trace import TracedQueue
from tests.lab.export.pictures import WORDS, account_of
from tests.lab.story import LATE, Story, figure_11_2


def test_a_scenario_is_called_by_its_title_in_either_language() -> None:
    told = account_of(name="Load balancing + redelivery", scenario="fig-11-2")
    assert told.title("en") == "Load balancing + redelivery"
    assert told.title("zh") == "负载均衡加重新投递"


def test_a_name_that_somebody_gave_stays() -> None:
    assert account_of(name="Monday", scenario="fig-11-2").title("zh") == "Monday"
    assert account_of(name="", scenario="gone").title("en") == "gone"
    assert account_of(name="").title("zh") == "一份记录"


def test_the_headline_of_the_figure() -> None:
    told = [(name, value, bad) for name, value, bad in account_of().headline(WORDS)]
    assert told == [
        ("Inversions", "1", True),
        ("Messages moved", "1", True),
        ("Latest by", "1.8", True),
        ("Buffer needed", "1", True),
        ("Redeliveries", "1", False),
    ]


def test_the_headline_tells_of_loss_only_where_there_is_some() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(1, "dropped", "m1", cause="maxlen")
    told = account_of(story).headline(WORDS)
    assert [(name, value) for name, value, _ in told][4:] == [
        ("Redeliveries", "0"),
        ("Dropped by policy", "1"),
    ]


def test_the_numbers_of_the_figure() -> None:
    numbers = dict(account_of().numbers(WORDS))
    assert numbers["Possible duplicates"] == "1"
    assert numbers["Reordered"] == "1 / 5"
    assert numbers["Wasted work"] == "1.4"
    assert numbers["End"] == "8.4"


def test_the_verdict_comes_first_and_then_the_whys() -> None:
    verdict, why = account_of().sentences("en", 4)
    assert verdict.startswith("1 of 5 messages completed out of order")
    assert why.startswith("m3 was handed to c2 at t=2.0.")
    assert account_of().sentences("zh", 0)[1:] == ["另有 1 条消息各有说明。"]


def test_the_layout_has_the_queues_of_the_header_and_knows_who_is_late() -> None:
    queues = [TracedQueue(q="empty"), TracedQueue(q="q")]
    layout = account_of(queues=queues).layout
    assert [lane.id for lane in layout.lanes] == ["p:p1", "q:empty", "q:q", "c:c1", "c:c2"]
    assert [late.stop - late.start for late in layout.lates] == [LATE]


def test_no_events_come_to_nothing() -> None:
    told = account_of([])
    assert told.sentences("en", 4) == ["Nothing has completed yet."]
    assert dict(told.numbers(WORDS))["Inversions"] == "0"


def test_events_and_header_are_the_traces() -> None:
    told = account_of(figure_11_2(), seed=7)
    assert (len(told.events), told.header.seed, told.counts.redeliveries) == (25, 7, 1)


def test_of_many_stories_the_worst_are_told_in_their_order() -> None:
    story = Story()
    story.consumer(0, "c1")
    for m in ("m1", "m2", "m3", "m4"):
        story.publish(0, m)
        story.deliver(0, m, "c1")
    for tick, m in ((1, "m4"), (3, "m2"), (4, "m3"), (9, "m1")):
        story.ack(tick, m, "c1")
    told = account_of(story).sentences("en", 2)
    assert [sentence.split()[0] for sentence in told[1:]] == ["m3", "m1", "1"]
