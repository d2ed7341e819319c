"""`amqplite lab`: scenarios and traces in the terminal; see what redelivery does to the order."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from amqplite.cli.lab_output import (
    FORMATS,
    draws_unicode,
    has_colour,
    language_of,
    print_json,
    print_text,
    show_run,
    width_of,
    wrapped,
)

if TYPE_CHECKING:
    from amqplite.lab.export.account import Account
    from amqplite.lab.trace import Trace

Decorated = Callable[..., Any]


@click.group()
def lab() -> None:
    """See what redelivery does to the order of messages, and why.

    Scenarios are played by the broker's own code on a virtual clock, so no broker needs to run.
    """


def _speaks(command: Decorated) -> Decorated:
    option = click.option(
        "--lang",
        type=click.Choice(["en", "zh"]),
        default=None,
        help="Language. [default: Chinese where the locale is, else English]",
    )
    return option(command)


def _draws(command: Decorated) -> Decorated:
    """Add the options of what shows a run."""
    for name in reversed(FORMATS):
        option = click.option(
            f"--{name}",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help=f"Write it as {FORMATS[name]} too; - for the standard output.",
        )
        command = option(command)
    command = click.option(
        "--json", "as_json", is_flag=True, help="Print numbers as JSON instead."
    )(command)
    command = click.option(
        "--width", type=click.IntRange(60, 200), metavar="COLUMNS", help="[default: the terminal's]"
    )(command)
    command = click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII only.")(
        command
    )
    return _speaks(command)


@lab.command("list")
@_speaks
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def list_(lang: str | None, as_json: bool) -> None:
    """List the scenarios."""
    from amqplite.lab.scenario import catalogue

    language = language_of(lang)
    if as_json:
        print_json([{"id": s.id, "title": s.title, "group": s.group} for s in catalogue()])
        return
    longest = max(len(scenario.id) for scenario in catalogue())
    for scenario in catalogue():
        title, teaches = (getattr(words, language) for words in (scenario.title, scenario.teaches))
        print_text(f"{scenario.id:{longest}}  {title}\n{wrapped(teaches, indent=longest + 2)}\n")


@lab.command()
@click.argument("scenario")
@click.option("--real", is_flag=True, help="Play it with real clients on a broker that runs.")
@click.option("--seed", type=click.IntRange(0), default=0, help="Of what the scenario leaves open.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a parameter.")
@click.option("--variant", default="", metavar="NAME", help="Take a variant of the scenario.")
@click.option("--url", metavar="URL", help="The broker's HTTP, for --real. [default: as for serve]")
@click.option("--user", default="guest:guest", metavar="NAME:PASSWORD", show_default=True)
@_draws
def run(
    scenario: str,
    real: bool,
    seed: int,
    settings: tuple[str, ...],
    variant: str,
    url: str | None,
    user: str,
    **how: Any,
) -> None:
    """Play SCENARIO, and show what came of it.

    Exits with 1 if something else came of it than the scenario says.
    """
    from amqplite.lab.scenario import ScenarioError, find
    from amqplite.lab.scripts.plan import make_plan
    from amqplite.lab.scripts.settings import split

    try:
        plan = make_plan(find(scenario), split(settings), variant, seed)
    except ScenarioError as error:
        raise click.ClickException(str(error)) from None
    if real and plan.scenario.own:
        raise click.ClickException(f"{scenario} goes on until it is stopped: play it on the page")
    if real:
        trace = _play_there(scenario, dict(plan.settings), variant, seed, url, user)
    else:
        from amqplite.lab.playing.exact import play_exact

        trace = play_exact(plan)
    told = _account(trace)
    from amqplite.lab.scripts.expect import check_report

    header = trace.header
    checks = (
        check_report(told.report, plan.expect, header.tick_us, header.mode) if plan.expect else []
    )
    show_run(told, checks, **how)
    if not all(check.ok for check in checks):
        sys.exit(1)


@lab.command()
@click.argument("file", type=click.Path(path_type=Path))
@_draws
def show(file: Path, **how: Any) -> None:
    """Show the trace in FILE (JSON lines); - is the standard input."""
    show_run(_read(file), [], **how)


@lab.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-m", "--message", metavar="NAME", help="Tell of this message alone.")
@_speaks
def why(file: Path, message: str | None, lang: str | None) -> None:
    """Tell why messages in FILE were overtaken, lost or repeated; - is the standard input."""
    from amqplite.lab.export.canvas import harmless
    from amqplite.lab.why import explain

    told, language = _read(file), language_of(lang)
    if message is None:
        sentences = told.sentences(language, len(told.whys))
    else:
        found = explain(told.analysis, message)
        if found is None:
            raise click.ClickException(f"nothing is known of a message '{harmless(message)}'")
        sentences = [found.text[language]]
    for sentence in sentences:
        print_text(wrapped(harmless(sentence)) + "\n")


@lab.command()
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers of both as JSON.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII only.")
@_speaks
def compare(a: str, b: str, as_json: bool, ascii_only: bool, lang: str | None) -> None:
    """Compare A with B: files with traces, or scenarios, as SCENARIO or SCENARIO:VARIANT."""
    from amqplite.lab.export.compare import compare as compared

    told = [_file_or_scenario(name) for name in (a, b)]
    if as_json:
        from amqplite.lab.export.numbers import numbers

        print_json([numbers(one, []) for one in told])
        return
    print_text(
        compared(
            told[0],
            told[1],
            language_of(lang),
            width=width_of(None),
            colour=has_colour(),
            ascii_only=ascii_only or not draws_unicode(),
        )
    )


@lab.command()
@click.argument("file")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="What is otherwise.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME=VALUE,…",
    help="One of several that are put side by side.",
)
@click.option(
    "--at", type=click.FloatRange(0), default=0, metavar="TIME", help="From when on, with --set."
)
@_draws
def whatif(
    file: str, settings: tuple[str, ...], policies: tuple[str, ...], at: float, **how: Any
) -> None:
    """Run the trace in FILE again as it was, but for a policy; see what that does to the order.

    Policies are made of prefetch, single_active, queue_per_consumer, partitions, ack_timeout (in
    milliseconds), max_length, overflow and no_faults. FILE may also be SCENARIO or
    SCENARIO:VARIANT.
    """
    from amqplite.cli.lab_whatif import ask

    ask(_file_or_scenario(file).trace, settings, policies, at, how)


def _play_there(
    scenario: str,
    params: dict[str, Any],
    variant: str,
    seed: int,
    url: str | None,
    user: str,
) -> "Trace":
    """Play a scenario on a broker that runs."""
    from amqplite.lab.playing.remote import RemoteError, RemoteLab

    name, _, password = user.partition(":")
    try:
        remote = RemoteLab(url or _default_url(), name, password)
        return remote.play(scenario, params, variant, seed)
    except RemoteError as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        sys.exit(130)


def _default_url() -> str:
    from amqplite.config import ConfigError, load_settings

    try:
        settings = load_settings(None, os.environ, {})
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    host = reached.get(settings.host, settings.host)
    return (
        f"http://[{host}]:{settings.http_port}"
        if ":" in host
        else f"http://{host}:{settings.http_port}"
    )


def _file_or_scenario(name: str) -> "Account":
    from amqplite.lab.playing.exact import play_exact
    from amqplite.lab.scenario import ORDER, ScenarioError, find
    from amqplite.lab.scripts.plan import make_plan

    scenario, _, variant = name.partition(":")
    if scenario not in ORDER:
        return _read(Path(name), f"there is no file and no scenario '{name}'")
    try:
        return _account(play_exact(make_plan(find(scenario), {}, variant)))
    except ScenarioError as error:
        raise click.ClickException(str(error)) from None


def _read(file: Path, missing: str = "") -> "Account":
    """Read a trace from a file, and analyse it."""
    from amqplite.lab.trace import TraceError, read_jsonl

    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return _account(read_jsonl(content))
    except FileNotFoundError:
        raise click.ClickException(missing or f"there is no file '{file}'") from None
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None
    except TraceError as error:
        raise click.ClickException(f"{file}, {error}") from None


def _account(trace: "Trace") -> "Account":
    """Analyse a trace, whoever wrote it."""
    from amqplite.lab.export.account import account

    try:
        return account(trace)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = f"the events contradict each other: {type(error).__name__}"
        raise click.ClickException(reason) from None
