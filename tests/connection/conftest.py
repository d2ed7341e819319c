import pytest

from tests.connection.client import Client
from tests.rig import Rig


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def client(rig: Rig) -> Client:
    """A client with channel 1 open."""
    return Client(rig).open()


@pytest.fixture
def other(rig: Rig) -> Client:
    """Another client of the same broker, with channel 1 open."""
    return Client(rig).open()
