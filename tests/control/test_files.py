"""The page: complete in itself, and nothing else is served beside it."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from amqplite import __version__
from amqplite.control import files
from amqplite.control.auth import ANONYMOUS
from amqplite.control.call import Call
from amqplite.control.errors import HttpError
from amqplite.control.response import Response
from amqplite.control.router import Handler
from amqplite.control.site import Endpoint, Site
from tests.control.sites import make_site

SITE = make_site()


def get(
    handler: Handler, /, headers: Mapping[str, str] | None = None, **parameters: str
) -> tuple[Response, str]:
    response = handler(Call(SITE, ANONYMOUS, parameters, {}, headers=headers or {}))
    assert isinstance(response, Response)
    assert isinstance(response.body, bytes)
    return response, response.body.decode()


def test_the_page_says_what_this_is_and_where() -> None:
    response, text = get(files.page)
    assert response.content_type == "text/html; charset=utf-8"
    assert f"<small>{__version__}</small>" in text
    assert ">amqp://127.0.0.1:5672<" in text
    assert "{{" not in text


def test_an_ipv6_address_is_in_brackets() -> None:
    site = Site(SITE.broker, (Endpoint("http", "::1", 1), Endpoint("amqp", "::1", 2)))
    body = files.page(Call(site, ANONYMOUS, {}, {})).body
    assert isinstance(body, bytes)
    assert b">amqp://[::1]:2<" in body


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    for name in files.FILES:
        text = get(files.file, file=name)[1]
        assert not re.findall(r"""(?:src|href|url|import|fetch)[=(\s]+["']?https?:""", text)
    _, page = get(files.page)
    assert not re.findall(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", page)  # of no effect


def test_what_the_page_asks_for_is_there() -> None:
    _, page = get(files.page)
    asked = re.findall(r'(?:src|href)="/page/([^"]*)"', page)
    assert {"page.css", "page.js", "icon.svg"} == set(asked)
    for name in asked:
        response, _ = get(files.file, file=name)
        assert (response.status, dict(response.headers)["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "name", ["", "..", "../files.py", "page.css/", "PAGE.CSS", "no", "/etc/passwd"]
)
def test_nothing_else_is_served(name: str) -> None:
    with pytest.raises(HttpError) as missed:
        get(files.file, file=name)
    assert missed.value.status == 404


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert files.read_folder(tmp_path / "none") == {}
    for name in ("a.js", "b.py", "c.json"):
        (tmp_path / name).write_text(name)
    assert files.read_folder(tmp_path) == {"a.js": b"a.js", "c.json": b"c.json"}


# -- what browsers have already --------------------------------------------------------------------


@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", '"other", {tag}', "*"])
@pytest.mark.parametrize("name", ["", "page.js"])
def test_what_a_browser_has_is_not_sent_again(name: str, known: str) -> None:
    handler = files.file if name else files.page
    tag = dict(get(handler, file=name)[0].headers)["etag"]
    response, text = get(handler, {"if-none-match": known.format(tag=tag)}, file=name)
    assert (response.status, text, response.content_type) == (304, "", "")
    assert dict(response.headers)["etag"] == tag


@pytest.mark.parametrize("known", ["", '"other"', "page.js", "{tag}x"])
def test_what_has_changed_is(known: str) -> None:
    tag = dict(get(files.file, file="page.js")[0].headers)["etag"]
    response, text = get(files.file, {"if-none-match": known.format(tag=tag)}, file="page.js")
    assert (response.status, text) == (200, files.FILES["page.js"].decode())


def test_each_file_has_a_tag_of_its_own() -> None:
    tags = {dict(get(files.file, file=name)[0].headers)["etag"] for name in files.FILES}
    assert len(tags) == len(files.FILES)
