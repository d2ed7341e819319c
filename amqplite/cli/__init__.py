"""The command line, one module a command; heavy imports wait until a command needs them."""

import click

from amqplite import __version__
from amqplite.cli import config, lab, ping, serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="amqplite")
def main() -> None:
    """Run amqplite, an AMQP 0-9-1 message broker in one SQLite file."""


for command in (serve.serve, ping.ping, config.config, lab.lab):
    main.add_command(command)
