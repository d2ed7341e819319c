"""The page and its files, read once and kept."""

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
    ".svg": "image/svg+xml",
}
"""Content types by suffix; files of others are not served."""

FILES = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in TYPES}

REVALIDATE = (("cache-control", "no-cache"),)


def page(call: Call) -> Response:
    """Return the page, with where AMQP's clients find the broker."""
    amqp = next(endpoint for endpoint in call.site.endpoints if endpoint.protocol == "amqp")
    facts = {
        "version": __version__,
        "amqp_address": amqp.address,
        "amqp_port": str(amqp.port),
    }
    text = FILES["index.html"].decode()
    for name, value in facts.items():
        text = text.replace(f"{{{{{name}}}}}", escape(value))
    return _file("index.html", text.encode())


def file(call: Call) -> Response:
    """Return one of its files."""
    name = call.parameters["file"]
    if name not in FILES:
        raise no_such_object()
    return _file(name, FILES[name])


def _file(name: str, octets: bytes) -> Response:
    return Response(200, octets, TYPES[Path(name).suffix], REVALIDATE)
