"""What the lab has at hand."""

import pytest

from amqplite.control.auth import ANONYMOUS
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.lab.desk import bad, busy, desk_of, setting
from tests.control.sites import make_site


async def test_a_site_has_one_desk_from_the_first_request_on() -> None:
    site = make_site()
    assert site.desk is None
    desk = desk_of(Call(site, ANONYMOUS, {}, {}))
    assert desk_of(Call(site, ANONYMOUS, {}, {})) is desk is site.desk
    assert desk_of(Call(make_site(), ANONYMOUS, {}, {})) is not desk


def test_what_cannot_be_done_says_why() -> None:
    assert (bad("no").status, str(bad("no"))) == (400, "no")
    late = busy(ValueError("later"))
    assert (late.status, str(late), dict(late.headers)) == (503, "later", {"retry-after": "5"})


def test_a_setting_is_one_of_those_that_are_known() -> None:
    def asked(**query: str) -> str:
        return setting(Call(make_site(), ANONYMOUS, {}, query), "at", ("first", "last"), "first")

    assert (asked(), asked(at="last"), asked(other="x")) == ("first", "last", "first")
    with pytest.raises(HttpError, match="at: 'x' is none of first, last"):
        asked(at="x")
