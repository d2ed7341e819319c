import gc

import pytest

from amqplite.imports import uncollected


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_collected_meanwhile_nor_looked_at_later(enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with uncollected():
            assert not gc.isenabled()
            made = [[]]  # type: ignore[var-annotated]
        assert gc.isenabled() is enabled
        assert not any(one is made for one in gc.get_objects())
    finally:
        gc.unfreeze()
        (gc.enable if was_enabled else gc.disable)()


def test_what_fails_is_collected_again() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError
    assert gc.isenabled()
    gc.unfreeze()
