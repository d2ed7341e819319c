"""Users: who may come in, and what they may do (RabbitMQ: access control).

A user has permissions per vhost: three regular expressions on the names of queues and exchanges.
An expression may match anywhere in a name, and an empty one matches none. They are an
administrator's, and are run as they are: one that takes for ever would take the broker with it.
"""

import re
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from hmac import digest

from amqplite.broker.passwords import NOBODY, check_hash, hash_password, verify
from amqplite.broker.records import Definition, Delete, PermissionRow, Put, UserRow
from amqplite.errors import AccessRefused, LoginRefused, NotFound, PreconditionFailed

PERMISSIONS = ("configure", "write", "read")

_VERIFIED_MAX = 1024
_DECISIONS_MAX = 4096


@dataclass(frozen=True, slots=True)
class User:
    """A user, as of some revision.

    Attributes:
        password_hash: algorithm, parameters and digest, separated by `$`; empty for a user who
            can't log in with any password.
        tags: what the user may do beside using the broker, such as `administrator`.
    """

    name: str
    password_hash: str
    tags: tuple[str, ...]


class Users:
    """All users and their permissions.

    Every change is recorded, and holds for the very next check.

    Args:
        record: takes the changes for the store.
        random_octets: makes that many, which nobody can guess: salts, and the key of this process.
        loopback_users: names of those who may log in from this machine only.

    Attributes:
        revision: rises with every change. A decision made under the current one still stands.
    """

    def __init__(
        self,
        record: Callable[[Definition], object],
        random_octets: Callable[[int], bytes],
        loopback_users: Collection[str] = ("guest",),
    ) -> None:
        self.revision = 0
        self._record = record
        self._random_octets = random_octets
        self._loopback_users = frozenset(loopback_users)
        self._key = random_octets(32)
        self._users: dict[str, User] = {}
        self._permissions: dict[tuple[str, str], _Permission] = {}
        self._verified: dict[bytes, None] = {}  # oldest first

    # -- changes ---------------------------------------------------------------------------------

    def hash_password(self, password: str) -> str:
        """Return a hash for `put_user`, with a salt of its own."""
        return hash_password(password, self._random_octets(16))

    def put_user(self, name: str, password_hash: str, tags: Iterable[str] = ()) -> User:
        """Add a user, or change one.

        Raises:
            PreconditionFailed: `password_hash` is neither empty nor any we know how to verify.
        """
        if password_hash:
            check_hash(password_hash)
        user = self._put(UserRow(name, password_hash, ",".join(tags)))
        self._record(Put(_user_row(user)))
        return user

    def delete_user(self, name: str) -> bool:
        """Delete a user with all permissions; return whether there was one."""
        user = self._users.pop(name, None)
        if user is None:
            return False
        self._forget_permissions(lambda row: row.user == name)
        self._record(Delete(_user_row(user)))
        return True

    def set_permissions(
        self, user: str, vhost: str, *, configure: str, write: str, read: str
    ) -> None:
        """Let `user` enter `vhost`, and do there what the three expressions allow.

        Raises:
            NotFound: there is no such user.
            PreconditionFailed: an expression is none. Nothing has changed.
        """
        if user not in self._users:
            raise NotFound(f"no user '{user}'")
        row = PermissionRow(user, vhost, configure, write, read)
        self._set(row)
        self._record(Put(row))

    def clear_permissions(self, user: str, vhost: str) -> bool:
        """Let `user` no longer enter `vhost`; return whether that was allowed."""
        permission = self._permissions.pop((user, vhost), None)
        if permission is None:
            return False
        self.revision += 1
        self._record(Delete(permission.row))
        return True

    def forget_vhost(self, vhost: str) -> None:
        """Drop all permissions in a vhost that is deleted, whose own record takes them along."""
        self._forget_permissions(lambda row: row.vhost == vhost)

    def load(self, users: Iterable[UserRow], permissions: Iterable[PermissionRow]) -> None:
        """Bring back what the store holds."""
        for user in users:
            self._put(user)
        for permission in permissions:
            self._set(permission)

    def _put(self, row: UserRow) -> User:
        tags = tuple(dict.fromkeys(tag.strip() for tag in row.tags.split(",") if tag.strip()))
        user = self._users[row.name] = User(row.name, row.password_hash, tags)
        self.revision += 1
        return user

    def _set(self, row: PermissionRow) -> None:
        self._permissions[row.user, row.vhost] = _Permission(row)
        self.revision += 1

    def _forget_permissions(self, gone: Callable[[PermissionRow], bool]) -> None:
        for key, permission in list(self._permissions.items()):
            if gone(permission.row):
                del self._permissions[key]
        self.revision += 1

    # -- questions -------------------------------------------------------------------------------

    def get(self, name: str) -> User | None:
        """Return a user as of now, `None` if there is none."""
        return self._users.get(name)

    def users(self) -> list[User]:
        """Return all users, oldest first."""
        return list(self._users.values())

    def permissions(self) -> list[PermissionRow]:
        """Return all permissions, oldest first."""
        return [permission.row for permission in self._permissions.values()]

    def authenticate(
        self, name: str, password: str, *, mechanism: str = "PLAIN", loopback: bool
    ) -> User:
        """Return the user who logs in with `password`.

        Args:
            name: the user's.
            password: as sent; an empty one never fits.
            mechanism: name of the SASL mechanism in use.
            loopback: whether the connection comes from this machine.

        Raises:
            LoginRefused: no. Neither the text nor the time it takes tells why; a note on the
                exception does, for the log.
        """
        user = self._users.get(name)
        barred = name in self._loopback_users and not loopback
        stored = NOBODY if user is None or barred else user.password_hash or NOBODY
        if self._verify(stored, password.encode(errors="surrogateescape")) and user is not None:
            return user
        refused = LoginRefused(
            f"Login was refused using authentication mechanism {mechanism}. "
            "For details see the broker logfile."
        )
        reason = "can only connect from this machine" if barred else "invalid credentials"
        refused.add_note(f"user '{name}': {reason}")
        raise refused

    def may_enter(self, user: User, vhost: str) -> bool:
        """Return whether `user` has any permissions in `vhost`, though they may allow nothing."""
        return (user.name, vhost) in self._permissions

    def check(self, user: User, vhost: str, permission: str, kind: str, name: str) -> None:
        """Check that `user` may do something.

        Args:
            user: who.
            vhost: where.
            permission: one of `PERMISSIONS`.
            kind: `queue` or `exchange`.
            name: of the queue or exchange; the default exchange has the name `amq.default` here.

        Raises:
            AccessRefused: no.
        """
        if kind == "exchange" and not name:
            name = "amq.default"
        held = self._permissions.get((user.name, vhost))
        if held is None or not held.allows(permission, name):
            raise AccessRefused(
                f"{permission} access to {kind} '{name}' in vhost '{vhost}' refused for user "
                f"'{user.name}'"
            )

    def _verify(self, stored: str, password: bytes) -> bool:
        """Return whether `stored` is a hash of `password`, at once if that was found lately.

        What is remembered can't be made into the password without this process's key, and is of
        no use once the user has another hash.
        """
        proof = digest(self._key, stored.encode() + b"\0" + password, "sha256")
        if proof in self._verified:
            return True
        if not (verify(password, stored) and password):
            return False
        if len(self._verified) == _VERIFIED_MAX:
            del self._verified[next(iter(self._verified))]
        self._verified[proof] = None
        return True


class _Permission:
    """The permissions of a user in a vhost, and the decisions made by them."""

    __slots__ = ("_decisions", "_expressions", "row")

    def __init__(self, row: PermissionRow) -> None:
        self.row = row
        self._expressions = {name: _compile(getattr(row, name)) for name in PERMISSIONS}
        self._decisions: dict[tuple[str, str], bool] = {}

    def allows(self, permission: str, name: str) -> bool:
        asked = permission, name
        decision = self._decisions.get(asked)
        if decision is None:
            expression = self._expressions[permission]
            decision = expression is not None and expression.search(name) is not None
            if len(self._decisions) == _DECISIONS_MAX:
                self._decisions.clear()
            self._decisions[asked] = decision
        return decision


def _compile(expression: str) -> re.Pattern[str] | None:
    """Compile `expression`; return `None` for the empty one, which matches nothing.

    Raises:
        PreconditionFailed: it is no regular expression, or one that Python takes for another than
            RabbitMQ does.
    """
    if not expression:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # [[:alpha:]] is no class of letters in Python
            return re.compile(expression)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise PreconditionFailed(f"invalid regular expression '{expression}': {error}") from None


def _user_row(user: User) -> UserRow:
    return UserRow(user.name, user.password_hash, ",".join(user.tags))
