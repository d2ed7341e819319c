from amqplite.lab.rerun.inputs import Sender
from amqplite.lab.rerun.publishing import missing
from tests.lab.rerun.recorded import inputs_of, keyed, measured
from tests.lab.rerun.recorded import measure as read
from tests.lab.story import TICK, Story


def test_each_publish_has_its_time_publisher_key_and_queues() -> None:
    inputs = read(keyed("AB"))
    assert [(sent.at, sent.m, sent.exchange, sent.key) for sent in inputs.sent] == [
        (0, "m1", "keys", "A"),
        (TICK, "m2", "keys", "B"),
    ]
    assert {sent.queues for sent in inputs.sent} == {(("/", "q"),)}
    assert inputs.senders == [Sender(p="p1", conn="p1", ch=1, confirms=True)]
    assert {sent.sender for sent in inputs.sent} == {0}


def test_a_message_may_go_to_several_queues_or_to_none() -> None:
    story = Story()
    story.publish(0, "m1", "q", "r")
    story.add(1, "published", q="", m="m2", id=2, p="p1", conn="p1", ch=1)
    story.add(1, "returned", q="", m="m2", id=2, p="p1", conn="p1", ch=1)
    first, second = measured(story).sent
    assert first.queues == (("/", "q"), ("/", "r"))
    assert (second.queues, second.returned) == ((), True)


def test_publishers_in_confirm_mode_are_known_by_their_numbers() -> None:
    story = Story()
    story.publish(0, "m1")
    story.add(0, "published", q="", m="m2", id=2, p="p2", conn="p2", ch=1, tag=1)
    assert [sender.confirms for sender in measured(story).senders] == [False, True]


def test_what_nobody_was_seen_to_publish_was_there_before() -> None:
    story = Story()
    story.consumer(0, "c1")
    story.add(3, "enqueued", m="m1", id=7, s=4)
    story.add(3, "delivered", m="m1", id=7, s=4, c="c1", conn="c1", ch=1, tag=1, attempt=1)
    story.publish(4, "m2")
    before, sent = measured(story).sent
    assert (before.at, before.id, before.there_before, before.queues) == (0, 7, True, (("/", "q"),))
    assert not sent.there_before


def test_a_try_after_a_refusal_is_known_as_one() -> None:
    inputs = inputs_of("slow-backpressure")
    again = [sent for sent in inputs.sent if sent.again]
    first = {sent.id: sent for sent in inputs.sent}
    assert len(again) == 10
    assert all(first[sent.again].m == sent.m for sent in again)
    assert not [sent for sent in inputs_of("publisher-retry").sent if sent.again]


def test_where_dead_letters_came_to_is_remembered_by_their_exchange() -> None:
    story = Story()
    story.publish(0, "m1")
    story.tell(1, "dead_lettered", "m1", cause="maxlen")
    story.enqueue(1, "m1", "dead", cause="dlx_return")
    inputs = measured(story, dead_letter_exchange="dlx")
    assert inputs.letters == {("/", "dlx"): [("/", "dead")]}
    assert inputs.sent[0].queues == (("/", "q"),)


def test_numbers_that_are_missing_are_counted() -> None:
    assert missing([]) == 0
    assert missing([7, 5, 6]) == 0
    assert missing([1, 4, 9]) == 6
