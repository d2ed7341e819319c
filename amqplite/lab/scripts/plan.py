"""A plan: a scenario with its parameters and seed put in, so that nothing is left open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from amqplite.lab.actors import ConsumerSpec, ProducerSpec
from amqplite.lab.scripts.checking import check_play
from amqplite.lab.scripts.expect import Expect
from amqplite.lab.scripts.script import Misfortune, Scenario, Setting
from amqplite.lab.scripts.settings import put_in, settle, variant_of
from amqplite.lab.trace import Header, TracedQueue

TICK_US = 400_000
"""A tick in microseconds, unless somebody wants another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be played.

    Attributes:
        scenario: with the parameters in their places.
        settings: the parameters.
        variant: whose settings these are; `None` if they are nobody's, empty for the defaults.
        expect: what has to come of it; `None` if nobody knows.
        producers: in the order of the file, and so below.
        faults: those that are on.
    """

    scenario: Scenario
    settings: Mapping[str, Setting]
    variant: str | None
    seed: int
    expect: Expect | None
    producers: tuple[ProducerSpec, ...]
    consumers: tuple[ConsumerSpec, ...]
    faults: tuple[Misfortune, ...]

    def header(self, mode: str, tick_us: int = TICK_US, started: str = "") -> Header:
        """Return a trace's header; `started` is a time in ISO form, empty where it is virtual."""
        scenario = self.scenario
        return Header(
            name=scenario.title.en,
            scenario=scenario.id,
            mode=mode,
            seed=self.seed,
            params=dict(self.settings),
            tick_us=tick_us,
            started=started,
            queues=[
                TracedQueue(q=one.name, arguments=one.declared(tick_us)) for one in scenario.queues
            ],
            variant=self.variant or "",
        )


def make_plan(
    scenario: Scenario,
    settings: Mapping[str, object] | None = None,
    variant: str = "",
    seed: int = 0,
) -> Plan:
    """Return what is to be played.

    Args:
        scenario: as it stands in its file.
        settings: values by parameter, see `settings.settle`.
        variant: empty is none; what `settings` say comes on top.
        seed: of what the scenario leaves open, if it does; 0 leaves it as it stands.

    Raises:
        ScenarioError: a parameter or variant isn't there, or a value can't be.
    """
    values = settle(scenario, settings or {}, variant)
    played = put_in(scenario, values)
    check_play(played)
    found = variant_of(scenario, values)
    producers = tuple(producer.spec() for producer in played.producers)
    if scenario.open == "interleave" and seed:
        producers = interleaved(producers, seed)
    return Plan(
        scenario=played,
        settings=values,
        variant=found,
        seed=seed,
        expect=None if found is None else expected(scenario, found),
        producers=producers,
        consumers=tuple(consumer.spec() for consumer in played.consumers if consumer.on),
        faults=tuple(fault for fault in played.faults if fault.on),
    )


def expected(scenario: Scenario, variant: str) -> Expect:
    """Return what has to come of a variant, or for an empty one of the scenario as it is."""
    if not variant:
        return scenario.expect
    return scenario.expect.overridden(scenario.variant(variant).expect)


def interleaved(producers: tuple[ProducerSpec, ...], seed: int) -> tuple[ProducerSpec, ...]:
    """Return the producers with their times shuffled among them, each one's own still in order."""
    times = sorted(publish.at for producer in producers for publish in producer.plan)
    owners = [number for number, producer in enumerate(producers) for _ in producer.plan]
    Random(seed).shuffle(owners)
    told = []
    for number, producer in enumerate(producers):
        own = [at for at, owner in zip(times, owners, strict=True) if owner == number]
        plan = sorted(producer.plan, key=lambda publish: publish.at)
        moved = (replace(publish, at=at) for publish, at in zip(plan, own, strict=True))
        told.append(replace(producer, plan=tuple(moved)))
    return tuple(told)
