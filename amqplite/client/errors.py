"""What can become of a client's wishes, as exceptions.

What the broker closes for is raised as the exception of its reply code, soft for a channel and hard
for a connection: `amqplite.errors.NotFound` for 404, with the broker's text. The rest is here.
"""

from copy import copy
from typing import TypeVar

from amqplite.errors import AmqpError, HardError, SoftError

E = TypeVar("E", bound=Exception)

SOFT = {kind.reply_code: kind for kind in SoftError.__subclasses__()}
HARD = {kind.reply_code: kind for kind in HardError.__subclasses__()}


class ConnectionLost(Exception):
    """The broker is gone without a word: it hung up, was reset, fell silent, or we aborted."""


class Closed(Exception):
    """We closed the channel or the connection ourselves, and so it can't be used."""


class ConsumerCancelled(Exception):
    """The broker ended a consumer, as its queue is gone (RabbitMQ: consumer cancel notify)."""


class Nacked(Exception):
    """The broker would not take a publish (RabbitMQ: publisher confirms)."""


class Unroutable(Exception):
    """A mandatory message came back, as it reached no queue."""


def of_close(reply_code: int, reply_text: str, *, hard: bool) -> AmqpError:
    """Return the exception that a close by the broker stands for.

    Args:
        reply_code: the broker's.
        reply_text: `NAME - explanation`; the exception's text is the explanation.
        hard: whether the connection was closed, not just a channel.
    """
    kind = (HARD if hard else SOFT).get(reply_code)
    name, _, explanation = reply_text.partition(" - ")
    if kind is None:
        if not name.isupper():
            name, explanation = f"CODE_{reply_code}", reply_text
        base = HardError if hard else SoftError
        kind = type("OtherError", (base,), {"reply_code": reply_code, "name": name})
        return kind(explanation)
    return kind(explanation if name == kind.name else reply_text)


def again(error: E) -> E:
    """Return an exception that says the same, to be raised in one more place.

    One that is raised twice would show the one place's traceback in the other.
    """
    twin = copy(error)
    twin.__traceback__ = twin.__cause__ = twin.__context__ = None
    return twin
