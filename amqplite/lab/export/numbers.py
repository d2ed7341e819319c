"""What came of a run as JSON, without its events."""

from typing import Any

from msgspec import json

from amqplite.lab.export.account import Account
from amqplite.lab.scripts.expect import Check


def numbers(account: Account, checks: list[Check]) -> dict[str, Any]:
    """Return header, metrics, counts and sentences of a run, and whether it came as expected."""
    return {
        "header": account.header,
        "metrics": account.report.metrics,
        "counts": account.counts,
        "whys": account.whys,
        "verdict": account.verdict,
        "expect": checks,
    }


def as_json(told: Any) -> str:
    """Return records and what holds them as JSON for people to read."""
    return json.format(json.encode(told), indent=2).decode()
