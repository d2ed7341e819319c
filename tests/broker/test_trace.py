"""The events of a trace."""

from amqplite.broker.trace import Event, as_dict


def test_an_event_tells_what_applies_and_leaves_the_rest_out() -> None:
    event = Event(n=12, t=1_360_000, type="requeued", q="q", m="m3", s=3, cause="ack_timeout")
    assert as_dict(event) == {
        "n": 12,
        "t": 1_360_000,
        "type": "requeued",
        "q": "q",
        "m": "m3",
        "s": 3,
        "cause": "ack_timeout",
    }


def test_another_vhost_and_an_empty_queue_are_told() -> None:
    event = Event(n=1, t=0, type="delivered", v="shop", depth=0)
    assert as_dict(event) == {"n": 1, "t": 0, "type": "delivered", "v": "shop", "depth": 0}
