"""A scenario's parameters: reading them, and putting them in."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from amqplite.lab.scripts.script import Parameter, Scenario, ScenarioError, Setting, placed

_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
_KEYS = ("name", "tag", "m", "queue")
"""What a thing in a list is called by: the first of these that it has."""


def split(texts: Iterable[str]) -> dict[str, str]:
    """Return what `name=value` texts say.

    Raises:
        ScenarioError: one has no `=`.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ScenarioError(f"'{text}' is no setting: write it as name=value")
        found[name.strip()] = value.strip()
    return found


def settle(
    scenario: Scenario, settings: Mapping[str, object], variant: str = ""
) -> dict[str, Setting]:
    """Return a value for each parameter: as asked for, or as the variant has it, or its default.

    Args:
        scenario: whose.
        settings: values by parameter; as texts too, and `unlimited` for 0.
        variant: empty is none.

    Raises:
        ScenarioError: there is no such parameter or variant, or a value can't be.
    """
    for name in settings:
        scenario.param(name)
    given = dict(scenario.variant(variant).set) if variant else {}
    given |= {name: _read(scenario.param(name), value) for name, value in settings.items()}
    return {param.name: given.get(param.name, param.default) for param in scenario.params}


def variant_of(scenario: Scenario, values: Mapping[str, Setting]) -> str | None:
    """Return which variant has just these values; empty is the scenario as it is, `None` none."""
    for name in ("", *(variant.name for variant in scenario.variants)):
        if settle(scenario, {}, name) == values:
            return name
    return None


def put_in(scenario: Scenario, values: Mapping[str, Setting]) -> Scenario:
    """Return the scenario with values of its parameters where they belong.

    Raises:
        ScenarioError: a parameter leads nowhere, or its value does not fit there.
    """
    told: dict[str, Any] = msgspec.to_builtins(scenario)
    for param in scenario.params:
        for path in param.sets:
            _put(told, path, values[param.name], param.name)
    try:
        return msgspec.convert(told, Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"the parameters do not fit: {placed(error)}") from None


def _read(param: Parameter, value: object) -> Setting:
    """Return a parameter's value from what was given for it."""
    text = str(value).strip().lower()
    match param.kind:
        case "bool":
            if text not in _WORDS:
                raise ScenarioError(f"{param.name}: '{value}' is neither on nor off")
            return _WORDS[text]
        case "choice":
            ids = {choice.id.lower(): choice.id for choice in param.choices}
            if text not in ids:
                raise ScenarioError(f"{param.name}: '{value}' is none of {', '.join(ids.values())}")
            return ids[text]
    return _read_number(param, value, text)


def _read_number(param: Parameter, value: object, text: str) -> int | float:
    if param.zero is not None and text in {"unlimited", "inf"}:
        text = "0"
    try:
        number = int(text) if param.kind == "int" else float(text)
    except ValueError:
        what = "a whole number" if param.kind == "int" else "a number"
        raise ScenarioError(f"{param.name}: '{value}' is not {what}") from None
    if not param.allows(number):
        raise ScenarioError(f"{param.name}: {number:g} is not in {param.min:g}…{param.max:g}")
    return number


def _put(told: Any, path: str, value: Setting, name: str) -> None:
    """Set the field that a path leads to, in all the things it leads through."""
    *steps, last = path.split(".")
    places = [told]
    for step in steps:
        places = [inner for place in places for inner in _inside(place, step)]
    if not places or not all(isinstance(place, dict) for place in places):
        raise ScenarioError(f"params.{name}: '{path}' leads nowhere")
    for place in places:
        place[last] = value


def _inside(place: Any, step: str) -> list[Any]:
    if isinstance(place, (list, tuple)):
        return [one for one in place if step in ("*", _called(one))]
    if isinstance(place, dict) and place.get(step) is not None:
        return [place[step]]
    return []


def _called(thing: dict[str, Any]) -> Any:
    return next((thing[key] for key in _KEYS if key in thing), None)
