"""`amqplite lab`: what its commands do, and how they say what is wrong."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from amqplite.cli import main
from amqplite.lab.scenario import ORDER
from tests.broker_process import ROOT, BrokerProcess

ENVIRON = {"LC_ALL": "C.UTF-8", "NO_COLOR": None, "TERM": "xterm"}


def lab(*arguments: str | Path, text: str | bytes = "", **environ: str) -> Result:
    return CliRunner().invoke(
        main, ["lab", *map(str, arguments)], input=text, env=ENVIRON | environ
    )


def said(*arguments: str | Path, text: str | bytes = "", **environ: str) -> str:
    """Return what a command prints that does what it should."""
    result = lab(*arguments, text=text, **environ)
    assert (result.exit_code, result.exception) == (0, None), result.output
    return result.stdout


def refusal(*arguments: str | Path, text: str | bytes = "") -> str:
    """Return the one line in which a command says what is wrong."""
    result = lab(*arguments, text=text)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


@pytest.fixture
def figure(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    said("run", "fig-11-2", "--jsonl", path)
    return path


def test_list_names_all_scenarios() -> None:
    lines = said("list").splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(ORDER)
    assert lines[0] == "fig-11-2                Load balancing + redelivery"
    assert "fig-11-2                负载均衡加重新投递" in said("list", "--lang", "zh")


def test_list_as_json() -> None:
    told = json.loads(said("list", "--json"))
    assert [one["id"] for one in told] == list(ORDER)
    assert told[0]["title"]["zh"] == "负载均衡加重新投递"


def test_run_draws_the_figure_and_says_that_it_is_as_it_must_be() -> None:
    told = said("run", "fig-11-2", COLUMNS="100")
    assert "✕ connection lost → m3 requeued" in told
    assert "completed  m1  m2  m4  m3  m5" in told
    assert "\nAs the scenario says it must: " in told
    assert "\x1b" not in told


def worked_s() -> float:
    """Return how long the processors worked for processes that we started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_run_takes_less_than_two_seconds_and_no_broker() -> None:
    before = worked_s()
    command = [sys.executable, "-m", "amqplite", "lab", "run", "fig-11-2"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert worked_s() - before < 2


def test_run_with_a_parameter_a_variant_and_a_seed() -> None:
    told = json.loads(said("run", "prefetch-blast", "--set", "prefetch=5", "--json"))
    assert told["header"]["params"]["prefetch"] == 5
    done = [m for m in told["metrics"] if (m["scope"], m["at"]) == ("queue", "completion")]
    assert done[0]["inversions"] == 15
    told = json.loads(said("run", "fig-11-2", "--variant", "no-fault", "--seed", "7", "--json"))
    assert (told["header"]["variant"], told["header"]["seed"]) == ("no-fault", 7)
    assert all(check["ok"] for check in told["expect"])


def test_run_in_chinese_where_the_locale_is() -> None:
    assert "连接断开 → m3 重新入队" in said("run", "fig-11-2", LC_ALL="zh_CN.UTF-8")
    assert "requeued" in said("run", "fig-11-2", "--lang", "en", LC_ALL="zh_CN.UTF-8")


def test_run_in_ascii_and_in_a_width() -> None:
    told = said("run", "fig-11-2", "--ascii", "--width", "60")
    assert told.isascii()
    assert max(map(len, told.splitlines())) <= 60


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("svg", "<svg "),
        ("html", "<!doctype html>"),
        ("jsonl", '{"schema":"amqplite.trace/1"'),
        ("csv", "message,id,"),
        ("mermaid", "sequenceDiagram\n"),
        ("markdown", "# Load balancing"),
        ("perfetto", '{"traceEvents":['),
    ],
)
def test_run_writes_files(tmp_path: Path, name: str, begins: str) -> None:
    path = tmp_path / "file"
    told = said("run", "fig-11-2", f"--{name}", path)
    written = path.read_text(encoding="utf-8")
    assert written.startswith(begins)
    assert "completed  m1" in told
    assert said("run", "fig-11-2", f"--{name}", "-").replace("\r\n", "\n") == written


def test_show_draws_what_a_file_says(figure: Path, tmp_path: Path) -> None:
    assert "completed  m1  m2  m4  m3  m5" in said("show", figure)
    said("show", figure, "--jsonl", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == figure.read_bytes()


def test_why_tells_of_all_or_of_one(figure: Path) -> None:
    told = said("why", figure)
    assert told.startswith("1 of 5 messages completed out of order: m3, 1.8 ticks late.")
    assert "At t=3.4 the connection of c2 was lost, and m3 went back to the queue." in " ".join(
        told.split()
    )
    assert said("why", figure, "-m", "m4").startswith("m4 ")
    assert said("why", "-", "--lang", "zh", text=figure.read_bytes()).startswith("5 条消息中")


def test_compare_files_and_scenarios(figure: Path) -> None:
    told = said("compare", figure, "fig-11-2:no-fault")
    assert "Inversions                                      1" in told
    assert "Inversions fall from 1 to 0; it ends 2.6 sooner (-31 %); one redelivery less." in told
    first, second = json.loads(said("compare", figure, "silent-death", "--json"))
    assert (first["header"]["scenario"], second["header"]["scenario"]) == (
        "fig-11-2",
        "silent-death",
    )


def test_run_plays_on_a_broker_that_runs() -> None:
    with BrokerProcess(":memory:") as broker:
        url = f"http://127.0.0.1:{broker.http_port}"
        told = json.loads(said("run", "fig-11-2", "--real", "--url", url, "--json"))
        assert refusal("run", "fig-11-2", "--real", "--url", url, "--user", "guest:no")
        assert broker.stop() == 0
    assert told["header"]["mode"] == "real"
    (queue,) = [m for m in told["metrics"] if (m["scope"], m["at"]) == ("queue", "completion")]
    assert queue["completion"] == ["m1", "m2", "m4", "m3", "m5"]
    assert all(check["ok"] for check in told["expect"])


def test_it_exits_with_1_if_not_as_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from amqplite.lab.scripts import expect

    wrong = [expect.Check(what="inversions q", expected=1, got=2, ok=False)]
    monkeypatch.setattr(expect, "check_report", lambda *_: wrong)
    result = lab("run", "fig-11-2")
    assert result.exit_code == 1
    assert result.stdout.endswith(
        "Not as the scenario says it must (1 of 1):\n  inversions q: 1 → 2\n"
    )


REFUSED = [
    (("run", "nope"), "no scenario 'nope'; there are fig-11-2, "),
    (("run", "fig-11-2", "--set", "prefetch=x"), "prefetch: 'x' is not a whole number"),
    (("run", "fig-11-2", "--set", "x"), "'x' is no setting: write it as name=value"),
    (("run", "fig-11-2", "--set", "x=1"), "fig-11-2 has no parameter 'x'"),
    (("run", "fig-11-2", "--variant", "x"), "fig-11-2 has no variant 'x'"),
    (("run", "fig-11-2", "--svg", "/no/where/x.svg"), "/no/where/x.svg: No such file or directory"),
    (("run", "fig-11-2", "--real", "--url", "x"), "'x' is no address of a broker"),
    (("run", "your-own", "--real"), "your-own goes on until it is stopped"),
    (("show", "/no/file"), "there is no file '/no/file'"),
    (("why", "/"), "/: Is a directory"),
    (("compare", "fig-11-2", "fig-11-3"), "there is no file and no scenario 'fig-11-3'"),
    (("compare", "fig-11-2", "fig-11-2:x"), "fig-11-2 has no variant 'x'"),
]


@pytest.mark.parametrize(("arguments", "expected"), REFUSED)
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[str, ...], expected: str) -> None:
    assert refusal(*arguments).startswith(expected)


def test_junk_is_named_by_its_line(figure: Path) -> None:
    good = figure.read_text(encoding="utf-8").splitlines()
    assert refusal("why", "-", text="junk\n").startswith("-, line 1: not JSON")
    junk = "\n".join([*good[:3], '{"n": "x"}'])
    assert refusal("why", "-", text=junk).startswith("-, line 4: ")
    newer = good[0].replace("trace/1", "trace/9")
    assert "newer than amqplite.trace/1" in refusal("show", "-", text=newer)
    assert "nothing is known of a message 'm9'" in refusal("why", figure, "-m", "m9")


def test_the_broker_starts_without_it() -> None:
    code = "import amqplite.cli, sys; print(sorted(m for m in sys.modules if 'amqplite' in m))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "amqplite.lab" not in done.stdout
    assert "trio" not in done.stdout
