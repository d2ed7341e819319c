"""The table: each line is reached by its own path, and asks for a login unless it is open."""

from collections import Counter

import pytest

from amqplite.control.auth import Access
from amqplite.control.router import Route, Router
from amqplite.control.routes import ROUTES

OPEN = {"/", "/page/{file}", "/health", "/lab", "/lab/{file}", "/lab/texts/{file}"}


def test_no_two_routes_are_the_same() -> None:
    assert max(Counter((route.method, route.path) for route in ROUTES).values()) == 1


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_is_reached_by_its_path(route: Route) -> None:
    target = route.path.replace("{", "").replace("}", "")
    assert Router(ROUTES).find(route.method, target).route is route


def test_all_but_the_pages_and_the_check_for_containers_ask_for_a_login() -> None:
    assert {route.path for route in ROUTES if route.access is Access.ANYBODY} == OPEN
