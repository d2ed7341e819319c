"""Who may see a run, and who may change it."""

import pytest

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.lab.access import may_see, owned_run, visible_run
from amqplite.control.lab.desk import desk_of
from amqplite.control.site import Site
from amqplite.errors import AccessRefused
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.keeping.runs import Run
from amqplite.lab.trace import Header
from tests.control.sites import make_site


def call(site: Site, user: str) -> Call:
    held = site.broker.users.get(user)
    assert held is not None
    return Call(site, held, {}, {})


async def keep(site: Site, owner: str, *vhosts: str) -> Run:
    run = Run(owner=owner, name="a run", recording=Recording(Header()), vhosts=frozenset(vhosts))
    return desk_of(call(site, owner)).runs.add(run)


SEEN = [
    # owner    vhosts            admin watcher owner client
    ("owner", (), {"admin", "watcher", "owner", "client"}),
    ("admin", ("log",), {"admin", "watcher", "owner", "client"}),
    ("admin", ("/",), {"admin", "watcher"}),
    ("admin", ("log", "/"), {"admin", "watcher"}),
    ("owner", ("/",), {"admin", "watcher", "owner"}),
    ("admin", ("gone",), {"admin"}),
]


@pytest.mark.parametrize(("owner", "vhosts", "seen"), SEEN)
async def test_a_run_is_seen_by_who_may_see_its_vhosts(
    owner: str, vhosts: tuple[str, ...], seen: set[str]
) -> None:
    site = make_site()
    run = await keep(site, owner, *vhosts)
    users = ("admin", "watcher", "owner", "client")
    assert {user for user in users if may_see(call(site, user), run)} == seen
    for user in users:
        if user in seen:
            assert visible_run(call(site, user), run.id) is run
        else:
            with pytest.raises(AccessRefused, match=f"access to the run refused for user '{user}'"):
                visible_run(call(site, user), run.id)


async def test_a_run_is_changed_by_its_owner_and_by_administrators() -> None:
    site = make_site()
    run = await keep(site, "owner")
    for user in ("owner", "admin"):
        assert owned_run(call(site, user), run.id) is run
    for user in ("watcher", "client"):
        with pytest.raises(AccessRefused, match="the run is of user 'owner'"):
            owned_run(call(site, user), run.id)


async def test_a_run_that_is_not_there_is_not_found() -> None:
    with pytest.raises(HttpError) as missed:
        visible_run(call(make_site(), "admin"), "nothing")
    assert missed.value.status == 404
