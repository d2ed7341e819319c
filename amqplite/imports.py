"""Imports that take long, done in less."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Import within this what is large.

    Imports make many objects and no garbage: looking for some would take a tenth of the time. It
    isn't looked for among them later, either, as they stay.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
