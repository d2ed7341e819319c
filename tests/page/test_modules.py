"""The page's modules that need no browser, tested where node is."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = "amqplite/control/page/lab"
TEXTS = "amqplite/lab/texts"
TESTS = sorted(path.name for path in HERE.glob("*.test.js"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the modules and their tests to where node takes them for modules, of any version."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "package.json").write_text('{"type": "module"}')
    for part in (PAGE, TEXTS):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copytree(HERE, folder / "tests/page", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
@pytest.mark.parametrize("name", TESTS)
def test_a_module(name: str, folder: Path) -> None:
    command = ["node", "--test", f"tests/page/{name}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
