"""Random numbers that can be had again: a failure tells the seed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

VARIABLE = "AMQPLITE_TEST_SEED"
SEED = int(os.environ.get(VARIABLE) or secrets.randbits(32))


@contextmanager
def seeded(name: str) -> Iterator[Random]:
    """Give the random numbers of a test, and tell where they came from if it fails."""
    print(f"{VARIABLE}={SEED}")
    try:
        yield Random(f"{SEED} {name}")
    except BaseException as error:
        error.add_note(f"random numbers by {VARIABLE}={SEED}")
        raise
