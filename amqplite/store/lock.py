"""The lock on a data folder: two brokers on one database would overwrite each other."""

import fcntl
import os
from pathlib import Path
from typing import Self

from amqplite.store import DataDirInUse, StoreUnusable

LOCK_NAME = "amqplite.lock"


class DataDirLock:
    """Holds a data folder, until it is closed or the process ends, however it ends.

    The file stays: were it deleted, two could hold a lock each, on two files of one name.

    Args:
        data_dir: made, for its owner alone, if it is not there.

    Raises:
        DataDirInUse: somebody else holds it.
        StoreUnusable: it can't be made or written.
    """

    def __init__(self, data_dir: Path) -> None:
        try:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.open(data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreUnusable(f"can't use the data folder {data_dir}: {error}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.pread(self._file, 32, 0).decode().strip() or "unknown"
            os.close(self._file)
            raise DataDirInUse(
                f"the data folder {data_dir} is in use by another broker, process {pid}: "
                f"stop that one, or choose another folder"
            ) from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def close(self) -> None:
        """Let others have the folder."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
