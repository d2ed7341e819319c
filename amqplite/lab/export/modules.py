"""ES modules in a page that has no server: an import map of data URLs, and no bundler.

A module has its imports at the beginnings of lines, as `import … from "./other.js"`; the page's own
modules do. Each is told by a bare name, which the import map leads to its text.
"""

import re
from base64 import b64encode
from collections.abc import Callable

_IMPORT = re.compile(
    r"""^((?:import|export)\b(?:[^;"'`]*\bfrom)?\s*")\./([\w.-]+\.js)(")""", re.MULTILINE
)
_COMMENT = re.compile(r"^[ \t]*/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n|^[ \t]*//.*\n", re.MULTILINE)
_DYNAMIC = re.compile(r"^(?![ \t]*(?://|\*|/\*)).*[^\w.{]import\(\s*[\"'`]", re.MULTILINE)

PREFIX = "lab/"
"""Of a module's bare name, so that nobody takes it for one of a package."""

Read = Callable[[str], str]


class ModuleError(Exception):
    """A module can't be put into a page; `str()` says which and why."""


def reachable(entry: str, read: Read) -> dict[str, str]:
    """Return a module and all that it imports, by name, without their comments.

    Args:
        entry: its name, as `app.js`.
        read: returns a module's text by its name.

    Raises:
        ModuleError: one imports something else than a module beside it, or while it runs.
    """
    found: dict[str, str] = {}
    wanted = [entry]
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        text = _COMMENT.sub("", read(name))
        if _DYNAMIC.search(text):
            raise ModuleError(f"{name} imports while it runs")
        found[name] = text
        wanted += [match[2] for match in _IMPORT.finditer(text)]
        strange = re.search(r"""^import\b[^;"'`]*"(?!\./)([^"]*)""", text, re.MULTILINE)
        if strange:
            raise ModuleError(f"{name} imports '{strange[1]}', which is not beside it")
    return dict(sorted(found.items()))


def import_map(modules: dict[str, str]) -> dict[str, str]:
    """Return where each module is found, by its bare name."""
    return {PREFIX + name: _data_url(_bare(text)) for name, text in modules.items()}


def _bare(text: str) -> str:
    """Return a module's text with bare names in its imports: from a data URL none is beside it."""
    return _IMPORT.sub(rf"\g<1>{PREFIX}\g<2>\g<3>", text)


def _data_url(text: str) -> str:
    return f"data:text/javascript;base64,{b64encode(text.encode()).decode()}"
