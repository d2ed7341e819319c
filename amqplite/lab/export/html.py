"""A run as one HTML file that replays it: in both languages, offline, from a disk or a mail."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from msgspec import to_builtins

from amqplite.broker.trace import as_dict
from amqplite.lab.export.account import Account
from amqplite.lab.export.drawing import harmless
from amqplite.lab.export.modules import PREFIX, import_map, reachable
from amqplite.lab.export.svg import svg
from amqplite.lab.texts import CHINESE, ENGLISH, texts
from amqplite.lab.trace import write_jsonl

FOLDER = files("amqplite").joinpath("control", "page", "lab")
ENTRY = "offline.js"
PAGE = "lab.html"

_HEAD = """<!doctype html>
<html lang="{tag}">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="amqplite {version}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>
{style}
</style>
<script type="importmap">{modules}</script>
</head>
<body>
<header id="top"></header>
<main id="main" tabindex="-1"></main>
<p id="said" class="unseen" role="status" aria-live="polite"></p>
<noscript><div class="page">
{picture}
</div></noscript>
<script type="application/json" id="held">{held}</script>
<script type="module">{start}</script>
</body>
</html>
"""

_START = f'import "{PREFIX}{ENTRY}";'


def html(account: Account, lang: str = "en", link: str = "") -> str:
    """Return the file.

    Args:
        account: the run, and what came of it.
        lang: `en` or `zh`: what it is read in at first; who has no JavaScript sees the picture.
        link: where the run is kept; empty if nowhere.
    """
    modules = _modules()
    return _HEAD.format(
        tag="zh-CN" if lang == "zh" else "en",
        title=escape(harmless(account.title(lang))),
        version=escape(harmless(account.header.version)),
        policy=_policy(modules, _START),
        style=_style(),
        modules=modules,
        picture=svg(account, lang),
        held=in_script(_held(account, lang, link)),
        start=_START,
    )


def in_script(value: Any) -> str:
    """Return JSON that may stand in a script element, whatever names are in it.

    Nothing in it ends the element or begins a comment. What is no Unicode stays as it is, escaped.
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    written = written.encode("utf-8", "backslashreplace").decode()
    return re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", written)


def _held(account: Account, lang: str, link: str) -> dict[str, Any]:
    """Return what the page needs of a run."""
    run = {
        "id": "",
        "name": account.title(lang),
        "link": link,
        "header": account.header,
        "state": "done",
        "count": len(account.events),
        "duration": account.counts.end,
        "metrics": account.report.metrics,
        "counts": account.counts,
        "whys": account.whys,
        "verdict": account.verdict,
        "expect": [],
    }
    return {
        "lang": lang,
        "titles": {one: account.title(one) for one in ("en", "zh")},
        "texts": {language: dict(texts(language)) for language in (ENGLISH, CHINESE)},
        "run": to_builtins(run),
        "events": [_told(account, event) for event in account.events],
        "jsonl": write_jsonl(account.trace),
    }


def _told(account: Account, event: Any) -> dict[str, Any]:
    told = as_dict(event)
    order = account.annotations.get(event.n)
    if order is not None:
        told["order"] = to_builtins(order)
    return told


def _policy(*scripts: str) -> str:
    """Return a policy by which only our own scripts run, and nothing is fetched."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} data:; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


@cache
def _modules() -> str:
    return json.dumps({"imports": import_map(reachable(ENTRY, _read))}, separators=(",", ":"))


@cache
def _style() -> str:
    """Return the page's own styles, in its order."""
    names = re.findall(r'<link rel="stylesheet" href="/lab/([\w.-]+)">', _read(PAGE))
    return "\n".join(_read(name) for name in names).replace("</", "<\\/")


def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")
