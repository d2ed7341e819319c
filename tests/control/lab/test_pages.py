"""The lab's page: complete in itself, in both languages, and nothing else beside it."""

import json
import re
from posixpath import normpath

import pytest

from amqplite import __version__
from amqplite.control import files as page_files
from amqplite.control.auth import ANONYMOUS
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.lab import pages
from amqplite.control.response import Response
from amqplite.control.router import Handler
from amqplite.lab.texts import LANGUAGES, texts
from tests.control.sites import make_site

SITE = make_site()


def get(handler: Handler, name: str = "", tag: str = "") -> Response:
    response = handler(Call(SITE, ANONYMOUS, {"file": name}, {}, headers={"if-none-match": tag}))
    assert isinstance(response, Response)
    return response


def text_of(response: Response) -> str:
    assert isinstance(response.body, bytes)
    return response.body.decode()


def test_the_page_knows_where_the_broker_is() -> None:
    response = get(pages.page)
    text = text_of(response)
    assert response.content_type == "text/html; charset=utf-8"
    assert f'data-version="{__version__}"' in text
    assert 'data-amqp-port="5672"' in text
    assert "{{" not in text


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    for name, octets in pages.FILES.items():
        text = octets.decode()
        assert not re.findall(r"""(?:src|href|url|import|fetch)[=(\s]+["']?https?:""", text), name
    page = text_of(get(pages.page))
    assert not re.findall(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", page)  # of no effect


def test_what_the_page_asks_for_is_there() -> None:
    asked = set(re.findall(r'(?:src|href)="(/(?:lab|page)/[^"]*)"', text_of(get(pages.page))))
    for path in asked - {path for path in asked if path.startswith("/lab/api/")}:
        name = path.rpartition("/")[2]
        assert name in (pages.FILES if path.startswith("/lab/") else page_files.FILES), path


def test_every_module_imports_what_is_there() -> None:
    for name, octets in pages.FILES.items():
        if name.endswith(".js"):
            imports = re.findall(
                r"""(?:from\s+|import\s*\(\s*|^import\s+)"([^"]+)";?""", octets.decode()
            )
            for asked in imports:
                assert asked.startswith("./"), (name, asked)
                assert normpath(asked) in pages.FILES, (name, asked)


def test_a_file_is_sent_once() -> None:
    name = "lab.css"
    response = get(pages.file, name)
    assert (response.status, response.content_type) == (200, "text/css; charset=utf-8")
    assert response.body == pages.FILES[name]
    assert get(pages.file, name, dict(response.headers)["etag"]).status == 304


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_all_of_a_language(language: str) -> None:
    response = get(pages.words, f"{language}.json")
    assert response.content_type == "application/json"
    assert json.loads(text_of(response)) == texts(language)
    assert get(pages.words, f"{language}.json", dict(response.headers)["etag"]).status == 304


@pytest.mark.parametrize(
    "name", ["", "..", "../files.py", "lab.html", "LAB.CSS", "no", "/etc/passwd", "api", "texts"]
)
def test_nothing_else_is_served(name: str) -> None:
    for handler in (pages.file, pages.words):
        with pytest.raises(HttpError) as missed:
            get(handler, name)
        assert missed.value.status == 404
