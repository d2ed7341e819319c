"""The lab's part of the table of what HTTP answers."""

from amqplite.control.auth import Access
from amqplite.control.lab import (
    catalogue,
    export,
    faults,
    live,
    marks,
    pages,
    runs,
    starting,
    whatif,
)
from amqplite.control.router import Route

_API = "/lab/api"
_RUN = f"{_API}/runs/{{id}}"
_QUEUE = f"{_API}/trace/{{vhost}}/{{queue}}"

ROUTES = (
    Route("GET", "/lab", pages.page, Access.ANYBODY),
    Route("GET", "/lab/{file}", pages.file, Access.ANYBODY),
    Route("GET", "/lab/texts/{file}", pages.words, Access.ANYBODY),
    #
    Route("GET", f"{_API}/scenarios", catalogue.scenarios),
    #
    Route("GET", f"{_API}/runs", runs.runs),
    Route("POST", f"{_API}/runs", starting.start),
    Route("POST", f"{_API}/import", starting.import_),
    Route("GET", _RUN, runs.run),
    Route("PUT", _RUN, runs.rename),
    Route("DELETE", _RUN, runs.delete),
    Route("GET", f"{_RUN}/events", runs.events),
    Route("GET", f"{_RUN}/stream", runs.stream),
    Route("GET", f"{_RUN}/metrics", runs.metrics),
    Route("GET", f"{_RUN}/why", runs.why),
    Route("GET", f"{_RUN}/export", export.export),
    Route("POST", f"{_RUN}/whatif", whatif.what_if),
    #
    Route("GET", f"{_API}/queues", live.queues),
    Route("GET", f"{_API}/trace", live.all_traced),
    Route("GET", _QUEUE, live.traced),
    Route("PUT", _QUEUE, live.trace),
    Route("DELETE", _QUEUE, live.untrace),
    Route("GET", f"{_QUEUE}/events", live.events),
    Route("GET", f"{_QUEUE}/stream", live.stream),
    Route("POST", f"{_QUEUE}/runs", live.freeze),
    #
    Route("POST", f"{_API}/faults", faults.fault),
    Route("POST", f"{_API}/marks", marks.mark, Access.USER),
)
