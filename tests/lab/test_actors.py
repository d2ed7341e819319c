"""What actors are told."""

import pytest

from amqplite.lab.actors import ConsumerSpec, Service

C2 = ConsumerSpec(
    tag="c2",
    services=(
        Service(m="m3", ticks=6.0, attempt=1),
        Service(m="m3", ticks=0.5),
        Service(m="m4", ticks=2.0, attempt=2),
    ),
)


@pytest.mark.parametrize(
    ("m", "attempt", "ticks"),
    [
        pytest.param("m1", 1, 1.8, id="as usual"),
        pytest.param("m3", 1, 6.0, id="the first attempt"),
        pytest.param("m3", 2, 0.5, id="every other attempt"),
        pytest.param("m4", 1, 1.8, id="another attempt than the special one"),
        pytest.param("m4", 2, 2.0, id="the second attempt"),
    ],
)
def test_service_times_go_by_message_and_attempt(m: str, attempt: int, ticks: float) -> None:
    assert C2.ticks_for(m, attempt) == ticks
