"""SVG as text: elements with their attributes, and names of strangers made harmless."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from xml.sax.saxutils import escape, quoteattr

Value = str | float | None


_STRANGE = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\u202a-\\u202e\\u2066-\\u2069\\ufffe\\uffff]"
)
"""What may not stand in XML, or turns the direction of the text around it."""


def harmless(text: str) -> str:
    """Return text that may stand in XML: what may not, or shows nothing, is a replacement mark."""
    return _STRANGE.sub("\N{REPLACEMENT CHARACTER}", text)


def number(value: float) -> str:
    """Return a length, with a tenth of a pixel."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


class Drawing:
    """Elements, in the order in which they are painted."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def __str__(self) -> str:
        return "\n".join(self._parts)

    def put(self, tag: str, **attributes: Value) -> None:
        """Add an element without content: `stroke_width=2` is `stroke-width="2"`; `None`, none."""
        self._parts.append(f"<{tag}{_written(attributes)}/>")

    def text(self, content: str, **attributes: Value) -> None:
        """Add a line of text."""
        self._parts.append(f"<text{_written(attributes)}>{escape(harmless(content))}</text>")

    def told(self, tag: str, content: str, **attributes: Value) -> None:
        """Add an element with text in it, that is not drawn."""
        self._parts.append(f"<{tag}{_written(attributes)}>{escape(harmless(content))}</{tag}>")

    def raw(self, svg: str) -> None:
        """Add elements that are written already."""
        self._parts.append(svg)

    @contextmanager
    def group(self, tag: str = "g", **attributes: Value) -> Iterator[None]:
        """Put what is added meanwhile into an element."""
        self._parts.append(f"<{tag}{_written(attributes)}>")
        yield
        self._parts.append(f"</{tag}>")

    def named(self, name: str) -> AbstractContextManager[None]:
        """Put what is added meanwhile into one mark, with a sentence as its name."""
        return self.group(role="img", aria_label=name)


def _written(attributes: dict[str, Value]) -> str:
    return "".join(
        f" {name.rstrip('_').replace('_', '-')}={_quoted(value)}"
        for name, value in attributes.items()
        if value is not None
    )


def _quoted(value: str | float) -> str:
    return quoteattr(harmless(value)) if isinstance(value, str) else f'"{number(value)}"'
