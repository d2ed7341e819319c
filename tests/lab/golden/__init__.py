"""What figure 11-2 comes to, to the octet, in the forms that are handed out.

After a change that is meant to show, `python -m tests.lab.golden` writes the files anew; look at
what `git diff` says of them.
"""

from functools import cache
from pathlib import Path

from amqplite.lab.export.account import account
from amqplite.lab.export.csv import csv_table
from amqplite.lab.export.markdown import markdown
from amqplite.lab.export.mermaid import mermaid
from amqplite.lab.export.svg import svg
from amqplite.lab.export.text import text
from amqplite.lab.playing.exact import run_exact
from amqplite.lab.scenario import find
from amqplite.lab.trace import write_jsonl

FOLDER = Path(__file__).parent


@cache
def golden() -> dict[str, str]:
    """Return what should stand in the files, by their names."""
    trace = run_exact(find("fig-11-2"))
    told = account(trace)
    return {
        "fig-11-2.jsonl": write_jsonl(trace),
        "fig-11-2.svg": svg(told),
        "fig-11-2.zh.svg": svg(told, "zh"),
        "fig-11-2.mmd": mermaid(told),
        "fig-11-2.txt": text(told, width=100),
        "fig-11-2.ascii.txt": text(told, width=80, ascii_only=True),
        "fig-11-2.zh.txt": text(told, "zh", width=100),
        "fig-11-2.csv": csv_table(told),
        "fig-11-2.md": markdown(told),
    }
