"""Figure 11-2 comes out of real clients, whatever library they use, and of its own file."""

import importlib.util
import shutil
from collections.abc import Iterator

import pytest

from tests.broker_process import BrokerProcess
from tests.conformance.test_amqplib import NEW, modules
from tests.lab.real.conftest import Declare, Publish
from tests.lab.real.consumers import Consumers
from tests.lab.real.figure import check, play
from tests.lab.real.lab_http import Lab


@pytest.fixture(params=["pika", "aio_pika", "amqplib"])
def any_consumers(request: pytest.FixtureRequest, broker: BrokerProcess) -> Iterator[Consumers]:
    """Consumers of each client library that is there."""
    library, found = request.param, None
    if library == "amqplib":
        if not (shutil.which("node") and shutil.which("npm")):
            pytest.skip("node and npm are not installed")
        found = modules(NEW)
    elif importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    consumers = Consumers(broker.url, library, found)
    yield consumers
    consumers.end()


def test_the_figure_comes_out_of_real_clients(
    lab: Lab, any_consumers: Consumers, declare: Declare, publish: Publish
) -> None:
    queue = declare()
    lab.trace(queue)
    play(lab, any_consumers, queue, publish)
    told = lab.told(queue)
    check(told)

    run = lab.freeze(queue, name="The figure")
    assert run["state"] == "done"
    check(run)
    jsonl = lab.export(run["id"])
    imported = lab.import_(jsonl)
    check(imported)
    for part in ("metrics", "counts", "whys", "verdict"):
        assert imported[part] == run[part], part
    assert lab.export(imported["id"]) == jsonl
