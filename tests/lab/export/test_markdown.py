"""A report for people who write Markdown."""

import pytest

from amqplite.lab.export.markdown import escaped, markdown
from tests.lab.export.pictures import account_of
from tests.lab.story import Story


def test_the_figure() -> None:
    told = markdown(account_of(name="Load balancing + redelivery", scenario="fig-11-2"))
    assert told.startswith(
        "# Load balancing + redelivery\n\n1 of 5 messages completed out of order"
    )
    assert "| Metric | Value |\n|---|---:|\n| Inversions | 1 |\n| Messages moved | 1 |\n" in told
    assert "| published | m1 m2 m3 m4 m5 |\n| completed | m1 m2 m4 **m3** m5 |\n" in told
    assert "```mermaid\nsequenceDiagram\n" in told
    assert told.count("```") == 2
    assert "\nm3 was handed to c2 at t=2.0." in told
    assert told.endswith("· `amqplite lab run fig-11-2`\n")


def test_it_says_what_brings_the_same_again() -> None:
    told = markdown(account_of(scenario="prefetch-blast", seed=42, variant="one"))
    assert "`amqplite lab run prefetch-blast --variant one --seed 42`" in told
    assert "amqplite lab run" not in markdown(account_of(scenario="fig-11-2", mode="real"))


def test_a_link_to_the_run() -> None:
    assert markdown(account_of(), link="http://localhost/lab#/r/1").endswith(
        "· <http://localhost/lab#/r/1>\n"
    )


def test_in_chinese() -> None:
    told = markdown(account_of(), "zh")
    assert "| 指标 | 数值 |" in told
    assert "## 时序图" in told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m3 was handed to c2 at t=2.0.", "m3 was handed to c2 at t=2.0."),
        ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("<img onerror>", "&#60;img onerror&#62;"),
        ("@everyone #1", "&#64;everyone &#35;1"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("a|b", r"a\|b"),
        ("a\nb", "a\ufffdb"),
        ("$x$ ~~y~~", r"\$x\$ \~\~y\~\~"),
    ],
)
def test_text_is_only_text(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_hostile_names_stay_in_their_place() -> None:
    story = Story("`|\n```\n# x")
    story.publish(0, "```\n<script>")
    told = markdown(account_of(story, name="x\n# y"))
    assert told.count("```") == 2
    assert "<script>" not in told
    assert "\n# y" not in told
