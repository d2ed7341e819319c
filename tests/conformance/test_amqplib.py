"""npm's amqplib: each case of `amqplib_cases.cjs` in a node of its own, with two generations of it.

The older one asks for frames of 4096 octets, which new RabbitMQs refuse.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.conformance.conftest import Broker

VERSIONS = ("0.10.5", "2.3.1")
SCRIPT = Path(__file__).with_name("amqplib_cases.cjs")
CASES = re.findall(r"^  async (\w+)\(connection\)", SCRIPT.read_text(), re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="node and npm are not installed"
)


@pytest.fixture(scope="session", params=VERSIONS)
def modules(request: pytest.FixtureRequest) -> Path:
    """The `node_modules` with one version of amqplib, kept for the next run."""
    kept = Path(tempfile.gettempdir()) / f"amqplite-tests-amqplib-{request.param}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=kept.parent) as fresh:
            (Path(fresh) / "package.json").write_text('{"private": true}')
            command = ["npm", "install", "--no-audit", "--no-fund", f"amqplib@{request.param}"]
            installed = subprocess.run(
                command, cwd=fresh, capture_output=True, text=True, timeout=120, check=False
            )
            if installed.returncode:
                pytest.skip(f"npm cannot install amqplib: {installed.stderr.strip()[:200]}")
            shutil.copytree(fresh, f"{fresh}.ready")
            if not kept.exists():
                Path(f"{fresh}.ready").rename(kept)
    return kept / "node_modules"


@pytest.mark.parametrize("case", CASES)
def test_amqplib(broker: Broker, modules: Path, case: str) -> None:
    done = subprocess.run(
        ["node", str(SCRIPT), broker.url, case],
        env={**os.environ, "NODE_PATH": str(modules)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0, done.stderr
