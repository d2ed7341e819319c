"""The pages and their files, read once and kept; browsers ask each time whether they have changed.

A file is found by its name among those that were read, so that no path leads to any other.
"""

from hashlib import blake2b
from html import escape
from pathlib import Path

from amqplite import __version__
from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.response import Response

FOLDER = Path(__file__).with_name("page")

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
"""Content types by suffix; files of others are not served."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder that may be served, by name; of one that isn't there none."""
    return {path.name: path.read_bytes() for path in folder.glob("*") if path.suffix in TYPES}


FILES = read_folder(FOLDER)


def page(call: Call) -> Response:
    """Return the page, with where AMQP's clients find the broker."""
    return filled(call, "index.html", FILES["index.html"])


def file(call: Call) -> Response:
    """Return one of its files."""
    return named(call, FILES)


def named(call: Call, files: dict[str, bytes]) -> Response:
    """Return the one of `files` that the path names.

    Raises:
        HttpError: there is none (404).
    """
    name = call.parameters["file"]
    if name not in files:
        raise no_such_object()
    return cached(call, name, files[name])


def filled(call: Call, name: str, template: bytes) -> Response:
    """Return a page, with what stands between braces in it replaced by how things are here."""
    amqp = next(endpoint for endpoint in call.site.endpoints if endpoint.protocol == "amqp")
    facts = {
        "version": __version__,
        "amqp_address": amqp.address,
        "amqp_port": str(amqp.port),
    }
    text = template.decode()
    for fact, value in facts.items():
        text = text.replace(f"{{{{{fact}}}}}", escape(value))
    return cached(call, name, text.encode())


def cached(call: Call, name: str, octets: bytes) -> Response:
    """Return a file with its tag, or that the client has it already (RFC 9110 §13.1.2)."""
    tag = f'"{blake2b(octets, digest_size=12).hexdigest()}"'
    headers = (("cache-control", "no-cache"), ("etag", tag))
    if _holds(call.headers.get("if-none-match", ""), tag):
        return Response(304, headers=headers)
    return Response(200, octets, TYPES[Path(name).suffix], headers)


def _holds(if_none_match: str, tag: str) -> bool:
    known = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return tag in known or known == ["*"]
