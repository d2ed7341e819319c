"""What holds for all tests."""

import os
import sys

import pytest
from hypothesis import settings

# Brokers are started by the hundred, as their users' are: with their bytecode at hand. Containers
# often switch it off, and then each start would compile the whole package, for a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# how long an example takes says how busy the machine is, and fails for no other reason
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Of `-n auto`: one more than there are cores, since half of the tests' time is waiting."""
    return len(os.sched_getaffinity(0)) + 1
