"""`amqplite serve`: run the broker until it is told to stop."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import click

from amqplite.imports import uncollected


@click.command()
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TOML file with settings; `amqplite config` prints one. [env: AMQPLITE_CONFIG]",
)
@click.option(
    "--data-dir",
    metavar="DIR",
    help="Folder of the database, or :memory: for no files. [default: this user's data folder]",
)
@click.option("--host", metavar="HOST", help="Address to listen on. [default: 127.0.0.1]")
@click.option(
    "--amqp-port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Port for AMQP, 0 for a free one. [default: 5672]",
)
@click.option(
    "--http-port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Port for HTTP, 0 for a free one. [default: 15672]",
)
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), help="How to log. [default: text]"
)
def serve(config_file: Path | None, **flags: Any) -> None:
    """Run the broker until SIGTERM or Ctrl-C.

    Settings come from the file, from AMQPLITE_… variables and from these options, in rising order.
    """
    # Until the broker listens to signals itself, SIGTERM means what Ctrl-C does: stop, and well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _serve(config_file, flags)
    except KeyboardInterrupt:
        sys.exit(0)


def _serve(config_file: Path | None, flags: dict[str, Any]) -> None:
    """Import the broker, and run it."""
    with uncollected():
        from amqplite.config import ConfigError, load_settings
        from amqplite.log import configure_logging

        try:
            settings = load_settings(config_file, os.environ, flags)
        except ConfigError as error:
            raise click.ClickException(str(error)) from None
        configure_logging(settings.log_format, settings.log_level)

        from amqplite import app

    try:
        app.serve(settings)
    except app.BrokerError as error:
        raise click.ClickException(str(error)) from None
