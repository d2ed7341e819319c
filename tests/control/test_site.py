"""Where a site listens."""

import pytest
import trio

from amqplite.control.site import Endpoint, endpoints


async def test_endpoints_are_those_of_all_sockets() -> None:
    sockets = {p: await trio.open_tcp_listeners(0, host="127.0.0.1") for p in ("amqp", "http")}
    ports = [listeners[0].socket.getsockname()[1] for listeners in sockets.values()]
    assert endpoints(sockets) == (
        Endpoint("amqp", "127.0.0.1", ports[0]),
        Endpoint("http", "127.0.0.1", ports[1]),
    )
    for (listener,) in sockets.values():
        await listener.aclose()


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "127.0.0.1:1"), ("::1", "[::1]:1"), ("::", "[::]:1")]
)
def test_an_address_is_as_in_a_url(host: str, address: str) -> None:
    assert Endpoint("amqp", host, 1).address == address
