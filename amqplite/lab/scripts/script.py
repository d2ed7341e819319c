"""What a scenario's file says: records as they stand in it.

It says who publishes what and when, who consumes and how, what befalls them, which of it may be set
otherwise, what a class reads about it, and what has to come of it. Times are in ticks.
"""

from typing import Literal, TypeVar

from msgspec import MsgspecError, Struct, field

from amqplite.lab.actors import ConsumerSpec, Fault, ProducerSpec, Publish, Service
from amqplite.lab.scripts.expect import Expect
from amqplite.lab.scripts.lesson import Answer, Hint, Question, Snippet, Words

Setting = bool | int | float | str
"""A parameter's value."""

_Named = TypeVar("_Named", "Parameter", "Variant")


class ScenarioError(Exception):
    """A scenario's file, or what is asked of it, is wrong; `str()` is one line that says where."""


class Parameter(Words, frozen=True, kw_only=True):
    """What may be set otherwise; its words name it.

    Attributes:
        min: least value, for numbers.
        max: largest value.
        zero: what 0 stands for, where it isn't just a number.
        choices: the values, for `choice`.
        unit: `ticks`, or empty for a plain number.
        sets: where its value goes, as `consumers.*.prefetch`: fields, and between them the names of
            what stands in a list, or `*` for all that do.
    """

    name: str
    kind: Literal["int", "float", "bool", "choice"]
    default: Setting
    sets: tuple[str, ...]
    min: float = 0
    max: float = 100
    zero: Words | None = None
    choices: tuple[Answer, ...] = ()
    unit: Literal["", "ticks"] = ""

    def allows(self, number: float) -> bool:
        """Return whether a number is in range."""
        if number == 0 and self.zero is not None:
            return True
        return self.min <= number <= self.max


class Variant(Words, frozen=True, kw_only=True):
    """Settings that belong together; its words are its title.

    Attributes:
        set: values by parameter.
        expect: what differs from what is expected of the scenario.
    """

    name: str
    set: dict[str, Setting]
    expect: Expect = field(default_factory=Expect)


class Queue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A queue.

    Attributes:
        arguments: of its declaration, with their `x-`.
        ack_timeout: ticks that a delivery may stay unacked; 0 is for ever.
        at: when it is declared, in ticks.
    """

    name: str
    arguments: dict[str, bool | int | str] = field(default_factory=dict)
    ack_timeout: float = 0
    at: float = 0

    def declared(self, tick_us: int) -> dict[str, bool | int | str]:
        """Return the arguments of its declaration, where a tick is so many microseconds."""
        if not self.ack_timeout:
            return self.arguments
        milliseconds = round(self.ack_timeout * tick_us / 1000)
        return {**self.arguments, "x-consumer-timeout": milliseconds}


class Exchange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An exchange, declared before the play begins."""

    name: str
    type: str = "direct"


class Binding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A binding of a queue.

    Attributes:
        at: when it is made, in ticks.
        until: when it is undone; 0 is never.
    """

    exchange: str
    queue: str
    key: str = ""
    at: float = 0
    until: float = 0


class Series(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Messages m1, m2, … at even distances.

    Attributes:
        first: number of the first.
        start: when the first is published, in ticks.
        every: ticks from one to the next.
    """

    count: int
    first: int = 1
    every: float = 1.0
    start: float = 0.0


class Producer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A publisher: see `ProducerSpec`. Its `series` comes behind its `plan`."""

    name: str = "p1"
    plan: tuple[Publish, ...] = ()
    series: Series | None = None
    exchange: str = ""
    routing_key: str = "q"
    confirm: Literal["off", "pipelined", "each"] = "pipelined"
    lost_confirms: tuple[str, ...] = ()
    resend_after: float = 1.5
    retry_after: float | None = None

    def spec(self) -> ProducerSpec:
        """Return what the actor is told."""
        plan = list(self.plan)
        if self.series is not None:
            for number in range(self.series.count):
                at = round(self.series.start + number * self.series.every, 6)
                plan.append(
                    Publish(
                        at=at,
                        m=f"m{self.series.first + number}",
                        exchange=self.exchange,
                        routing_key=self.routing_key,
                    )
                )
        return ProducerSpec(
            name=self.name,
            plan=tuple(plan),
            confirm=self.confirm,
            lost_confirms=frozenset(self.lost_confirms),
            resend_after=self.resend_after,
            retry_after=self.retry_after,
        )


class Consumer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A consumer: see `ConsumerSpec`.

    Attributes:
        on: whether it takes part.
    """

    tag: str
    on: bool = True
    queue: str = "q"
    start: float = 0.0
    prefetch: int = 1
    service: float = 1.8
    services: tuple[Service, ...] = ()
    auto_ack: bool = False
    dedupe: bool = False
    nack: tuple[str, ...] = ()
    nack_requeue: bool = True
    lose_ack: tuple[str, ...] = ()
    poison: tuple[str, ...] = ()
    restart: float | None = 1.0

    def spec(self) -> ConsumerSpec:
        """Return what the actor is told."""
        told = {name: getattr(self, name) for name in self.__struct_fields__ if name != "on"}
        sets = {name: frozenset(told[name]) for name in ("nack", "lose_ack", "poison")}
        return ConsumerSpec(**told | sets)


class Misfortune(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What befalls a consumer: see `Fault`.

    Attributes:
        name: what parameters call it by.
        on: whether it strikes.
        detect: ticks until the broker notices a `crash`: 0 where the connection is reset by it;
            else nothing but missed heartbeats tells, and the consumer is as good as `silence`d.
    """

    name: str
    do: Literal["crash", "silence", "cancel", "close", "slow", "nack", "lose_ack"]
    target: str
    on: bool = True
    when: str = ""
    m: str = ""
    by: str = ""
    after: float = 0.0
    detect: float = 0.0
    restart: float | None = None
    factor: float = 2.0

    def fault(self) -> Fault:
        """Return what the runner is told."""
        told = {name: getattr(self, name) for name in _FAULT_FIELDS}
        if self.do == "crash" and self.detect:
            told["do"] = "silence"
        return Fault(**told)


_FAULT_FIELDS = ("do", "target", "when", "m", "by", "after", "restart", "factor")


class Scenario(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario's file.

    Attributes:
        teaches: in one sentence.
        price: what a fix costs; `None` where nothing is fixed.
        next: what to try next.
        compare_with: the scenario that it goes with; empty is none.
        own: people bring consumers of their own: a run ends when it is stopped.
        resequence: the queue whose messages are put in order again, behind their consumers.
        open: what a seed may change: `interleave`, who of the publishers comes when.
        until: ticks after which the play is over, if it isn't by itself.
    """

    id: str
    group: Literal["order", "duplicates", "loss", "slow", "not-a-bug"]
    title: Words
    teaches: Words
    story: Words
    question: Question
    next: tuple[Hint, ...] = ()
    price: Words | None = None
    compare_with: str = ""
    own: bool = False
    snippets: tuple[Snippet, ...] = ()
    params: tuple[Parameter, ...] = ()
    variants: tuple[Variant, ...] = ()
    queues: tuple[Queue, ...]
    exchanges: tuple[Exchange, ...] = ()
    bindings: tuple[Binding, ...] = ()
    producers: tuple[Producer, ...]
    consumers: tuple[Consumer, ...] = ()
    faults: tuple[Misfortune, ...] = ()
    resequence: str = ""
    open: Literal["", "interleave"] = ""
    until: float = 0
    expect: Expect = field(default_factory=Expect)

    def param(self, name: str) -> Parameter:
        """Return a parameter.

        Raises:
            ScenarioError: there is none of that name.
        """
        return called(self.params, name, f"{self.id} has no parameter")

    def variant(self, name: str) -> Variant:
        """Return a variant.

        Raises:
            ScenarioError: there is none of that name.
        """
        return called(self.variants, name, f"{self.id} has no variant")


def called(things: tuple[_Named, ...], name: str, none: str) -> _Named:
    """Return the thing of that name.

    Raises:
        ScenarioError: there is none.
    """
    for thing in things:
        if thing.name == name:
            return thing
    names = ", ".join(thing.name for thing in things) or "none"
    raise ScenarioError(f"{none} '{name}'; there are {names}")


def placed(error: MsgspecError) -> str:
    """Return what is wrong with a record, the field first, where msgspec knows it."""
    text, _, where = str(error).partition(" - at `$")
    where = where.rstrip("`").lstrip(".")
    text = text.removeprefix("Object contains ").removeprefix("Object ")
    return f"{where}: {text[0].lower()}{text[1:]}" if where else text
