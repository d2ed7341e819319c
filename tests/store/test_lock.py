"""One broker to a data folder."""

import os
import stat
from pathlib import Path

import pytest

from amqplite.store import DataDirInUse, StoreUnusable
from amqplite.store.lock import DataDirLock


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "var" / "amqplite"
    with DataDirLock(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with DataDirLock(tmp_path):
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_second_broker_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with (
        DataDirLock(tmp_path),
        pytest.raises(DataDirInUse, match=rf"{tmp_path} is in use .* process {os.getpid()}:"),
    ):
        DataDirLock(tmp_path)


def test_the_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    DataDirLock(tmp_path).close()
    DataDirLock(tmp_path).close()


def test_a_holder_that_has_not_yet_said_who_it_is(tmp_path: Path) -> None:
    with DataDirLock(tmp_path):
        os.truncate(tmp_path / "amqplite.lock", 0)
        with pytest.raises(DataDirInUse, match="process unknown"):
            DataDirLock(tmp_path)


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match=f"can't use the data folder {tmp_path}/file/data"):
        DataDirLock(tmp_path / "file" / "data")
