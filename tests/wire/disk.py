"""A small disk of one's own, to be filled."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MIB = 1024 * 1024


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """Mount a disk of this size on `folder`, or skip the test where that is not permitted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "amqplite-test", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"can't mount a disk to be filled: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Filler:
    """A file that takes what is left of a disk, but for some."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "filler"

    def leave(self, free_bytes: int) -> None:
        """Leave this much free, or as little more as there is."""
        with self._path.open("ab", buffering=0) as file:
            while (room := self._free() - free_bytes) > 0:
                try:
                    file.write(bytes(min(room, MIB)))
                except OSError:
                    return

    def remove(self) -> None:
        """Give it all back."""
        self._path.unlink(missing_ok=True)

    def _free(self) -> int:
        found = os.statvfs(self._path.parent)
        return found.f_bavail * found.f_frsize
