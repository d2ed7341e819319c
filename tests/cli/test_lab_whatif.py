"""`amqplite lab whatif`: what it shows, and how it says what is wrong."""

import json
from pathlib import Path

import pytest

from tests.cli.test_lab import lab, refusal, said


@pytest.fixture
def figure(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    said("run", "fig-11-2", "--jsonl", path)
    return path


def test_without_a_policy_the_usual_ones_stand_side_by_side(figure: Path) -> None:
    told = said("whatif", figure)
    assert told.startswith("Run again as it was recorded, all 5 messages were done in the order")
    assert [line.split("  ")[0] for line in told.splitlines()[3:8]] == [
        *("as recorded", "prefetch 1 → 1", "single active consumer"),
        *("a queue per consumer", "no faults"),
    ]
    sentence = "single active consumer would have cut 1 inversion to 0 at +24 % time;"
    assert sentence in " ".join(told.split())


def test_one_policy_is_shown_as_any_run_with_what_it_takes_for_granted(figure: Path) -> None:
    told = said("whatif", figure, "--set", "single_active=on")
    assert "[SIMULATED]" in told
    assert "q: In order: 5 of 5" in told
    assert "\n- c2 fails 1.4 ticks into its work on m3 (connection lost), as it did.\n" in told


def test_several_policies_of_ones_own(figure: Path) -> None:
    told = said(
        "whatif", figure, "--policy", "prefetch=2,single_active=1", "--policy", "no_faults=1"
    )
    assert "prefetch 1 → 2 + single active consumer  " in told
    assert "no faults  " in told


def test_a_policy_may_begin_in_the_middle(figure: Path) -> None:
    told = said("whatif", figure, "--set", "no_faults=yes", "--at", "4")
    assert "Up to t=4.0 all is as it was recorded." in told
    assert "left it at 1 inversion" in told


def test_scenarios_will_do_and_chinese_and_ascii() -> None:
    told = said("whatif", "prefetch-blast:prefetch-10", "--policy", "prefetch=1", "--lang", "zh")
    assert "预取数 10 → 1 会把 28 个逆序对减少到 1 个，用时不变。" in told
    plain = said("whatif", "prefetch-blast", "--policy", "prefetch=1", "--ascii")
    assert plain.isascii()


def test_numbers_as_json(figure: Path) -> None:
    several = json.loads(said("whatif", figure, "--json"))
    assert [row["inversions"] for row in several["rows"]] == [1, 1, 0, 0, 0]
    one = json.loads(said("whatif", figure, "--set", "prefetch=unlimited", "--json"))
    assert (one["policy"], one["check"]["differ"]) == ({"prefetch": 0}, 0)


def test_the_simulated_run_is_written_as_any_other(figure: Path, tmp_path: Path) -> None:
    path = tmp_path / "simulated.jsonl"
    said("whatif", figure, "--set", "single_active=on", "--jsonl", path)
    assert '"mode":"simulated"' in path.read_text().splitlines()[0]
    told = said("whatif", figure, "--set", "single_active=on", "--jsonl", "-")
    assert told == path.read_text()


def test_what_is_wrong_is_one_line(figure: Path) -> None:
    known = "prefetch, single_active, queue_per_consumer, partitions, ack_timeout, max_length"
    assert refusal("whatif", figure, "--set", "speed=1") == (
        f"There is no setting speed; there are {known}, overflow, no_faults."
    )
    assert refusal("whatif", figure, "--set", "x") == "'x' is no setting: write it as name=value"
    header = figure.read_text().splitlines()[0]
    empty = lab("whatif", "-", text=header)
    assert empty.stderr == "Error: This trace can't be run again: it tells of no publish.\n"


def test_options_that_do_not_go_together_are_refused(figure: Path) -> None:
    both = lab("whatif", figure, "--set", "prefetch=1", "--policy", "prefetch=1")
    assert (both.exit_code, "exclude each other" in both.stderr) == (2, True)
    alone = lab("whatif", figure, "--at", "3")
    assert (alone.exit_code, "--at needs --set" in alone.stderr) == (2, True)
