import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amqplite.broker import passwords, users
from amqplite.broker.records import Definition, Delete, PermissionRow, Put, UserRow
from amqplite.broker.users import Users
from amqplite.errors import AccessRefused, LoginRefused, NotFound, PreconditionFailed

REFUSED = (
    "Login was refused using authentication mechanism PLAIN. For details see the broker logfile."
)
SECRET = (  # of "secret", in few iterations
    "pbkdf2_sha256$1$AAAAAAAAAAAAAAAAAAAAAA==$oPDmF0HDSqNied2KQRxsomqEzihKmDtDunnKuopfJtA="
)


class Diary(list[Definition]):
    """Keeps what is recorded."""

    def make(self) -> Users:
        return Users(self.append, bytes)


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def somebody(diary: Diary) -> Users:
    """Users with one, who may do everything in `/`, and a diary that forgot how that came."""
    made = diary.make()
    made.put_user("u", SECRET, ["management"])
    made.set_permissions("u", "/", configure=".*", write=".*", read=".*")
    diary.clear()
    return made


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hashes that passwords were verified against."""
    seen: list[str] = []

    def verify(password: bytes, stored: str) -> bool:
        seen.append(stored)
        return passwords.verify(password, stored)

    monkeypatch.setattr(users, "verify", verify)
    return seen


def may(them: Users, permission: str, name: str, kind: str = "queue") -> bool:
    try:
        them.check(users.User("u", "", ()), "/", permission, kind, name)
    except AccessRefused:
        return False
    return True


# -- logging in ----------------------------------------------------------------------------------


def test_a_user_logs_in_with_the_password(somebody: Users) -> None:
    user = somebody.authenticate("u", "secret", loopback=False)
    assert user == users.User("u", SECRET, ("management",))
    assert user is somebody.get("u")


@pytest.mark.parametrize(
    ("name", "password"), [("u", "Secret"), ("u", ""), ("U", "secret"), ("", ""), ("v", "")]
)
def test_a_login_is_refused_with_one_text(somebody: Users, name: str, password: str) -> None:
    with pytest.raises(LoginRefused) as caught:
        somebody.authenticate(name, password, loopback=True)
    assert str(caught.value) == REFUSED
    assert caught.value.__notes__ == [f"user '{name}': invalid credentials"]


def test_a_refused_login_names_its_mechanism(somebody: Users) -> None:
    with pytest.raises(LoginRefused, match=r"mechanism AMQPLAIN\. For details"):
        somebody.authenticate("u", "no", mechanism="AMQPLAIN", loopback=True)


def test_a_user_without_a_password_does_not_get_in(somebody: Users) -> None:
    somebody.put_user("u", "")
    for password in ("", "secret"):
        with pytest.raises(LoginRefused):
            somebody.authenticate("u", password, loopback=True)


def test_an_empty_password_fits_not_even_its_hash(somebody: Users) -> None:
    somebody.put_user("u", somebody.hash_password(""))
    with pytest.raises(LoginRefused):
        somebody.authenticate("u", "", loopback=True)


def test_some_users_come_from_this_machine_only(diary: Diary) -> None:
    them = Users(diary.append, bytes, loopback_users=["guest", "ghost"])
    them.put_user("guest", SECRET)
    them.put_user("u", SECRET)
    assert them.authenticate("guest", "secret", loopback=True).name == "guest"
    assert them.authenticate("u", "secret", loopback=False).name == "u"
    for name in ("guest", "ghost"):
        with pytest.raises(LoginRefused) as caught:
            them.authenticate(name, "secret", loopback=False)
        assert str(caught.value) == REFUSED
        assert caught.value.__notes__ == [f"user '{name}': can only connect from this machine"]


def test_every_refusal_costs_the_same_work(somebody: Users, work: list[str]) -> None:
    somebody.put_user("guest", SECRET)
    somebody.put_user("open", "")
    somebody.authenticate("guest", "secret", loopback=True)
    work.clear()
    for name, password in [("u", "no"), ("nobody", "secret"), ("open", ""), ("guest", "secret")]:
        for _ in range(2):
            with pytest.raises(LoginRefused):
                somebody.authenticate(name, password, loopback=False)
    assert work == [SECRET] * 2 + [passwords.NOBODY] * 6


def test_a_repeated_login_costs_no_work(somebody: Users, work: list[str]) -> None:
    for _ in range(3):
        somebody.authenticate("u", "secret", loopback=False)
    assert work == [SECRET]


def test_a_changed_password_holds_at_once(somebody: Users) -> None:
    somebody.authenticate("u", "secret", loopback=False)
    somebody.put_user("u", somebody.hash_password("changed"))
    with pytest.raises(LoginRefused):
        somebody.authenticate("u", "secret", loopback=False)
    somebody.authenticate("u", "changed", loopback=False)


def test_a_deleted_user_is_out_at_once(somebody: Users) -> None:
    somebody.authenticate("u", "secret", loopback=False)
    somebody.delete_user("u")
    with pytest.raises(LoginRefused):
        somebody.authenticate("u", "secret", loopback=False)


def test_no_more_than_so_many_logins_are_remembered(
    somebody: Users, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users, "_VERIFIED_MAX", 2)
    for number in range(3):
        somebody.put_user(f"u{number}", SECRET.replace("AA==", f"{number}w=="))
    monkeypatch.setattr(passwords, "compare_digest", lambda _a, _b: True)
    for name in ("u0", "u1", "u2", "u1", "u2", "u0"):
        somebody.authenticate(name, "secret", loopback=False)
    assert [hash.split("$")[2][-4:-2] for hash in work] == ["0w", "1w", "2w", "0w"]


def test_each_password_has_its_own_salt() -> None:
    salts = iter([b"key", b"a" * 16, b"b" * 16])
    them = Users([].append, lambda _: next(salts))
    first, second = them.hash_password("x"), them.hash_password("x")
    assert first.split("$")[2] == "YWFhYWFhYWFhYWFhYWFhYQ=="
    assert second.split("$")[2] == "YmJiYmJiYmJiYmJiYmJiYg=="
    assert first.split("$")[3] != second.split("$")[3]


# -- permissions ---------------------------------------------------------------------------------

EXPRESSIONS = [
    # expression     name          matches  because
    ("", "", False, "the empty one matches nothing, not even an empty name"),
    ("", "q", False, "the empty one matches nothing"),
    (".*", "q", True, "all"),
    (".*", "", True, "all, even an empty name"),
    ("^$", "q", False, "none"),
    ("orders", "old-orders-1", True, "anywhere in the name"),
    ("^orders", "old-orders-1", False, "at the start"),
    ("^(a|b)$", "b", True, "one of two"),
    ("^amq\\.gen", "amq.gen-x", True, "a prefix"),
    ("ORDERS", "orders", False, "case counts"),
    ("^ü", "über", True, "Unicode"),
    ("^.$", "\udcff", True, "not Unicode"),
]


@pytest.mark.parametrize("permission", users.PERMISSIONS)
@pytest.mark.parametrize(
    ("expression", "name", "expected"), [pytest.param(*row[:3], id=row[3]) for row in EXPRESSIONS]
)
def test_an_expression_allows_names(
    somebody: Users, permission: str, expression: str, name: str, expected: bool
) -> None:
    only = dict.fromkeys(users.PERMISSIONS, "") | {permission: expression}
    somebody.set_permissions("u", "/", **only)
    for _ in range(2):
        assert may(somebody, permission, name) is expected
    for other in set(users.PERMISSIONS) - {permission}:
        assert not may(somebody, other, name)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("queue", "q", "configure access to queue 'q' in vhost '/' refused for user 'u'"),
        ("queue", "", "configure access to queue '' in vhost '/' refused for user 'u'"),
        ("exchange", "x", "configure access to exchange 'x' in vhost '/' refused for user 'u'"),
        (
            "exchange",
            "",
            "configure access to exchange 'amq.default' in vhost '/' refused for user 'u'",
        ),
    ],
)
def test_a_refusal_names_what_was_refused(somebody: Users, kind: str, name: str, text: str) -> None:
    somebody.set_permissions("u", "/", configure="", write=".*", read=".*")
    user = somebody.authenticate("u", "secret", loopback=True)
    with pytest.raises(AccessRefused) as caught:
        somebody.check(user, "/", "configure", kind, name)
    assert str(caught.value) == text


def test_the_default_exchange_goes_by_another_name(somebody: Users) -> None:
    somebody.set_permissions("u", "/", configure="", write="^amq\\.default$", read="")
    assert may(somebody, "write", "", kind="exchange")


def test_permissions_are_for_one_vhost(somebody: Users) -> None:
    user = somebody.authenticate("u", "secret", loopback=True)
    assert somebody.may_enter(user, "/")
    assert not somebody.may_enter(user, "other")
    with pytest.raises(AccessRefused, match="queue 'q' in vhost 'other' refused for user 'u'"):
        somebody.check(user, "other", "read", "queue", "q")


def test_permissions_that_allow_nothing_let_a_user_in(somebody: Users) -> None:
    somebody.set_permissions("u", "new", configure="", write="", read="")
    user = somebody.authenticate("u", "secret", loopback=True)
    assert somebody.may_enter(user, "new")


@pytest.mark.parametrize(
    "expression",
    ["(", "*", "a{99999999999999999999}", "(" * 9999 + ")" * 9999, "[[:alpha:]]", "\\h"],
)
def test_what_is_no_regular_expression_is_refused(somebody: Users, expression: str) -> None:
    before = somebody.permissions(), somebody.revision
    with pytest.raises(PreconditionFailed, match=re.escape(f"expression '{expression}': ")):
        somebody.set_permissions("u", "/", configure="", write=expression, read="")
    assert (somebody.permissions(), somebody.revision) == before


def test_permissions_need_their_user(somebody: Users, diary: Diary) -> None:
    with pytest.raises(NotFound, match="no user 'nobody'"):
        somebody.set_permissions("nobody", "/", configure="", write="", read="")
    assert diary == []


def test_decisions_are_not_kept_without_bound(
    somebody: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(users, "_DECISIONS_MAX", 3)
    for number in range(10):
        assert may(somebody, "read", f"q{number}")
    assert len(somebody._permissions["u", "/"]._decisions) <= 3


# -- changes -------------------------------------------------------------------------------------


def test_a_change_holds_for_the_next_check(somebody: Users) -> None:
    assert may(somebody, "read", "q")
    somebody.set_permissions("u", "/", configure=".*", write=".*", read="^x")
    assert not may(somebody, "read", "q")
    somebody.set_permissions("u", "/", configure=".*", write=".*", read=".*")
    assert may(somebody, "read", "q")
    somebody.clear_permissions("u", "/")
    assert not may(somebody, "read", "q")


CHANGES: list[tuple[str, Callable[[Users], object], list[Definition]]] = [
    ("add a user", lambda u: u.put_user("v", "", ["a", "b"]), [Put(UserRow("v", "", "a,b"))]),
    (
        "change a user",
        lambda u: u.put_user("u", SECRET, [" a ", "b", "a", ""]),
        [Put(UserRow("u", SECRET, "a,b"))],
    ),
    (
        "delete a user",
        lambda u: u.delete_user("u"),
        [Delete(UserRow("u", SECRET, "management"))],
    ),
    (
        "set permissions",
        lambda u: u.set_permissions("u", "w", configure="c", write="w", read="r"),
        [Put(PermissionRow("u", "w", "c", "w", "r"))],
    ),
    (
        "clear permissions",
        lambda u: u.clear_permissions("u", "/"),
        [Delete(PermissionRow("u", "/", ".*", ".*", ".*"))],
    ),
    ("forget a vhost", lambda u: u.forget_vhost("/"), []),
]


@pytest.mark.parametrize(
    ("change", "recorded"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES]
)
def test_a_change_is_recorded_and_raises_the_revision(
    somebody: Users, diary: Diary, change: Callable[[Users], object], recorded: list[Definition]
) -> None:
    before = somebody.revision
    change(somebody)
    assert diary == recorded
    assert somebody.revision > before


def test_to_delete_what_is_not_there_changes_nothing(somebody: Users, diary: Diary) -> None:
    before = somebody.revision
    assert not somebody.delete_user("nobody")
    assert not somebody.clear_permissions("u", "other")
    assert (diary, somebody.revision) == ([], before)


def test_permissions_go_with_their_user_or_vhost(somebody: Users) -> None:
    somebody.put_user("v", SECRET)
    for user, vhost in [("u", "w"), ("v", "/"), ("v", "w")]:
        somebody.set_permissions(user, vhost, configure="", write="", read="")
    assert somebody.delete_user("u")
    somebody.forget_vhost("w")
    assert somebody.permissions() == [PermissionRow("v", "/", "", "", "")]
    somebody.put_user("u", SECRET)
    assert not may(somebody, "read", "q")


def test_a_hash_that_nobody_can_verify_is_refused(somebody: Users, diary: Diary) -> None:
    with pytest.raises(PreconditionFailed):
        somebody.put_user("u", "secret")
    assert diary == []
    somebody.authenticate("u", "secret", loopback=True)


names = st.sampled_from(["u", "v", "w"])


@given(st.lists(st.tuples(st.integers(0, 3), names, names), max_size=20))
def test_what_is_recorded_restores_what_is(steps: list[tuple[int, str, str]]) -> None:
    diary = Diary()
    them, rows = diary.make(), dict[object, object]()
    for step, user, vhost in steps:
        if step == 0 or (step == 1 and them.get(user) is None):
            them.put_user(user, SECRET, [vhost])
        elif step == 1:
            them.set_permissions(user, vhost, configure=user, write=vhost, read="")
        elif step == 2:
            them.clear_permissions(user, vhost)
        else:
            them.delete_user(user)
    for definition in diary:
        row = definition.row
        key = row.name if isinstance(row, UserRow) else (row.user, row.vhost)
        if isinstance(definition, Put):
            rows[key] = row
        else:
            del rows[key]
            if isinstance(row, UserRow):
                rows = {k: r for k, r in rows.items() if not (type(k) is tuple and k[0] == key)}
    restored = Diary().make()
    restored.load(
        [row for row in rows.values() if isinstance(row, UserRow)],
        [row for row in rows.values() if isinstance(row, PermissionRow)],
    )
    assert {u.name: u for u in restored.users()} == {u.name: u for u in them.users()}
    assert set(restored.permissions()) == set(them.permissions())
