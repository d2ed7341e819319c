"""Settings: from a TOML file, the environment and the command line, in rising order.

One `Settings` is made at the start and handed to whoever needs it; nothing reads the environment
later. `config/amqplite.toml` lists the same settings with their defaults.

Each layer is checked by itself, so that a wrong value is reported where it stands, even if a
higher layer overrides it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

PREFIX = "AMQPLITE_"
"""`amqp_port` is `AMQPLITE_AMQP_PORT` in the environment, and so is every other setting."""

CONFIG_VARIABLE = "AMQPLITE_CONFIG"
"""Names the TOML file where no `--config` does."""

IN_MEMORY = ":memory:"
"""The `data_dir` that keeps everything in memory, and nothing when the process ends."""

MIB = 1024 * 1024

Port = Annotated[
    int, Meta(ge=0, le=65_535, description="a port from 0 to 65535, where 0 picks a free one")
]
Count = Annotated[int, Meta(ge=0, le=2**53, description="a whole number, 0 for no limit")]
Octets = Annotated[int, Meta(ge=0, le=2**53, description="a whole number of bytes")]
Seconds = Annotated[float, Meta(ge=0, le=86_400, description="seconds, from 0 to 86400")]
Name = Annotated[
    str, Meta(min_length=1, max_length=255, description="a text of 1 to 255 characters")
]


class ConfigError(Exception):
    """A setting that can't be; `str()` is one line: where it stands, what is wrong, what to do."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Every setting, at its default unless given.

    Attributes:
        data_dir: folder of the database, made if missing; empty for the platform's data folder of
            this user, `:memory:` for no files at all. See `folder`.
        host: address or name to listen on.
        amqp_port: port for AMQP.
        http_port: port for HTTP.
        log_format: `text` for people, `json` for machines (an object a line).
        log_level: the least level that is logged.
        default_user: made, with all permissions, when the database is new.
        default_pass: password of `default_user`.
        default_vhost: made when the database is new.
        loopback_users: users that may connect from this machine only (RabbitMQ: loopback_users).
        frame_max_bytes: largest frame offered at tune, in octets with its overhead.
        channel_max: most channels offered at tune.
        heartbeat_s: interval offered at tune; 0 for no heartbeats.
        handshake_timeout_s: time a connection has to get opened.
        consumer_timeout_ms: time a delivery may stay unacked; 0 for ever.
        consumer_timeout_action: what then befalls: its delivery is requeued, its consumer
            cancelled, or its channel closed.
        max_message_size_bytes: a larger body is refused (RabbitMQ: max_message_size).
        disk_free_min_bytes: publishers are blocked while less is free; 0 for no such alarm.
        memory_high_bytes: publishers are blocked while the process uses more; 0 for 60 % of the
            machine's memory.
        connection_max: most connections at a time; 0 for no limit.
        outbox_high_bytes: a connection with more than that waiting for its client is given no
            deliveries.
        window_messages: most messages a queue keeps in memory; the rest is on disk alone.
        window_bytes: most octets of bodies a queue keeps in memory.
        shutdown_timeout_s: time clients have to answer when the broker stops.
    """

    data_dir: Annotated[str, Meta(description="a folder, :memory:, or empty")] = ""
    host: Annotated[str, Meta(min_length=1, description="an address or a host name")] = "127.0.0.1"
    amqp_port: Port = 5672
    http_port: Port = 15672
    log_format: Annotated[Literal["text", "json"], Meta(description="text or json")] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="debug, info, warning or error"),
    ] = "info"
    default_user: Name = "guest"
    default_pass: Name = "guest"
    default_vhost: Name = "/"
    loopback_users: Annotated[tuple[Name, ...], Meta(description="a list of user names")] = (
        "guest",
    )
    frame_max_bytes: Annotated[
        int, Meta(ge=4096, le=2**31 - 1, description="bytes, from 4096 to 2147483647")
    ] = 131_072
    channel_max: Annotated[int, Meta(ge=1, le=65_535, description="from 1 to 65535")] = 2047
    heartbeat_s: Annotated[
        int, Meta(ge=0, le=65_535, description="whole seconds, from 0 to 65535")
    ] = 60
    handshake_timeout_s: Seconds = 10
    consumer_timeout_ms: Annotated[
        int, Meta(ge=0, le=2**53, description="whole milliseconds, 0 for never")
    ] = 1_800_000
    consumer_timeout_action: Annotated[
        Literal["requeue", "cancel", "close"], Meta(description="requeue, cancel or close")
    ] = "requeue"
    max_message_size_bytes: Annotated[
        int, Meta(ge=1, le=512 * MIB, description="bytes, from 1 to 536870912")
    ] = 128 * MIB
    disk_free_min_bytes: Octets = 50_000_000
    memory_high_bytes: Octets = 0
    connection_max: Count = 0
    outbox_high_bytes: Annotated[
        int, Meta(ge=4096, le=2**53, description="a whole number of bytes from 4096")
    ] = MIB
    window_messages: Annotated[int, Meta(ge=1, le=2**53, description="a whole number from 1")] = (
        4096
    )
    window_bytes: Annotated[
        int, Meta(ge=1, le=2**53, description="a whole number of bytes from 1")
    ] = 16 * MIB
    shutdown_timeout_s: Seconds = 5

    @property
    def folder(self) -> Path | None:
        """The folder that `data_dir` means, which may not exist yet; `None` for no files."""
        if self.data_dir == IN_MEMORY:
            return None
        if self.data_dir:
            return Path(self.data_dir).expanduser().absolute()
        import platformdirs  # here, since a data_dir spares its import

        return platformdirs.user_data_path("amqplite", appauthor=False)


FIELDS = {field.name: field for field in msgspec.structs.fields(Settings)}

RABBITMQ_VARIABLES = {
    "RABBITMQ_DEFAULT_USER": "default_user",
    "RABBITMQ_DEFAULT_PASS": "default_pass",
    "RABBITMQ_DEFAULT_VHOST": "default_vhost",
    "RABBITMQ_NODE_PORT": "amqp_port",
}
"""RabbitMQ's variables that mean the same here; empty ones count as absent, as there."""

SECRET = {"default_pass"}
"""Settings whose value is not shown when it is wrong."""

_SERVICE_LINK = re.compile(
    r".*_SERVICE_HOST|.*_SERVICE_PORT(_\w+)?|.*_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?"
)

Given = Iterable[tuple[str, str, Any]]
"""What one layer sets: where that stands (`amqp_port in FILE`), the setting, the value."""


def load_settings(
    config_file: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any]
) -> Settings:
    """Return the settings that file, environment and flags make together.

    Args:
        config_file: TOML file; `None` for the one that `AMQPLITE_CONFIG` names, or none.
        environ: environment variables; those that don't start in `AMQPLITE_` or belong to
            `RABBITMQ_VARIABLES` are of no concern.
        flags: settings from the command line by name; `None` where a flag was not given.

    Raises:
        ConfigError: the file can't be read or is no TOML, a setting is unknown, a value is wrong.
    """
    if config_file is None and environ.get(CONFIG_VARIABLE):
        config_file = Path(environ[CONFIG_VARIABLE])
    values: dict[str, Any] = {}
    if config_file is not None:
        values |= _check(_from_file(config_file), strict=True)
    rabbitmq = _check(_from_rabbitmq(environ), strict=False)
    if {"default_user", "default_pass"} <= rabbitmq.keys() and "loopback_users" not in values:
        # Chosen on purpose for a container, where no client comes from loopback.
        others = set(FIELDS["loopback_users"].default) - {rabbitmq["default_user"]}
        values["loopback_users"] = tuple(sorted(others))
    values |= rabbitmq
    values |= _check(_from_environ(environ), strict=False)
    values |= _check(_from_flags(flags), strict=True)
    return Settings(**values)


def _from_file(path: Path) -> Iterator[tuple[str, str, Any]]:
    import tomllib  # here, since most starts have no file

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"cannot read config file {path}: {error.strerror}") from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise ConfigError(f"config file {path} is not valid TOML: {error}") from None
    for name, value in document.items():
        if name not in FIELDS:
            shown = name if name.isprintable() else repr(name)
            raise ConfigError(f"config file {path} has an unknown setting {shown}{_hint(name)}")
        yield f"{name} in {path}", name, value


def _from_rabbitmq(environ: Mapping[str, str]) -> Iterator[tuple[str, str, Any]]:
    for variable, name in RABBITMQ_VARIABLES.items():
        value = environ.get(variable)
        if value and not _is_service_link(variable, value):
            yield variable, name, value


def _from_environ(environ: Mapping[str, str]) -> Iterator[tuple[str, str, Any]]:
    for variable, value in environ.items():
        name = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or variable == CONFIG_VARIABLE:
            continue
        if _is_service_link(variable, value):
            continue
        if name not in FIELDS:
            hint = _hint(name, lambda known: PREFIX + known.upper())
            raise ConfigError(f"environment variable {variable} is no setting{hint}")
        if isinstance(FIELDS[name].default, tuple):
            yield variable, name, [part.strip() for part in value.split(",") if part.strip()]
        else:
            yield variable, name, value


def _from_flags(flags: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for name, value in flags.items():
        if value is not None:
            yield f"--{name.replace('_', '-')}", name, value


def _check(given: Given, *, strict: bool) -> dict[str, Any]:
    """Return the values by setting; unless `strict`, a text may stand for its number."""
    return {name: _checked(where, name, value, strict) for where, name, value in given}


def _checked(where: str, name: str, value: Any, strict: bool) -> Any:
    kind = FIELDS[name].type
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError:
        shown = "" if name in SECRET else f", not {value!r}"
        raise ConfigError(f"{where} must be {kind.__metadata__[0].description}{shown}") from None


def _is_service_link(variable: str, value: str) -> bool:
    """Whether Kubernetes or Docker set it, to tell of a service that is called amqplite."""
    if _SERVICE_LINK.fullmatch(variable):
        return True
    return variable.endswith("_PORT") and value.startswith(("tcp://", "udp://", "sctp://"))


def _hint(name: str, spell: Callable[[str], str] = str) -> str:
    """Return how a message about the unknown `name` goes on: what may have been meant."""
    import difflib  # here, since it is wanted in errors alone

    nearest = difflib.get_close_matches(name, FIELDS, n=1)
    if nearest:
        return f"; did you mean {spell(nearest[0])}?"
    return "; `amqplite config` lists all settings"
