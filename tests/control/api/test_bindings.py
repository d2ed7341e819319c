"""Bindings: what is shown of them."""

import pytest

from amqplite.control.api import bindings
from amqplite.control.site import Site
from tests.control.sites import declare, listed, make_site


@pytest.fixture
def site() -> Site:
    return make_site()


def test_bindings_are_listed_with_those_of_the_default_exchange(site: Site) -> None:
    vhost = site.broker.vhosts["/"]
    declare(site, "/", "q")
    vhost.bind_queue(None, None, "amq.topic", "q", "a.#")
    vhost.bind_exchange(None, "amq.direct", "amq.fanout", "")
    vhost.bind_queue(
        None, None, "amq.headers", "q", "k", {"a": ("I", 1)}, b"\x01aI\x00\x00\x00\x01"
    )
    shown = listed(bindings.bindings, site, vhost="/")
    assert [
        (b["source"], b["destination_type"], b["destination"], b["routing_key"]) for b in shown
    ] == [
        ("", "queue", "q", "q"),
        ("amq.direct", "exchange", "amq.fanout", ""),
        ("amq.headers", "queue", "q", "k"),
        ("amq.topic", "queue", "q", "a.#"),
    ]
    keys = [binding["properties_key"] for binding in shown]
    assert [keys[0], keys[1], keys[3]] == ["q", "~", "a.#"]
    assert keys[2].startswith("k~")
    assert shown[2]["arguments"] == {"a": 1}
    assert listed(bindings.bindings, site, "owner") == []
