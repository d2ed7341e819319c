"""What came of a run in full, made again when somebody asks for it: it takes a lot of memory."""

from amqplite.lab.export.account import Account, account
from amqplite.lab.keeping.recording import read_joined
from amqplite.lab.keeping.runs import Run
from amqplite.lab.keeping.work import Work
from amqplite.lab.trace import Header

KEPT_MAX = 2


class Accounts:
    """The accounts that were asked for last.

    Args:
        work: where they are made.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._kept: dict[tuple[str, int], Account] = {}  # by run, and how many events it had

    async def of(self, run: Run) -> Account:
        """Return the account of a run, of what has come of it so far.

        Raises:
            Busy: too much is to be done already.
        """
        name = (run.id, len(run.recording))
        found = self._kept.pop(name, None)
        if found is None:
            found = await self._work.do(_make, run.recording.header, run.recording.joined())
        self._kept[name] = found
        if len(self._kept) > KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        return found


def _make(header: Header, joined: bytes) -> Account:
    return account(read_joined(header, joined))
