"""What becomes of a publish (RabbitMQ: publisher confirms)."""

from amqplite.client.errors import Nacked, Unroutable
from amqplite.client.events import Returned
from amqplite.client.result import Result


class Confirm:
    """A publish whose confirm may still be to come.

    Attributes:
        number: of the publish on its channel, from 1; 0 without confirm mode, where none comes.
    """

    __slots__ = ("_result", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self._result = Result[Returned | None]()

    @property
    def done(self) -> bool:
        """Whether `wait` would return, or raise, at once."""
        return self._result.done

    async def wait(self) -> None:
        """Return once the broker has taken the message.

        Raises:
            Nacked: it would not.
            Unroutable: it was mandatory, and reached no queue.
            ValueError: the channel is not in confirm mode.
            Exception: what the channel or the connection ended with before.
        """
        if not self.number:
            raise ValueError("a channel confirms nothing before confirm.select")
        returned = await self._result.wait()
        if returned is not None:
            raise Unroutable(
                f"{returned.reply_text}: no queue for routing key '{returned.routing_key}' "
                f"of exchange '{returned.exchange}'"
            )

    def settle(self, taken: bool, returned: Returned | None) -> None:
        """The confirm has come."""
        if taken:
            self._result.set(returned)
        else:
            self._result.fail(Nacked(f"the broker would not take publish {self.number}"))

    def fail(self, error: Exception) -> None:
        """No confirm will come."""
        self._result.fail(error)
