"""What becomes of a publish."""

import pytest

from amqplite.client.confirm import Confirm
from amqplite.client.errors import ConnectionLost, Nacked, Unroutable
from tests.client.test_channel_core import RETURNED


async def test_what_was_taken_is_fine() -> None:
    confirm = Confirm(3)
    assert not confirm.done
    confirm.settle(True, None)
    assert confirm.done
    await confirm.wait()


async def test_what_was_not_taken_is_raised() -> None:
    confirm = Confirm(3)
    confirm.settle(False, RETURNED)
    with pytest.raises(Nacked, match="would not take publish 3"):
        await confirm.wait()


async def test_what_was_taken_and_reached_no_queue_is_raised() -> None:
    confirm = Confirm(3)
    confirm.settle(True, RETURNED)
    with pytest.raises(Unroutable) as caught:
        await confirm.wait()
    assert str(caught.value) == "NO_ROUTE: no queue for routing key 'k' of exchange 'x'"


async def test_what_nobody_will_ever_confirm_is_raised() -> None:
    confirm = Confirm(3)
    confirm.fail(ConnectionLost("it broke"))
    with pytest.raises(ConnectionLost, match="it broke"):
        await confirm.wait()


async def test_without_confirm_mode_there_is_nothing_to_wait_for() -> None:
    with pytest.raises(ValueError, match="confirms nothing"):
        await Confirm(0).wait()
