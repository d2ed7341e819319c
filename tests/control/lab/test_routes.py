"""The lab's routes: what each asks for."""

from amqplite.control.auth import Access
from amqplite.control.lab.routes import ROUTES


def test_data_takes_a_login_and_pages_do_not() -> None:
    for route in ROUTES:
        assert (route.access is Access.ANYBODY) == (not route.path.startswith("/lab/api/"))


def test_only_marks_are_for_users_without_a_tag() -> None:
    assert [route.path for route in ROUTES if route.access is Access.USER] == ["/lab/api/marks"]
