"""Health checks: what fails, why, and what RabbitMQ's clients look for in the answer."""

import pytest

from amqplite.control.api import health
from amqplite.control.errors import HttpError
from amqplite.control.router import Handler
from amqplite.control.site import Site
from tests.control.sites import ask, make_site

OK = (200, {"status": "ok"})


@pytest.fixture
def site() -> Site:
    return make_site()


@pytest.mark.parametrize(
    "handler", [health.ok, health.alarms, health.local_alarms, health.is_serving]
)
def test_a_broker_without_troubles_is_well(site: Site, handler: Handler) -> None:
    assert ask(handler, site, "owner") == OK


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (health.alarms, "There are alarms in effect in the cluster"),
        (health.local_alarms, "There are alarms in effect on the node"),
    ],
)
def test_alarms_fail_while_they_are_on(site: Site, handler: Handler, reason: str) -> None:
    alarms = site.broker.alarms
    alarms.set("memory", True)
    alarms.set("disk", True)
    status, said = ask(handler, site)
    assert (status, said["status"], said["reason"]) == (503, "failed", reason)
    assert [alarm["resource"] for alarm in said["alarms"]] == ["memory", "disk"]
    alarms.set("memory", False)
    assert [alarm["resource"] for alarm in ask(handler, site)[1]["alarms"]] == ["disk"]
    alarms.set("disk", False)
    assert ask(handler, site) == OK


def test_a_broker_that_stops_serves_no_more(site: Site) -> None:
    site.stopping.set()
    assert ask(health.is_serving, site) == (
        503,
        {"status": "failed", "reason": "the broker is about to stop"},
    )
    assert ask(health.alarms, site) == OK


def test_a_port_is_listened_on_or_not(site: Site) -> None:
    for port in ("5672", "15672"):
        expected = (200, {"status": "ok", "port": int(port)})
        assert ask(health.port_listener, site, port=port) == expected
    assert ask(health.port_listener, site, port="5671") == (
        503,
        {
            "status": "failed",
            "reason": "No active listener",
            "missing": 5671,
            "ports": [5672, 15672],
        },
    )


@pytest.mark.parametrize("port", ["amqp", "-1", "5672.0", " 5672", "٥", "1" * 5000])
def test_a_port_is_a_number(site: Site, port: str) -> None:
    with pytest.raises(HttpError, match="Invalid port") as refused:
        ask(health.port_listener, site, port=port)
    assert refused.value.status == 400


def test_a_protocol_is_listened_for_or_not(site: Site) -> None:
    assert ask(health.protocol_listener, site, protocol="amqp") == (
        200,
        {"status": "ok", "protocol": "amqp"},
    )
    status, said = ask(health.protocol_listener, site, protocol="mqtt")
    assert (status, said["missing"], said["protocols"]) == (503, "mqtt", ["amqp", "http"])
