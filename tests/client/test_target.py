"""URLs of brokers."""

import pytest

from amqplite.client.target import Target, parse_url


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("amqp:", Target()),
        ("amqp://", Target()),
        ("amqp://broker", Target(host="broker")),
        ("amqp://broker:5673/", Target(host="broker", port=5673)),
        ("amqp://[::1]:5673", Target(host="::1", port=5673)),
        ("amqp://ann@broker", Target(host="broker", user="ann")),
        (
            "amqp://a%40b:p%2F%3A@broker/%2F",
            Target(host="broker", user="a@b", password="p/:", vhost="/"),
        ),
        ("amqp://broker/shop", Target(host="broker", vhost="shop")),
        ("amqp://broker/a%2Fb", Target(host="broker", vhost="a/b")),
        (
            "amqp://broker?heartbeat=0&channel_max=7&frame_max=4096&connection_name=p1",
            Target(host="broker", heartbeat_s=0, channel_max=7, frame_max=4096, name="p1"),
        ),
        ("amqp://broker?connection_timeout=2500", Target(host="broker", timeout_s=2.5)),
    ],
)
def test_a_url_says_where_and_as_whom(url: str, target: Target) -> None:
    assert parse_url(url) == target


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://broker", "begins with amqp://"),
        ("amqps://broker", "begins with amqp://"),
        ("broker", "begins with amqp://"),
        ("amqp://broker/a/b", "one segment"),
        ("amqp://broker?heartbeet=5", "no parameter 'heartbeet'"),
        ("amqp://broker?heartbeat=often", "often"),
        ("amqp://broker:port", "port"),
    ],
)
def test_what_is_no_url_of_a_broker_is_refused(url: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_url(url)
