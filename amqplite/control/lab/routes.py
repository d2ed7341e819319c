"""The lab's part of the table of what HTTP answers."""

from amqplite.control.auth import Access
from amqplite.control.lab import pages
from amqplite.control.router import Route

ROUTES = (
    Route("GET", "/lab", pages.page, Access.ANYBODY),
    Route("GET", "/lab/{file}", pages.file, Access.ANYBODY),
    Route("GET", "/lab/texts/{file}", pages.words, Access.ANYBODY),
)
