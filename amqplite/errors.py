"""The reply codes of AMQP 0-9-1, one exception each (§1.2, constants).

A soft error closes the channel it happened on, a hard one the whole connection; which of the two
follows from the code alone. Raise one where the fault is found, with a text that names the thing,
its vhost and what clashed: `amqplite.connection` turns it into the close method, `amqplite.control`
into an HTTP status, and nobody else catches it.
"""

from typing import ClassVar

REPLY_TEXT_MAX = 255
"""Octets that fit a reply text, which is a short string."""


class AmqpError(Exception):
    """A fault with a reply code; `str()` gives the explanation without the code's name."""

    reply_code: ClassVar[int]
    name: ClassVar[str]
    ids: tuple[int, int] = (0, 0)
    """Class-id and method-id of the method that failed; zeros if it was none."""

    @property
    def reply_text(self) -> str:
        """`NAME - explanation`, as it goes on the wire; what a short string can't hold is `...`."""
        text = f"{self.name} - {self}".encode(errors="surrogateescape")
        if len(text) > REPLY_TEXT_MAX:
            text = text[: REPLY_TEXT_MAX - 3] + b"..."
        return text.decode(errors="ignore")


class SoftError(AmqpError):
    """Closes the channel; the connection and its other channels live on."""


class HardError(AmqpError):
    """Closes the connection."""


class ContentTooLarge(SoftError):
    """A content is larger than can be taken now."""

    reply_code, name = 311, "CONTENT_TOO_LARGE"


class AccessRefused(SoftError):
    """The user lacks a permission, or the name is reserved."""

    reply_code, name = 403, "ACCESS_REFUSED"


class NotFound(SoftError):
    """No such exchange or queue."""

    reply_code, name = 404, "NOT_FOUND"


class ResourceLocked(SoftError):
    """A queue is exclusive to another connection."""

    reply_code, name = 405, "RESOURCE_LOCKED"


class PreconditionFailed(SoftError):
    """The request clashes with what is there, or an argument is out of range."""

    reply_code, name = 406, "PRECONDITION_FAILED"


class ConnectionForced(HardError):
    """An operator, or the broker's shutdown, ends the connection."""

    reply_code, name = 320, "CONNECTION_FORCED"


class LoginRefused(HardError):
    """The credentials are wrong, or may not be used from here (403 on channel zero)."""

    reply_code, name = 403, "ACCESS_REFUSED"


class FrameError(HardError):
    """A frame is malformed or too large: the stream is lost."""

    reply_code, name = 501, "FRAME_ERROR"


class InvalidSyntax(HardError):
    """A method or header has values that can't be."""

    reply_code, name = 502, "SYNTAX_ERROR"


class CommandInvalid(HardError):
    """A method out of place, or one we don't know."""

    reply_code, name = 503, "COMMAND_INVALID"


class ChannelError(HardError):
    """A channel that is not open, or open twice."""

    reply_code, name = 504, "CHANNEL_ERROR"


class UnexpectedFrame(HardError):
    """A frame that can't come here, such as a body without its header."""

    reply_code, name = 505, "UNEXPECTED_FRAME"


class ResourceError(HardError):
    """Out of some resource."""

    reply_code, name = 506, "RESOURCE_ERROR"


class NotAllowed(HardError):
    """Against the negotiated limits, or a vhost that may not be entered."""

    reply_code, name = 530, "NOT_ALLOWED"


class Unsupported(HardError):
    """Something the standard has and this broker has not."""

    reply_code, name = 540, "NOT_IMPLEMENTED"


class InternalError(HardError):
    """A fault of the broker itself."""

    reply_code, name = 541, "INTERNAL_ERROR"
