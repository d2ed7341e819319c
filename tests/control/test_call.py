"""Which vhosts a user may see."""

import pytest

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.errors import AccessRefused
from tests.control.sites import VHOSTS, make_site

SEES = {"admin": list(VHOSTS), "watcher": list(VHOSTS), "owner": ["log"], "client": ["log"]}

SITE = make_site()


def call(user: str, **parameters: str) -> Call:
    held = SITE.broker.users.get(user)
    assert held is not None
    return Call(SITE, held, parameters, {})


@pytest.mark.parametrize("user", SEES)
def test_monitoring_sees_all_vhosts_and_others_those_they_may_enter(user: str) -> None:
    assert [vhost.name for vhost in call(user).vhosts()] == SEES[user]
    assert [vhost.name for vhost in call(user).chosen_vhosts()] == SEES[user]


@pytest.mark.parametrize("user", SEES)
def test_a_vhost_that_is_named_must_be_one_the_user_may_see(user: str) -> None:
    for name in VHOSTS:
        asked = call(user, vhost=name)
        if name in SEES[user]:
            assert asked.vhost().name == name
            assert asked.chosen_vhosts() == [asked.vhost()]
        else:
            with pytest.raises(AccessRefused, match=f"access to vhost '{name}' refused for user"):
                asked.chosen_vhosts()


def test_a_vhost_that_is_not_there_is_not_found() -> None:
    with pytest.raises(HttpError, match="Not Found") as missed:
        call("client", vhost="nowhere").vhost()
    assert missed.value.status == 404
