"""Exchanges: what is shown of them."""

import pytest

from amqplite.control.api import exchanges
from amqplite.control.errors import HttpError
from amqplite.control.site import Site
from tests.control.sites import ask, declare, listed, make_site


@pytest.fixture
def site() -> Site:
    return make_site()


def test_an_exchange_is_shown_with_all_that_is_known(site: Site) -> None:
    site.broker.vhosts["/"].declare_exchange(
        None,
        "x",
        "topic",
        durable=True,
        internal=True,
        arguments={"alternate-exchange": ("S", b"y")},
    )
    assert listed(exchanges.exchange, site, vhost="/", name="x") == {
        "name": "x",
        "vhost": "/",
        "type": "topic",
        "durable": True,
        "auto_delete": False,
        "internal": True,
        "arguments": {"alternate-exchange": "y"},
    }


def test_the_default_exchange_is_found_by_its_other_name(site: Site) -> None:
    assert listed(exchanges.exchange, site, vhost="/", name="amq.default")["name"] == ""


def test_exchanges_are_listed_with_those_that_every_vhost_has(site: Site) -> None:
    names = [exchange["name"] for exchange in listed(exchanges.exchanges, site, vhost="log")]
    assert names[:2] == ["", "amq.direct"]
    assert len(listed(exchanges.exchanges, site)) == 4 * len(names)


def test_one_that_is_not_there_is_not_found(site: Site) -> None:
    declare(site, "log", "q")
    with pytest.raises(HttpError, match="Not Found"):
        ask(exchanges.exchange, site, vhost="/", name="q")
