"""The lab's page, its modules, and its words."""

from amqplite.control.call import Call
from amqplite.control.errors import no_such_object
from amqplite.control.files import FOLDER, cached, filled, named, read_folder
from amqplite.control.response import Response, encode
from amqplite.lab.texts import LANGUAGES, texts

FILES = read_folder(FOLDER / "lab")

TEXTS = {f"{language}.json": encode(texts(language)) for language in LANGUAGES}


def page(call: Call) -> Response:
    """Return the page, with where AMQP's clients find the broker."""
    return filled(call, "lab.html", FILES["lab.html"])


def file(call: Call) -> Response:
    """Return one of its files; the page itself is at its own path alone."""
    if call.parameters["file"] == "lab.html":
        raise no_such_object()
    return named(call, FILES)


def words(call: Call) -> Response:
    """Return all texts of a language, by key."""
    name = call.parameters["file"]
    if name not in TEXTS:
        raise no_such_object()
    return cached(call, name, TEXTS[name])
