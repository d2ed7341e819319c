"""What an installed package brings along."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.broker_process import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")))
    return ZipFile(built)


def test_the_wheel_has_the_package_its_revisions_and_its_defaults(wheel: ZipFile) -> None:
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "amqplite").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    expected |= {
        f"amqplite/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "migrations").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    expected.add("amqplite/amqplite.toml")
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert inside == expected
    assert "amqplite/py.typed" in inside


def test_the_wheel_installs_the_command_and_the_license(wheel: ZipFile) -> None:
    (entry_points,) = [n for n in wheel.namelist() if n.endswith("/entry_points.txt")]
    assert b"amqplite = amqplite.cli:main" in wheel.read(entry_points)
    (license_file,) = [n for n in wheel.namelist() if n.endswith("/licenses/LICENSE")]
    assert wheel.read(license_file) == Path(ROOT / "LICENSE").read_bytes()
