"""`amqplite config`: print every setting at its default, to start a config file from."""

from pathlib import Path

import click

PACKAGE = Path(__file__).parents[1]

PLACES = (PACKAGE / "amqplite.toml", PACKAGE.parent / "config" / "amqplite.toml")
"""Where the file is: in an installed package, and beside the package in a checkout."""


@click.command()
def config() -> None:
    """Print every setting at its default, with what it does.

    A config file starts from here: amqplite config > amqplite.toml
    """
    file = next(place for place in PLACES if place.exists())
    click.echo(file.read_text(encoding="utf-8"), nl=False)
