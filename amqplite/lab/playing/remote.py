"""The lab of a broker that runs elsewhere, over HTTP."""

import json
from base64 import b64encode
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from amqplite.lab.trace import Trace, TraceError, read_jsonl

TIMEOUT_S = 30
"""How long the broker may be silent; it sends something at least every 15 s."""


class RemoteError(Exception):
    """The broker does not answer, or refuses; `str()` is one line that says why."""


class RemoteLab:
    """A broker's lab, as one of its users.

    Args:
        url: of its HTTP listener, as `http://127.0.0.1:15672`.
        user: who asks.
        password: the user's.

    Raises:
        RemoteError: the URL is none of HTTP.
    """

    def __init__(self, url: str, user: str = "guest", password: str = "guest") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise RemoteError(f"'{url}' is no address of a broker: write it as http://HOST:PORT")
        self._base = f"{parts.scheme}://{parts.netloc}/lab/api"
        token = b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {"authorization": f"Basic {token}"}
        self._open = build_opener(ProxyHandler({})).open

    def play(self, scenario: str, params: Mapping[str, object], variant: str, seed: int) -> Trace:
        """Play a scenario there with real clients, to its end, and return its trace.

        Raises:
            RemoteError: the broker does not answer, or refuses; or the run failed.
        """
        wanted = {"scenario": scenario, "params": dict(params), "seed": seed}
        run = self._ask("POST", "/runs", wanted | {"variant": variant, "mode": "real"})
        path = f"/runs/{quote(str(run['id']), safe='')}"
        try:
            while run["state"] == "running":
                self._wait(f"{path}/stream")
                run = self._ask("GET", path)
        except KeyboardInterrupt:
            self._ask("DELETE", path)
            raise
        if run["state"] != "done":
            raise RemoteError(str(run.get("reason") or run["state"]))
        try:
            return read_jsonl(self._read("GET", f"{path}/export?format=jsonl"))
        except TraceError as error:
            raise RemoteError(f"what the broker answers is no trace: {error}") from None

    def _ask(self, method: str, path: str, told: Mapping[str, Any] | None = None) -> Any:
        body = self._read(method, path, told)
        try:
            return json.loads(body) if body else None
        except ValueError:
            raise RemoteError(f"what answers at {self._base} is no broker's lab") from None

    def _wait(self, path: str) -> None:
        """Read the stream of a run until it ends: then there is news of it."""
        with self._request("GET", path, None) as answer:
            while answer.readline():
                pass

    def _read(self, method: str, path: str, told: Mapping[str, Any] | None = None) -> bytes:
        with self._request(method, path, told) as answer:
            content: bytes = answer.read()
        return content

    def _request(self, method: str, path: str, told: Mapping[str, Any] | None) -> Any:
        body = None if told is None else json.dumps(told).encode()
        headers = self._headers | ({} if body is None else {"content-type": "application/json"})
        request = Request(self._base + path, body, headers, method=method)
        try:
            return self._open(request, timeout=TIMEOUT_S)
        except HTTPError as error:
            raise RemoteError(_reason(error)) from None
        except (URLError, OSError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise RemoteError(f"no broker answers at {self._base}: {reason}") from None


def _reason(error: HTTPError) -> str:
    """Return why a broker refused, in its own words if it has some."""
    with error:
        try:
            told = json.loads(error.read())
            return str(told.get("reason") or told["error"])
        except (ValueError, KeyError, AttributeError, OSError):
            return f"the broker answers {error.code} {error.reason}"
