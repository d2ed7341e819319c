"""A run in forms to hand out."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import quote

from msgspec import structs

from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.lab.access import visible_run
from amqplite.control.lab.desk import busy, desk_of, setting
from amqplite.control.response import NO_STORE, Response
from amqplite.lab.export.account import Account
from amqplite.lab.export.csv import csv_table
from amqplite.lab.export.html import html
from amqplite.lab.export.markdown import markdown
from amqplite.lab.export.mermaid import mermaid
from amqplite.lab.export.perfetto import perfetto
from amqplite.lab.export.svg import svg
from amqplite.lab.export.text import text
from amqplite.lab.keeping.runs import Run
from amqplite.lab.keeping.work import Busy
from amqplite.lab.texts import CHINESE, language_of
from amqplite.lab.trace import Trace, write_jsonl


@dataclass(frozen=True, slots=True)
class Format:
    """A form.

    Attributes:
        make: makes it of a run, in a language, with the link to it.
        suffix: of the file's name.
        content_type: of the file.
    """

    make: Callable[[Account, str, str], str]
    suffix: str
    content_type: str


FORMATS: Mapping[str, Format] = {
    "jsonl": Format(lambda run, _, __: write_jsonl(run.trace), "jsonl", "application/x-ndjson"),
    "html": Format(html, "html", "text/html; charset=utf-8"),
    "svg": Format(lambda run, lang, _: svg(run, lang), "svg", "image/svg+xml"),
    "mermaid": Format(lambda run, lang, _: mermaid(run, lang), "mmd", "text/plain; charset=utf-8"),
    "csv": Format(lambda run, _, __: csv_table(run), "csv", "text/csv; charset=utf-8"),
    "markdown": Format(markdown, "md", "text/markdown; charset=utf-8"),
    "perfetto": Format(lambda run, lang, _: perfetto(run, lang), "json", "application/json"),
    "text": Format(lambda run, lang, _: text(run, lang), "txt", "text/plain; charset=utf-8"),
}

_HOST = re.compile(r"[A-Za-z0-9.\-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")


async def export(call: Call) -> Response:
    """Return a run in a form, as a file.

    Raises:
        HttpError: 400, there is no such form; 422, nobody can make it of a trace that contradicts
            itself; 429; 503.
    """
    desk, run = desk_of(call), visible_run(call, call.parameters["id"])
    form = FORMATS[setting(call, "format", FORMATS, "jsonl")]
    lang = "zh" if language_of(call.query.get("lang", "")) == CHINESE else "en"
    desk.dear.use(call.user.name)
    try:
        account = _named(await desk.accounts.of(run), run.name)
        made = await desk.work.do(form.make, account, lang, _link(call, run))
    except Busy as error:
        raise busy(error) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if not run.imported:
            raise
        reason = f"the file's events contradict each other: {type(error).__name__}"
        raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, reason) from None
    headers = (*NO_STORE, ("content-disposition", _disposition(run.name, form.suffix)))
    return Response(200, made.encode(), form.content_type, headers)


def _named(account: Account, name: str) -> Account:
    """Return an account under the name that its run has by now."""
    if account.header.name == name:
        return account
    header = structs.replace(account.header, name=name)
    return replace(account, trace=Trace(header, account.events))


def _link(call: Call, run: Run) -> str:
    """Return where the run is found; empty if nobody says where we are."""
    host = call.headers.get("host", "")
    return f"http://{host}/lab#/r/{run.id}" if _HOST.fullmatch(host) else ""


def _disposition(name: str, suffix: str) -> str:
    """Return what a browser is to call the file (RFC 6266): in ASCII, and for those who can in all.

    Nothing in it leads to another folder, or ends the header.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    whole = re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]+', "-", name).strip(" .") or "run"
    encoded = quote(f"{whole}.{suffix}", safe="")
    return f"attachment; filename=\"{plain}.{suffix}\"; filename*=UTF-8''{encoded}"
