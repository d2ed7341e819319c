"""A request that is understood: what handlers are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from amqplite.broker.broker import Broker
from amqplite.broker.users import User
from amqplite.broker.vhost import Vhost
from amqplite.control.auth import Access
from amqplite.control.errors import no_such_object
from amqplite.control.site import Site
from amqplite.errors import AccessRefused


@dataclass(frozen=True, slots=True)
class Call:
    """One request.

    Attributes:
        user: who asks; `ANONYMOUS` where anybody may.
        parameters: from the path, decoded.
        query: decoded; of parameters given twice the last.
        headers: by name, in small letters.
    """

    site: Site
    user: User
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def broker(self) -> Broker:
        """The broker."""
        return self.site.broker

    def vhosts(self) -> list[Vhost]:
        """Return those the user may see: all if it is for monitoring, else those it may enter."""
        vhosts = self.broker.vhosts.values()
        if Access.MONITORING.includes(self.user):
            return list(vhosts)
        return [vhost for vhost in vhosts if self.broker.users.may_enter(self.user, vhost.name)]

    def vhost(self) -> Vhost:
        """Return the vhost that the path names.

        Raises:
            HttpError: there is none (404).
            AccessRefused: the user may not see it.
        """
        vhost = self.broker.vhosts.get(self.parameters["vhost"])
        if vhost is None:
            raise no_such_object()
        if vhost not in self.vhosts():
            raise AccessRefused(
                f"access to vhost '{vhost.name}' refused for user '{self.user.name}'"
            )
        return vhost

    def chosen_vhosts(self) -> list[Vhost]:
        """Return the vhost that the path names, or all the user may see if it names none."""
        return [self.vhost()] if "vhost" in self.parameters else self.vhosts()
