"""What real clients did is explained in a terminal, too, from the file that the lab hands out."""

import subprocess
import sys
from pathlib import Path

from tests.broker_process import ROOT
from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.figure import SENTENCE, play
from tests.lab.real.lab_http import Lab


def test_a_file_from_the_lab_is_explained_in_a_terminal(
    lab: Lab, consumers: Consumers, declare: Declare, publish: Publish, tmp_path: Path
) -> None:
    queue = declare()
    lab.trace(queue)
    play(lab, consumers, queue, publish)
    file = tmp_path / "trace.jsonl"
    file.write_bytes(lab.export(lab.freeze(queue)["id"]))
    said = subprocess.run(
        [sys.executable, "-m", "amqplite", "lab", "why", "--lang", "en", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert SENTENCE in " ".join(said.stdout.split())
