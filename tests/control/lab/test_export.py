"""Runs in forms to hand out: what they are, what they are called, and that they are harmless."""

import csv
import json
import xml.etree.ElementTree as ET
from string import ascii_letters, digits
from typing import Any
from urllib.parse import unquote

import pytest

from amqplite.control.lab.export import FORMATS
from tests.control.lab.labs import Lab, lab

TYPES = {
    "jsonl": "application/x-ndjson",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
    "mermaid": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "perfetto": "application/json",
    "text": "text/plain; charset=utf-8",
}


async def exported(served: Lab, run: Any, format_: str, lang: str = "en") -> Any:
    path = f"/runs/{run['id']}/export"
    return await served.as_("teacher").get(path, params={"format": format_, "lang": lang})


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_run_is_handed_out_in_every_form(lang: str) -> None:
    async with lab() as served:
        run = await served.play()
        told = {name: await exported(served, run, name, lang) for name in FORMATS}
    for name, answer in told.items():
        assert answer.status_code == 200, name
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"] == TYPES[name]
    lines = told["jsonl"].text.splitlines()
    assert (json.loads(lines[0])["scenario"], len(lines)) == ("fig-11-2", 44)
    assert ET.fromstring(told["svg"].text).tag.endswith("svg")
    assert told["mermaid"].text.startswith("sequenceDiagram")
    assert len(list(csv.reader(told["csv"].text.splitlines()))) == 6
    assert f"{served.url}/lab#/r/{run['id']}" in told["markdown"].text
    assert "m3" in told["text"].text
    assert told["perfetto"].json()["traceEvents"]
    assert told["html"].text.lower().startswith("<!doctype html>")
    word = "连接断开" if lang == "zh" else "connection"
    assert word in told["markdown"].text


async def test_without_a_format_it_is_the_trace() -> None:
    async with lab() as served:
        run = await served.play()
        answer = await served.as_("teacher").get(f"/runs/{run['id']}/export")
        assert answer.headers["content-type"] == "application/x-ndjson"
        refused = await exported(served, run, "exe")
    assert refused.status_code == 400
    assert refused.json()["reason"].startswith("format: 'exe' is none of jsonl, html")


NAMES = [
    ("fig. 11-2", "fig.-11-2.csv", "fig. 11-2.csv"),
    ("../../etc/passwd", "etc-passwd.csv", "-..-etc-passwd.csv"),
    ('a"b\\c;d=e', "a-b-c-d-e.csv", "a-b-c;d=e.csv"),
    ("图 11-2", "11-2.csv", "图 11-2.csv"),
    ("图", "run.csv", "图.csv"),
    ("...", "run.csv", "run.csv"),
    ("%2F%0d%0aset-cookie: a=b", "2F-0d-0aset-cookie-a-b.csv", "%2F%0d%0aset-cookie- a=b.csv"),
    ("C:\\con", "C-con.csv", "C-con.csv"),
]


@pytest.mark.parametrize(("name", "plain", "whole"), NAMES)
async def test_a_file_is_called_what_is_safe(name: str, plain: str, whole: str) -> None:
    async with lab() as served:
        run = await served.play()
        path = f"/runs/{run['id']}"
        assert (await served.as_("teacher").put(path, json={"name": name})).status_code == 200
        said = (await exported(served, run, "csv")).headers["content-disposition"]
    head, _, encoded = said.partition("filename*=UTF-8''")
    assert head == f'attachment; filename="{plain}"; '
    assert unquote(encoded) == whole
    assert set(encoded) <= set(ascii_letters + digits + "%-._~")


async def test_a_name_that_was_given_later_is_in_the_file() -> None:
    async with lab() as served:
        run = await served.play()
        await served.as_("teacher").put(f"/runs/{run['id']}", json={"name": "Monday <b>"})
        header = json.loads((await exported(served, run, "jsonl")).text.splitlines()[0])
        picture = await exported(served, run, "svg")
    assert header["name"] == "Monday <b>"
    assert "Monday &lt;b&gt;" in picture.text


async def test_a_run_that_goes_on_is_handed_out_as_far_as_it_is() -> None:
    async with lab() as served:
        run = await served.play(mode="real", scenario="your-own")
        answer = await exported(served, run, "jsonl")
        assert (answer.status_code, json.loads(answer.text.splitlines()[0])["mode"]) == (
            200,
            "real",
        )
        await served.as_("teacher").delete(f"/runs/{run['id']}")


@pytest.mark.parametrize("host", ['evil"><script>', "a b", "x/y", "", "[::1]:80", "lab.example:1"])
async def test_the_link_is_to_where_we_are_or_there_is_none(host: str) -> None:
    async with lab() as served:
        run = await served.play()
        path = f"/runs/{run['id']}/export?format=markdown"
        answer = await served.as_("teacher").get(path, headers={"host": host})
    good = host in ("[::1]:80", "lab.example:1")
    assert answer.status_code == 200
    assert (f"http://{host}/lab#/r/{run['id']}" in answer.text) == good
    assert "script" not in answer.text


async def test_a_file_that_contradicts_itself_costs_nobody_anything() -> None:
    header = '{"schema":"amqplite.trace/1","name":"x"}'
    events = [
        f'{{"n":{n},"t":{t},"type":"{type_}","q":"{q}","m":"m1","id":{id_},"c":"{c}"}}'
        for n, (t, type_, q, id_, c) in enumerate(
            [
                (5, "acked", "", 1, ""),
                (4, "delivered", "q", 2, "c1"),
                (3, "dead_lettered", "r", 1, ""),
                (9, "released", "", 9, ""),
                (0, "requeued", "", 1, "c2"),
            ],
            1,
        )
    ]
    async with lab() as served:
        content = "\n".join([header, *events]).encode()
        answer = await served.as_("teacher").post("/import", content=content)
        assert answer.status_code in (201, 400)
        if answer.status_code == 201:
            for name in FORMATS:
                status = (await exported(served, answer.json(), name)).status_code
                assert status in (200, 422), name
