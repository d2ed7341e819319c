"""The page: complete in itself, and nothing else is served beside it."""

import re

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


def get(handler: Handler, /, **parameters: str) -> tuple[Response, str]:
    response = handler(Call(SITE, ANONYMOUS, parameters, {}))
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
