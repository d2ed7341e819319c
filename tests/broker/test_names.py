import pytest

from amqplite.broker.names import refuse_default, refuse_reserved, require_same, stripped
from amqplite.errors import AccessRefused, PreconditionFailed


@pytest.mark.parametrize(
    ("name", "without"), [("q", "q"), ("a\r\nb\n", "ab"), ("\r\n", ""), (" q ", " q ")]
)
def test_line_ends_are_dropped(name: str, without: str) -> None:
    assert stripped(name) == without


@pytest.mark.parametrize("name", ["", "amq.default"])
def test_the_default_exchange_is_left_alone(name: str) -> None:
    with pytest.raises(AccessRefused, match="operation not permitted on the default exchange"):
        refuse_default(name)


def test_other_exchanges_are_none_of_its_business() -> None:
    refuse_default("amq.direct")


def test_names_of_the_brokers_own_are_reserved() -> None:
    refuse_reserved("queue", "amqp")
    with pytest.raises(AccessRefused) as caught:
        refuse_reserved("queue", "amq.mine")
    assert str(caught.value) == "queue name 'amq.mine' contains reserved prefix 'amq.*'"


@pytest.mark.parametrize(
    ("received", "current", "said"),
    [
        (True, False, "received 'true' but current is 'false'"),
        ("topic", "direct", "received 'topic' but current is 'direct'"),
    ],
)
def test_what_differs_is_named(received: object, current: object, said: str) -> None:
    require_same("exchange", "x", "/", "durable", current, current)
    with pytest.raises(PreconditionFailed) as caught:
        require_same("exchange", "x", "/", "durable", received, current)
    assert str(caught.value) == f"inequivalent arg 'durable' for exchange 'x' in vhost '/': {said}"
