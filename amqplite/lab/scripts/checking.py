"""Whether what stands in a scenario's file goes together."""

from collections.abc import Iterable

from amqplite.lab.scripts.expect import Expect
from amqplite.lab.scripts.script import Parameter, Scenario, ScenarioError
from amqplite.lab.scripts.settings import put_in, settle

ANCHORS = ("", "started", "applied", "crashed", "recovered")
"""What actors tell, and a fault may be anchored to; empty is the play's begin."""


def check(scenario: Scenario) -> None:
    """Check a scenario.

    Raises:
        ScenarioError: names the field.
    """
    _check_names(scenario)
    _check_question(scenario)
    for param in scenario.params:
        _check_parameter(param)
    for variant in scenario.variants:
        for name, value in variant.set.items():
            _in_field(f"variants.{variant.name}.set", scenario, {name: value})
    for expect in (scenario.expect, *(variant.expect for variant in scenario.variants)):
        for name in expect.timed or ():
            _require(name, Expect.__struct_fields__, "expect.timed", "field")
    for name in ("", *(variant.name for variant in scenario.variants)):
        check_play(put_in(scenario, settle(scenario, {}, name)))


def check_play(scenario: Scenario) -> None:
    """Check that the actors find what they need, with the parameters put in.

    Raises:
        ScenarioError: names the field.
    """
    queues = {queue.name for queue in scenario.queues}
    exchanges = {exchange.name for exchange in scenario.exchanges}
    tags = {consumer.tag for consumer in scenario.consumers}
    for binding in scenario.bindings:
        _require(binding.queue, queues, "bindings.queue", "queue")
        _require(binding.exchange, exchanges, "bindings.exchange", "exchange")
    for consumer in scenario.consumers:
        _require(consumer.queue, queues, f"consumers.{consumer.tag}.queue", "queue")
    for fault in scenario.faults:
        _require(fault.target, tags, f"faults.{fault.name}.target", "consumer")
        _require(fault.when, ANCHORS, f"faults.{fault.name}.when", "event to wait for")
    for producer in scenario.producers:
        for publish in producer.spec().plan:
            where = f"producers.{producer.name}.plan.{publish.m}"
            if publish.exchange:
                _require(publish.exchange, exchanges, f"{where}.exchange", "exchange")
            else:
                _require(publish.routing_key, queues, f"{where}.routing_key", "queue")
    if scenario.resequence:
        _require(scenario.resequence, queues, "resequence", "queue")


def _check_names(scenario: Scenario) -> None:
    _unique("queues", (queue.name for queue in scenario.queues))
    _unique("producers", (producer.name for producer in scenario.producers))
    _unique("consumers", (consumer.tag for consumer in scenario.consumers))
    _unique("faults", (fault.name for fault in scenario.faults))
    _unique("params", (param.name for param in scenario.params))
    _unique("variants", (variant.name for variant in scenario.variants))


def _check_question(scenario: Scenario) -> None:
    ids = [answer.id for answer in scenario.question.answers]
    _unique("question.answers", ids)
    _require(scenario.question.right, ids, "question.right", "answer")
    names = [variant.name for variant in scenario.variants]
    for hint in scenario.next:
        if hint.variant and hint.scenario in ("", scenario.id):
            _require(hint.variant, names, "next.variant", "variant")


def _check_parameter(param: Parameter) -> None:
    fits = {
        "int": type(param.default) is int,
        "float": type(param.default) in (int, float),
        "bool": type(param.default) is bool,
        "choice": param.default in [choice.id for choice in param.choices],
    }
    if not fits[param.kind]:
        raise ScenarioError(f"params.{param.name}.default: {param.default!r} is no {param.kind}")
    if param.kind in ("int", "float") and not param.allows(float(param.default)):
        raise ScenarioError(f"params.{param.name}.default: it is out of its own range")


def _in_field(field: str, scenario: Scenario, settings: dict[str, object]) -> None:
    try:
        settle(scenario, settings)
    except ScenarioError as error:
        raise ScenarioError(f"{field}: {error}") from None


def _require(name: str, known: Iterable[str], field: str, what: str) -> None:
    if name not in known:
        raise ScenarioError(f"{field}: there is no {what} '{name}'")


def _unique(field: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ScenarioError(f"{field}: there are two '{name}'")
        seen.add(name)
