"""The lab of a broker that runs elsewhere, as a page or a script uses it: HTTP, and its streams."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

WITHIN_S = 20.0
"""How long a test waits for an answer, or for the next event."""


class Lab:
    """The lab, as one of the broker's users, whose password is the user's name.

    Attributes:
        http: asks below the lab's API.
    """

    def __init__(self, port: int, user: str = "guest") -> None:
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{port}/lab/api",
            auth=(user, user),
            trust_env=False,
            timeout=WITHIN_S,
        )

    def close(self) -> None:
        """Ask no more."""
        self.http.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return what is at a path."""
        return _json(self.http.get(path, params=query))

    def post(self, path: str, said: Any = None) -> Any:
        """Ask for something; return what came of it."""
        return _json(self.http.post(path, json={} if said is None else said))

    def trace(self, queue: str, vhost: str = "/") -> Any:
        """Have a queue traced."""
        return _json(self.http.put(path_of(queue, vhost)))

    def told(self, queue: str, vhost: str = "/") -> Any:
        """Return what a traced queue has come to."""
        return self.get(path_of(queue, vhost))

    def events(self, queue: str, vhost: str = "/") -> list[Any]:
        """Return all events of a traced queue that are kept."""
        events, after = list[Any](), 0
        while page := self.get(f"{path_of(queue, vhost)}/events", after=after)["events"]:
            events += page
            after = page[-1]["n"]
        return events

    def freeze(self, queue: str, vhost: str = "/", name: str = "") -> Any:
        """Keep what a traced queue has told as a run."""
        return self.post(f"{path_of(queue, vhost)}/runs", {"name": name})

    def export(self, run: str, format: str = "jsonl", **query: str) -> bytes:
        """Return a run in a form."""
        answer = self.http.get(f"/runs/{run}/export", params={"format": format, **query})
        assert answer.status_code == 200, answer.text
        return answer.content

    def import_(self, jsonl: bytes) -> Any:
        """Have a trace from a file kept as a run."""
        return _json(self.http.post("/import", content=jsonl))

    @contextmanager
    def follow(self, queue: str, vhost: str = "/", after: int = 0) -> Iterator["Followed"]:
        """Yield the events of a traced queue as they come."""
        path = f"{path_of(queue, vhost)}/stream"
        headers = {"last-event-id": str(after)} if after else {}
        with self.http.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200, answer.status_code
            yield Followed(_lines(answer.iter_bytes()))


class Followed:
    """A stream of events.

    Attributes:
        seen: the trace's events that have come.
        gaps: what was said to be missing.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.seen: list[Any] = []
        self.gaps: list[Any] = []

    def next(self) -> tuple[str, Any]:
        """Return name and data of the next event: `trace`, `gap` or `state`."""
        name = ""
        for line in self._lines:
            field, _, value = line.rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data = json.loads(value)
                if name == "trace":
                    self.seen.append(data)
                elif name == "gap":
                    self.gaps.append(data)
                return name, data
        raise EOFError

    def until(self, holds: Callable[[Any], bool]) -> Any:
        """Return the first of the trace's events, those seen included, of which `holds` is true."""
        for event in self.seen:
            if holds(event):
                return event
        return self.until_next(holds)

    def until_next(self, holds: Callable[[Any], bool]) -> Any:
        """Return the first of the trace's events that are still to come of which it is true."""
        while True:
            name, data = self.next()
            if name == "trace" and holds(data):
                return data

    def until_event(self, **facts: Any) -> Any:
        """Return the first event with these attributes."""
        return self.until(lambda event: facts.items() <= event.items())


def path_of(queue: str, vhost: str = "/") -> str:
    """Return the path of a traced queue."""
    return f"/trace/{quote(vhost, safe='')}/{quote(queue, safe='', errors='surrogateescape')}"


def measured(told: Any, scope: str, at: str, name: str) -> Any:
    """Return the numbers of one scope out of those of a run or a traced queue."""
    metrics = (told.get("outcome") or told)["metrics"]
    keys = {"scope": scope, "at": at, "name": name}
    (found,) = [one for one in metrics if keys.items() <= one.items()]
    return found


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Cut octets into lines where an event stream does (httpx does so at other ends of lines)."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode()


def _json(answer: httpx.Response) -> Any:
    assert answer.is_success, (answer.status_code, answer.text)
    return answer.json() if answer.content else None
