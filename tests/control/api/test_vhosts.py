"""Vhosts: what is shown of them, and to whom."""

import pytest

from amqplite.broker.message import restored
from amqplite.control.api import vhosts
from amqplite.control.site import Site
from tests.control.sites import declare, listed, make_site

MESSAGE = restored("", "q", b"\x00\x00", b"m", persistent=False)


@pytest.fixture
def site() -> Site:
    return make_site()


def test_vhosts_are_listed_with_their_messages(site: Site) -> None:
    queue = declare(site, "log", "q")
    queue.push(MESSAGE)
    queue.get()
    queue.push(MESSAGE)
    assert [vhost["name"] for vhost in listed(vhosts.vhosts, site)] == ["/", "/log", "log", "a b"]
    (own,) = listed(vhosts.vhosts, site, "owner")
    assert own == listed(vhosts.vhost, site, vhost="log")
    assert (own["messages"], own["messages_ready"], own["messages_unacknowledged"]) == (2, 1, 1)
