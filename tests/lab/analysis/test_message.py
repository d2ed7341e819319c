from amqplite.lab.analysis.message import RETURNS_MAX, Handout, Message, Moment, Place, Return


def place_of(message: Message, queue: str = "q") -> Place:
    place = Place(message, ("/", queue), 1, 1, Moment(1, 0))
    message.places[place.queue] = place
    return place


def test_the_last_returns_are_remembered_and_all_are_counted() -> None:
    place = place_of(Message(1, "m1"))
    for n in range(1, RETURNS_MAX + 4):
        place.came_back(Return(n, n, "c1", "nack_requeue", ""))
    assert place.returned == RETURNS_MAX + 3
    assert [back.n for back in place.returns] == list(range(4, RETURNS_MAX + 4))


def test_a_message_is_open_while_it_is_anywhere() -> None:
    message = Message(1, "m1")
    first, second = place_of(message), place_of(message, "r")
    first.state, second.state = "done", "held"
    assert message.is_open
    assert message.is_done
    second.state = "away"
    assert not message.is_open


def test_a_channel_that_is_not_known_is_the_consumer_s_own() -> None:
    assert Handout(1, 0, "c1", "a", 1).channel == Handout(2, 0, "c2", "a", 1).channel
    assert Handout(1, 0, "c1", "", 0).channel != Handout(2, 0, "c2", "", 0).channel
