"""pika: consuming, priorities, cancelling, and who gets what when."""

from pika import BasicProperties
from pika.adapters.blocking_connection import BlockingChannel

from tests.conformance.conftest import Connect, Name, Publish
from tests.conformance.pika_tools import Inbox, numbers, refused, wait_until


def test_messages_come_in_order_with_tags_in_order(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    publish(queue, *numbers(1, 50))
    inbox = Inbox(channel, queue)
    publish(queue, *numbers(51, 100))
    deliveries = inbox.take(100)
    assert [one.body for one in deliveries] == numbers(1, 100)
    assert [one.tag for one in deliveries] == list(range(1, 101))
    assert {one.method.consumer_tag for one in deliveries} == {inbox.tag}
    assert {(one.method.exchange, one.method.routing_key) for one in deliveries} == {("", queue)}
    assert not any(one.method.redelivered for one in deliveries)


def test_get_and_consume_count_tags_together(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    publish(queue, b"1", b"2")
    assert channel.basic_get(queue)[0].delivery_tag == 1
    inbox = Inbox(channel, queue)
    assert inbox.take(1)[0].tag == 2


def test_a_consumer_may_choose_its_tag(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    inbox = Inbox(channel, queue, consumer_tag="ярлык")
    publish(queue, b"m")
    assert (inbox.tag, inbox.take(1)[0].method.consumer_tag) == ("ярлык", "ярлык")


def test_large_bodies_are_delivered_whole(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    inbox = Inbox(channel, queue)
    bodies = [bytes([n]) * size for n, size in enumerate((0, 1, 131064, 131065, 0, 1_000_000))]
    publish(queue, *bodies)
    assert [one.body for one in inbox.take(len(bodies))] == bodies


def test_consumers_take_turns(connect: Connect, channel: BlockingChannel, name: Name) -> None:
    queue = channel.queue_declare(name("q"), auto_delete=True).method.queue
    inboxes = [Inbox(connect().channel(), queue) for _ in range(3)]
    for body in numbers(1, 30):
        channel.basic_publish("", queue, body)
    for one in inboxes:
        one.take(10)
    assert [one.settled() for one in inboxes] == [numbers(1, 30)[n::3] for n in range(3)]


def test_the_higher_priority_goes_first(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=2)
    low = Inbox(channel, queue, arguments={"x-priority": -5})
    usual = Inbox(channel, queue)
    high = Inbox(channel, queue, arguments={"x-priority": 10})
    publish(queue, *numbers(1, 2))
    high.take(2)
    publish(queue, *numbers(3, 5))
    usual.take(2)
    low.take(1)
    assert [one.settled() for one in (high, usual, low)] == [[b"1", b"2"], [b"3", b"4"], [b"5"]]
    channel.basic_ack(high.deliveries[0].tag)
    publish(queue, b"6")
    high.take(3)
    assert (low.settled(), high.bodies[-1]) == ([b"5"], b"6")


def test_an_exclusive_consumer_is_alone(channel: BlockingChannel, queue: str) -> None:
    connection = channel.connection
    text = f"ACCESS_REFUSED - queue '{queue}' in vhost '/' in exclusive use"
    usual = Inbox(channel, queue)
    with refused(403, text):
        connection.channel().basic_consume(queue, print, exclusive=True)
    channel.basic_cancel(usual.tag)
    alone = Inbox(channel, queue, exclusive=True)
    for exclusive in (False, True):
        with refused(403, text):
            connection.channel().basic_consume(queue, print, exclusive=exclusive)
    channel.basic_cancel(alone.tag)
    Inbox(connection.channel(), queue)


def test_a_cancelled_consumer_keeps_what_it_has(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    channel.basic_qos(prefetch_count=2)
    inbox = Inbox(channel, queue)
    publish(queue, *numbers(1, 4))
    inbox.take(2)
    channel.basic_cancel(inbox.tag)
    declared = channel.queue_declare(queue, passive=True).method
    assert (declared.message_count, declared.consumer_count) == (2, 0)
    channel.basic_ack(1)
    channel.basic_nack(2, requeue=True)
    method, _, body = channel.basic_get(queue)
    assert (body, method.redelivered, method.message_count) == (b"2", True, 2)
    assert inbox.settled() == numbers(1, 2)


def test_what_one_consumer_gives_back_another_gets(
    connect: Connect, channel: BlockingChannel, name: Name, publish: Publish
) -> None:
    queue = channel.queue_declare(name("q")).method.queue
    first, second = connect().channel(), connect().channel()
    first.basic_qos(prefetch_count=5)
    held = Inbox(first, queue)
    publish(queue, *numbers(1, 5))
    held.take(5)
    first.basic_ack(2)
    first.basic_cancel(held.tag)
    inbox = Inbox(second, queue)
    publish(queue, b"6")
    inbox.take(1)
    first.connection.close()
    redelivered = [(one.body, one.method.redelivered) for one in inbox.take(5)]
    assert redelivered == [(b"6", False), (b"1", True), (b"3", True), (b"4", True), (b"5", True)]
    channel.queue_delete(queue)


def test_a_rejecting_consumer_gets_the_message_again(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    inbox = Inbox(channel, queue)
    publish(queue, b"again")
    for round_ in range(1, 6):
        last = inbox.take(round_)[-1]
        assert (last.body, last.tag, last.method.redelivered) == (b"again", round_, round_ > 1)
        channel.basic_reject(last.tag, requeue=True)


def test_a_consumer_hears_that_its_queue_is_gone(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    queue = channel.queue_declare(name("q")).method.queue
    consuming = connect().channel()
    cancelled: list[str] = []
    consuming.add_on_cancel_callback(lambda frame: cancelled.append(frame.method.consumer_tag))
    inboxes = [Inbox(consuming, queue) for _ in range(2)]
    channel.queue_delete(queue)
    wait_until(consuming, lambda: len(cancelled) == 2, "two cancellations")
    assert set(cancelled) == {one.tag for one in inboxes}
    assert consuming.is_open
    assert consuming.consumer_tags == []


def test_a_consumer_tag_can_be_used_on_each_channel(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    other = channel.connection.channel()
    inboxes = [Inbox(one, queue, consumer_tag="same") for one in (channel, other)]
    publish(queue, b"1", b"2")
    assert [one.take(1)[0].body for one in inboxes] == [b"1", b"2"]
    channel.basic_cancel("same")
    Inbox(channel, queue, consumer_tag="same")


def test_one_channel_consumes_many_queues(channel: BlockingChannel, publish: Publish) -> None:
    queues = [channel.queue_declare("", exclusive=True).method.queue for _ in range(20)]
    inboxes = [Inbox(channel, queue) for queue in queues]
    for queue in queues:
        publish(queue, queue.encode())
    assert [one.take(1)[0].body for one in inboxes] == [queue.encode() for queue in queues]


def test_answers_come_through_a_queue_of_ones_own(
    connect: Connect, channel: BlockingChannel, name: Name
) -> None:
    requests = channel.queue_declare(name("requests"), exclusive=True).method.queue
    served: list[bytes] = []

    def serve(on: BlockingChannel, method: object, asked: BasicProperties, body: bytes) -> None:
        answer = BasicProperties(correlation_id=asked.correlation_id)
        on.basic_publish("", asked.reply_to, body.upper(), answer)
        on.basic_ack(method.delivery_tag)
        served.append(body)

    channel.basic_consume(requests, serve)
    client = connect().channel()
    replies = client.queue_declare("", exclusive=True).method.queue
    inbox = Inbox(client, replies, auto_ack=True)
    for word in ("one", "two", "three"):
        asking = BasicProperties(reply_to=replies, correlation_id=word)
        client.basic_publish("", requests, word.encode(), asking)
    wait_until(channel, lambda: len(served) == 3, "three requests")
    answers = [(one.properties.correlation_id, one.body) for one in inbox.take(3)]
    assert answers == [("one", b"ONE"), ("two", b"TWO"), ("three", b"THREE")]


def test_start_consuming_until_stopped(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    got: list[bytes] = []

    def on_message(_channel: BlockingChannel, method: object, _p: object, body: bytes) -> None:
        got.append(body)
        channel.basic_ack(method.delivery_tag)
        if len(got) == 3:
            channel.stop_consuming()

    channel.basic_consume(queue, on_message)
    publish(queue, *numbers(1, 3))
    channel.start_consuming()
    assert got == numbers(1, 3)
    assert channel.queue_declare(queue, passive=True).method.consumer_count == 0


def test_the_generator_gives_back_what_it_did_not_hand_out(
    channel: BlockingChannel, queue: str, publish: Publish
) -> None:
    publish(queue, *numbers(1, 10))
    for method, _, body in channel.consume(queue, inactivity_timeout=10):
        assert body == b"%d" % method.delivery_tag
        channel.basic_ack(method.delivery_tag)
        if method.delivery_tag == 4:
            break
    channel.cancel()
    left = [channel.basic_get(queue, auto_ack=True)[2] for _ in range(6)]
    assert left == numbers(5, 10)
