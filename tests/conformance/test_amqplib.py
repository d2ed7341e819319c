"""npm's amqplib: each case of `amqplib_cases.cjs` in a node of its own, with two generations of it.

The older one asks for frames of 4096 octets, which new RabbitMQs refuse.
"""

import functools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.conformance.conftest import Broker

OLD, NEW = "0.10.5", "2.3.1"
OLD_CASES = ("bodies", "login", "properties", "settling")
SCRIPT = Path(__file__).with_name("amqplib_cases.cjs")
CASES = re.findall(r"^  async (\w+)\(connection\)", SCRIPT.read_text(), re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not installed"
)


@functools.cache
def modules(version: str) -> Path:
    """Return the `node_modules` with that amqplib, which are kept for the next run."""
    kept = Path(tempfile.gettempdir()) / f"amqplite-tests-amqplib-{version}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=kept.parent) as fresh:
            (Path(fresh) / "package.json").write_text('{"private": true}')
            command = ["npm", "install", "--no-audit", "--no-fund", f"amqplib@{version}"]
            installed = subprocess.run(
                command, cwd=fresh, capture_output=True, text=True, timeout=120, check=False
            )
            if installed.returncode:
                pytest.skip(f"npm cannot install amqplib: {installed.stderr.strip()[:200]}")
            shutil.copytree(fresh, f"{fresh}.ready")
            if not kept.exists():
                Path(f"{fresh}.ready").rename(kept)
    return kept / "node_modules"


@pytest.mark.parametrize(
    ("version", "case"), [*((NEW, case) for case in CASES), *((OLD, case) for case in OLD_CASES)]
)
def test_amqplib(broker: Broker, version: str, case: str) -> None:
    done = subprocess.run(
        ["node", str(SCRIPT), broker.url, case],
        env={**os.environ, "NODE_PATH": str(modules(version))},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0, done.stderr
