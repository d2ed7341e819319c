"""SVG is well-formed, whatever it is given."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from amqplite.lab.export.drawing import Drawing, harmless, number


def test_attributes_are_written_as_svg_names_them() -> None:
    drawing = Drawing()
    drawing.put("rect", x=1.25, width=2, stroke_width=0.5, fill=None, class_="a")
    assert str(drawing) == '<rect x="1.2" width="2" stroke-width="0.5" class="a"/>'


def test_groups_hold_what_is_drawn_meanwhile() -> None:
    drawing = Drawing()
    with drawing.named('"c2" holds <m3>'):
        drawing.text("m3 & m4", x=0)
    root = ElementTree.fromstring(str(drawing))
    assert (root.tag, root.get("role")) == ("g", "img")
    assert root.get("aria-label") == '"c2" holds <m3>'
    assert root[0].text == "m3 & m4"


def test_lengths_have_a_tenth_of_a_pixel() -> None:
    assert [number(v) for v in (3.0, -0.04, 1.26, -12.5)] == ["3", "0", "1.3", "-12.5"]


def test_what_may_not_be_in_xml_is_replaced() -> None:
    assert harmless("a\x00b\x1b[31m\ud800\u202e\ufffe") == "a\ufffdb\ufffd[31m\ufffd\ufffd\ufffd"
    assert harmless("队列 <é>") == "队列 <é>"


@given(st.text(alphabet=st.characters(), max_size=30))
def test_any_name_is_only_a_name(name: str) -> None:
    drawing = Drawing()
    with drawing.named(name):
        drawing.text(name)
        drawing.told("title", name)
    root = ElementTree.fromstring(str(drawing))
    assert [element.tag for element in root] == ["text", "title"]
    assert (root[0].text or "") == harmless(name)
