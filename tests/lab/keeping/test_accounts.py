"""Accounts of runs, made when they are asked for."""

from amqplite.lab.keeping.accounts import KEPT_MAX, Accounts
from amqplite.lab.keeping.outcome import outcome_of
from amqplite.lab.keeping.recording import Recording
from amqplite.lab.keeping.runs import Run
from amqplite.lab.keeping.work import Work
from amqplite.lab.trace import Header
from tests.lab.keeping.test_recording import story


def made(*completion: int, running: bool = False) -> Run:
    run = Run(owner="guest", name="a run", recording=Recording(Header()))
    for event in story(*completion):
        run.recording.add(event)
    if not running:
        run.finish(outcome_of(run.recording.settle()))
    return run


async def test_an_account_has_all_that_came_of_a_run() -> None:
    account = await Accounts(Work()).of(made(1, 3, 2))
    assert account.events == story(1, 3, 2)
    assert account.counts.acked == 3
    assert [why.m for why in account.whys] == ["m2"]


async def test_the_last_few_are_made_once() -> None:
    accounts, runs = Accounts(Work()), [made(1) for _ in range(KEPT_MAX + 1)]
    first = await accounts.of(runs[0])
    assert await accounts.of(runs[0]) is first
    for run in runs:
        await accounts.of(run)
    assert await accounts.of(runs[0]) is not first


async def test_that_of_a_run_that_goes_on_is_made_anew() -> None:
    run, accounts = made(1, running=True), Accounts(Work())
    assert (await accounts.of(run)).counts.acked == 1
    for event in story(1, 2)[-1:]:
        run.recording.add(event)
    account = await accounts.of(run)
    assert len(account.events) == 4
