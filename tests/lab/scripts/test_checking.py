"""Whether what stands in a scenario goes together; by the file, see `test_scenario`."""

import msgspec
import pytest

from amqplite.lab.scenario import catalogue, find
from amqplite.lab.scripts.checking import check, check_play
from amqplite.lab.scripts.script import ScenarioError
from amqplite.lab.scripts.settings import put_in, settle


@pytest.mark.parametrize("scenario", catalogue(), ids=lambda scenario: scenario.id)
def test_every_variant_can_be_played(scenario: object) -> None:
    check(scenario)  # type: ignore[arg-type]


def test_who_is_struck_has_to_be_there() -> None:
    fig = find("fig-11-2")
    alone = msgspec.structs.replace(fig, consumers=fig.consumers[1:])
    with pytest.raises(ScenarioError, match=r"faults.crash.target: there is no consumer 'c2'"):
        check_play(put_in(alone, settle(alone, {})))
