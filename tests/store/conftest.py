from collections.abc import Iterator
from pathlib import Path

import pytest

from amqplite.store.database import Database
from amqplite.store.opening import MEMORY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be, in a folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder / "amqplite.db"


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, path: Path) -> Iterator[Database]:
    """Both kinds of store, empty."""
    database = Database(path if request.param == "file" else MEMORY)
    yield database
    database.close()


@pytest.fixture(scope="module")
def shared_store() -> Iterator[Database]:
    """One store for many examples, since opening one takes longer than most of them."""
    database = Database(MEMORY)
    yield database
    database.close()


@pytest.fixture
def file_store(path: Path) -> Iterator[Database]:
    database = Database(path)
    yield database
    database.close()
