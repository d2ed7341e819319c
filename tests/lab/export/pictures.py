"""Charts of stories, and what was drawn of them, to be looked at by tests."""

from collections.abc import Callable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from amqplite.broker.trace import Event
from amqplite.lab.diagram.scales import Kind
from amqplite.lab.export.account import Account, account
from amqplite.lab.export.chart import Chart
from amqplite.lab.export.drawing import Drawing
from amqplite.lab.export.words import Words
from amqplite.lab.trace import Header, Trace
from tests.lab.story import TICK, Story, figure_11_2

WORDS = Words("en", TICK)


def account_of(story: Story | list[Event] | None = None, **header: object) -> Account:
    """Analyse a story; by default that of figure 11-2."""
    events = story if isinstance(story, list) else (story or figure_11_2()).events
    told = {"mode": "exact", "tick_us": TICK, "name": "A story"} | header
    return account(Trace(Header(**told), events))  # type: ignore[arg-type]


def chart_of(story: Story | None = None, kind: Kind = "time") -> Chart:
    return Chart(account_of(story).layout, kind, WORDS, 0)


def drawn(draw: Callable[..., object], *arguments: object) -> Element:
    """Return what a function draws, as the children of one element."""
    drawing = Drawing()
    draw(drawing, *arguments)
    return ElementTree.fromstring(f"<svg>{drawing}</svg>")


def written(root: Element) -> list[str]:
    """Return the lines of text in a picture."""
    return [element.text or "" for element in root.iter("text")]


def named(root: Element) -> list[str]:
    """Return the sentences that marks are named by."""
    return [name for element in root.iter() if (name := element.get("aria-label"))]
