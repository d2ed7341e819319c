"""How much memory a process uses, as Linux tells."""

from pathlib import Path

_RESET_PEAK = "5"


def resident_bytes(pid: int) -> int:
    """Return what it uses now."""
    return _status_bytes(pid, "VmRSS")


def reset_peak(pid: int) -> None:
    """Begin anew to look for the most it uses."""
    Path(f"/proc/{pid}/clear_refs").write_text(_RESET_PEAK)


def peak_bytes(pid: int) -> int:
    """Return the most it used since `reset_peak`."""
    return _status_bytes(pid, "VmHWM")


def _status_bytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)
