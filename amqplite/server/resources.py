"""Watches memory and disk, and raises the broker's alarms (RabbitMQ: alarms)."""

import os
import shutil
from pathlib import Path
from typing import Never

import trio

from amqplite.broker.alarms import Alarms

INTERVAL_S = 1.0
"""How often to look: a disk fills no faster than we write."""


class Resources:
    """Looks at what is left of memory and disk.

    Args:
        folder: where the database is; `None` if it is in memory.
        disk_free_min_bytes: less than that on its disk is an alarm; 0 for none.
        memory_high_bytes: a larger process is an alarm.
    """

    def __init__(
        self,
        alarms: Alarms,
        folder: Path | None,
        disk_free_min_bytes: int,
        memory_high_bytes: int,
    ) -> None:
        self._alarms = alarms
        self._folder = folder
        self._disk_free_min_bytes = disk_free_min_bytes
        self._memory_high_bytes = memory_high_bytes

    async def run(self) -> Never:
        """Look until cancelled."""
        while True:
            self.look()
            await trio.sleep(INTERVAL_S)

    def look(self) -> None:
        """Set the alarms by what is left now."""
        if self._folder is not None and self._disk_free_min_bytes:
            free = shutil.disk_usage(self._folder).free
            self._alarms.set("disk", free < self._disk_free_min_bytes)
        self._alarms.set("memory", resident_bytes() > self._memory_high_bytes)


def resident_bytes() -> int:
    """Return the process's resident memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def machine_bytes() -> int:
    """Return the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
