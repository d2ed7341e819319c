"""Settings, and how clearly a wrong one is refused."""

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from amqplite.config import FIELDS, ConfigError, Settings, load_settings

DEFAULTS_FILE = Path(__file__).parents[1] / "config" / "amqplite.toml"


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "broker.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_commented_file_shows_every_setting_at_its_default() -> None:
    text = re.sub(r"(?m)^#(?=\w+ = )", "", DEFAULTS_FILE.read_text())
    shown = tomllib.loads(text)
    assert msgspec.convert(shown, Settings) == Settings()
    assert shown.keys() == FIELDS.keys()


def test_the_commented_file_sets_nothing() -> None:
    assert tomllib.loads(DEFAULTS_FILE.read_text()) == {}
    assert load_settings(DEFAULTS_FILE, {}, {}) == Settings()


def test_every_setting_is_described_in_its_class() -> None:
    documented = re.findall(r"(?m)^        (\w+):", Settings.__doc__ or "")
    assert documented == list(FIELDS)


def test_every_default_is_a_value_that_may_be_given() -> None:
    for field in FIELDS.values():
        assert msgspec.convert(msgspec.to_builtins(field.default), field.type) == field.default


def test_file_environment_and_flags_override_each_other_in_this_order(tmp_path: Path) -> None:
    config_file = write(tmp_path, "amqp_port = 1\nhttp_port = 1\nchannel_max = 1\nheartbeat_s = 1")
    environ = {
        "RABBITMQ_NODE_PORT": "2",
        "AMQPLITE_AMQP_PORT": "3",
        "AMQPLITE_HTTP_PORT": "3",
        "AMQPLITE_CHANNEL_MAX": "3",
    }
    settings = load_settings(config_file, environ, {"amqp_port": 4, "http_port": None})
    assert settings == Settings(amqp_port=4, http_port=3, channel_max=3, heartbeat_s=1)


def test_the_environment_can_give_every_setting() -> None:
    settings = Settings(
        data_dir="/srv/mq", host="::", amqp_port=0, http_port=0, log_format="json",
        log_level="debug", default_user="u", default_pass="p", default_vhost="v",
        loopback_users=("a", "b"), frame_max_bytes=4096, channel_max=1, heartbeat_s=0,
        handshake_timeout_s=0.5, consumer_timeout_ms=0, consumer_timeout_action="close",
        max_message_size_bytes=1, disk_free_min_bytes=0, memory_high_bytes=1, connection_max=1,
        outbox_high_bytes=4096, window_messages=1, window_bytes=1, shutdown_timeout_s=0,
    )  # fmt: skip
    given = msgspec.structs.asdict(settings) | {"loopback_users": "a, b"}
    environ = {f"AMQPLITE_{name.upper()}": str(value) for name, value in given.items()}
    assert load_settings(None, environ, {}) == settings
    defaults = msgspec.structs.asdict(Settings())
    assert [name for name in FIELDS if getattr(settings, name) == defaults[name]] == []


def test_the_environment_can_name_the_file(tmp_path: Path) -> None:
    config_file = write(tmp_path, "amqp_port = 1")
    assert load_settings(None, {"AMQPLITE_CONFIG": str(config_file)}, {}).amqp_port == 1
    other = tmp_path / "missing.toml"
    assert load_settings(config_file, {"AMQPLITE_CONFIG": str(other)}, {}).amqp_port == 1


def test_variables_of_others_are_left_alone() -> None:
    environ = {
        "PATH": "/bin",
        "RABBITMQ_DEFAULT_USER": "",
        "RABBITMQ_NODENAME": "rabbit",
        "AMQPLITE_PORT": "tcp://10.0.0.1:5672",
        "AMQPLITE_AMQP_PORT": "tcp://10.0.0.1:5672",
        "AMQPLITE_PORT_5672_TCP": "tcp://10.0.0.1:5672",
        "AMQPLITE_PORT_5672_TCP_ADDR": "10.0.0.1",
        "AMQPLITE_SERVICE_HOST": "10.0.0.1",
        "AMQPLITE_SERVICE_PORT_AMQP": "5672",
        "AMQPLITE_AMQP_SERVICE_PORT": "5672",
    }
    assert load_settings(None, environ, {}) == Settings()


def test_the_default_user_of_a_rabbitmq_container_may_come_from_anywhere() -> None:
    environ = {"RABBITMQ_DEFAULT_USER": "guest", "RABBITMQ_DEFAULT_PASS": "x"}
    assert load_settings(None, environ, {}).loopback_users == ()
    environ["AMQPLITE_LOOPBACK_USERS"] = "guest"
    assert load_settings(None, environ, {}).loopback_users == ("guest",)


def test_guest_is_held_to_loopback_unless_a_password_was_chosen_for_it(tmp_path: Path) -> None:
    assert load_settings(None, {"RABBITMQ_DEFAULT_USER": "guest"}, {}).loopback_users == ("guest",)
    both = {"RABBITMQ_DEFAULT_USER": "guest", "RABBITMQ_DEFAULT_PASS": "x"}
    config_file = write(tmp_path, 'loopback_users = ["guest"]')
    assert load_settings(config_file, both, {}).loopback_users == ("guest",)


def test_the_data_folder_is_absolute_or_none() -> None:
    assert Settings(data_dir=":memory:").folder is None
    assert Settings(data_dir="~/mq").folder == Path.home() / "mq"
    assert Settings(data_dir="mq").folder == Path.cwd() / "mq"
    default = Settings().folder
    assert default is not None
    assert default.is_absolute()
    assert default.name == "amqplite"


FILES: list[tuple[str, str | bytes, str]] = [
    ("a port too high", "amqp_port = 65536",
     "amqp_port in {file} must be a port from 0 to 65535, where 0 picks a free one, not 65536"),
    ("a port below none", "http_port = -1",
     "http_port in {file} must be a port from 0 to 65535, where 0 picks a free one, not -1"),
    ("a number in quotes", 'amqp_port = "5672"',
     "amqp_port in {file} must be a port from 0 to 65535, where 0 picks a free one, not '5672'"),
    ("true is no number", "channel_max = true",
     "channel_max in {file} must be from 1 to 65535, not True"),
    ("a word that is no choice", 'log_format = "xml"',
     "log_format in {file} must be text or json, not 'xml'"),
    ("an action that is none", 'consumer_timeout_action = "drop"',
     "consumer_timeout_action in {file} must be requeue, cancel or close, not 'drop'"),
    ("a frame too small to talk", "frame_max_bytes = 4095",
     "frame_max_bytes in {file} must be bytes, from 4096 to 2147483647, not 4095"),
    ("a time that is no number", "handshake_timeout_s = nan",
     "handshake_timeout_s in {file} must be seconds, from 0 to 86400, not nan"),
    ("a time without end", "shutdown_timeout_s = inf",
     "shutdown_timeout_s in {file} must be seconds, from 0 to 86400, not inf"),
    ("a list of numbers", "loopback_users = [1]",
     "loopback_users in {file} must be a list of user names, not [1]"),
    ("a password is not shown", "default_pass = 12345",
     "default_pass in {file} must be a text of 1 to 255 characters"),
    ("a slip of the pen", "amqp_prot = 5672",
     "config file {file} has an unknown setting amqp_prot; did you mean amqp_port?"),
    ("a table", "[listeners]\ntcp = 5672",
     "config file {file} has an unknown setting listeners;"
     " `amqplite config` lists all settings"),
    ("a name with a line break", '"a\\nb" = 1',
     "config file {file} has an unknown setting 'a\\nb'; `amqplite config` lists all settings"),
    ("no TOML", "amqp_port: 5672",
     "config file {file} is not valid TOML:"
     " Expected '=' after a key in a key/value pair (at line 1, column 10)"),
    ("no text", b"host = \"\xff\"",
     "config file {file} is not valid TOML:"
     " 'utf-8' codec can't decode byte 0xff in position 8: invalid start byte"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [pytest.param(*row[1:], id=row[0]) for row in FILES])
def test_a_wrong_file_is_refused_in_one_line(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    config_file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_settings(config_file, {}, {"amqp_port": 1})
    assert str(caught.value) == message.format(file=config_file)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(ConfigError) as caught:
        load_settings(missing, {}, {})
    assert str(caught.value) == f"cannot read config file {missing}: No such file or directory"
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path, {}, {})
    assert str(caught.value) == f"cannot read config file {tmp_path}: Is a directory"


VARIABLES = [
    ("no number", "AMQPLITE_AMQP_PORT", "amqp",
     "AMQPLITE_AMQP_PORT must be a port from 0 to 65535, where 0 picks a free one, not 'amqp'"),
    ("nothing", "AMQPLITE_HTTP_PORT", "",
     "AMQPLITE_HTTP_PORT must be a port from 0 to 65535, where 0 picks a free one, not ''"),
    ("RabbitMQ's", "RABBITMQ_NODE_PORT", "99999",
     "RABBITMQ_NODE_PORT must be a port from 0 to 65535, where 0 picks a free one, not '99999'"),
    ("a password is not shown", "RABBITMQ_DEFAULT_PASS", "x" * 256,
     "RABBITMQ_DEFAULT_PASS must be a text of 1 to 255 characters"),
    ("a slip of the pen", "AMQPLITE_HEARTBEATS", "60",
     "environment variable AMQPLITE_HEARTBEATS is no setting;"
     " did you mean AMQPLITE_HEARTBEAT_S?"),
    ("something else", "AMQPLITE_COLOUR", "red",
     "environment variable AMQPLITE_COLOUR is no setting; `amqplite config` lists all settings"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("variable", "value", "message"), [pytest.param(*row[1:], id=row[0]) for row in VARIABLES]
)
def test_a_wrong_variable_is_refused_in_one_line(variable: str, value: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(None, {variable: value}, {})
    assert str(caught.value) == message


def test_a_wrong_flag_is_named_as_it_is_typed() -> None:
    flags: dict[str, Any] = {"amqp_port": 70_000}
    with pytest.raises(ConfigError, match=r"^--amqp-port must be a port from 0 to 65535"):
        load_settings(None, {}, flags)
