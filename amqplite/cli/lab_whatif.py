"""`amqplite lab whatif`: a trace once more, under other policies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from amqplite.cli.lab_output import (
    FORMATS,
    draws_unicode,
    language_of,
    print_json,
    print_text,
    show_run,
    width_of,
)

if TYPE_CHECKING:
    from amqplite.lab.rerun.policy import Policy
    from amqplite.lab.trace import Trace
    from amqplite.lab.whatif import Comparison, WhatIf

USUAL: tuple[dict[str, object], ...] = (
    {"prefetch": 1},
    {"single_active": True},
    {"queue_per_consumer": True},
    {"no_faults": True},
)
"""What is tried where nobody says what to try."""


def ask(
    trace: "Trace", settings: Sequence[str], policies: Sequence[str], at: float, how: dict[str, Any]
) -> None:
    """Tell what would have come of one policy, from a time on, or of several side by side.

    Args:
        trace: what is run again.
        settings: `name=value` each, of the one policy.
        policies: the same, several in one with commas between, of each policy.
        at: from when on, in the trace's ticks.
        how: options of what shows a run.
    """
    from amqplite.lab.rerun.refusal import CannotRerun
    from amqplite.lab.whatif import Study

    language = language_of(how["lang"])
    if settings and policies:
        raise click.UsageError("--set and --policy exclude each other")
    if at and not settings:
        raise click.UsageError("--at needs --set")
    try:
        wanted = [_policy(settings)] if settings else _several(policies)
        study = Study(trace)
        if not settings:
            _show_several(study.compare(wanted), trace, language, how)
            return
        _show_one(study.what_if(wanted[0], round(at * trace.header.tick_us)), language, how)
    except CannotRerun as error:
        raise click.ClickException(error.text(language)) from None


def _policy(settings: Sequence[str]) -> "Policy":
    from amqplite.lab.rerun.policy import read_policy
    from amqplite.lab.scripts.script import ScenarioError
    from amqplite.lab.scripts.settings import split

    try:
        return read_policy(split(settings))
    except ScenarioError as error:
        raise click.ClickException(str(error)) from None


def _several(policies: Sequence[str]) -> list["Policy"]:
    from amqplite.lab.rerun.policy import read_policy

    if not policies:
        return [read_policy(policy) for policy in USUAL]
    return [_policy(policy.split(",")) for policy in policies]


def _show_several(found: "Comparison", trace: "Trace", language: str, how: dict[str, Any]) -> None:
    from amqplite.lab.explaining.teller import Teller
    from amqplite.lab.rerun.table import whatif_text

    if how["as_json"]:
        print_json({"check": found.check, "rows": found.rows, "sentence": found.sentence})
        return
    told = whatif_text(
        found.check,
        found.rows,
        found.sentence[language],
        [],
        Teller(language, trace.header.tick_us),
        width_of(how["width"]),
        ascii_only=how["ascii_only"] or not draws_unicode(),
    )
    print_text(told)


def _show_one(found: "WhatIf", language: str, how: dict[str, Any]) -> None:
    """Show the run as any other, and what is to be said of it."""
    from amqplite.lab.explaining.teller import Teller
    from amqplite.lab.export.account import account
    from amqplite.lab.rerun.table import whatif_text

    if how["as_json"]:
        print_json(found.told())
        return
    show_run(account(found.trace), [], **how)
    if any(str(how[name]) == "-" for name in FORMATS):
        return
    told = whatif_text(
        found.check,
        [found.recorded, found.row],
        found.sentence[language],
        found.assumptions,
        Teller(language, found.trace.header.tick_us),
        width_of(how["width"]),
        ascii_only=how["ascii_only"] or not draws_unicode(),
    )
    print_text("\n" + told)
