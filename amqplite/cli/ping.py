"""`amqplite ping`: whether a broker answers, for health checks."""

import os
import socket

import click

PROTOCOL_HEADER = b"AMQP\x00\x00\x09\x01"

START = b"\x01\x00\x00"
"""How connection.start begins: a method frame on channel zero (§2.3.5)."""

REACHED_AT = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where to reach a broker that listens on every address."""


@click.command()
@click.option("--host", metavar="HOST", help="Address to ask. [default: as for serve]")
@click.option(
    "--amqp-port",
    type=click.IntRange(1, 65_535),
    metavar="PORT",
    help="Port to ask. [default: as for serve]",
)
@click.option("--timeout", type=float, default=5.0, show_default=True, help="Seconds to wait.")
def ping(host: str | None, amqp_port: int | None, timeout: float) -> None:
    """Exit with 0 if a broker answers, with 1 if none does.

    Where to ask comes from the same settings as for `amqplite serve`.
    """
    from amqplite.config import ConfigError, load_settings

    try:
        settings = load_settings(None, os.environ, {"host": host, "amqp_port": amqp_port})
    except ConfigError as error:
        raise click.ClickException(str(error)) from None
    host, port = REACHED_AT.get(settings.host, settings.host), settings.amqp_port
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        answer = _greet(host, port, timeout)
    except OSError as error:
        raise click.ClickException(f"no broker answers at {address}: {error}") from None
    if not answer.startswith(START):
        raise click.ClickException(f"what answers at {address} is no AMQP 0-9-1 broker")
    click.echo(f"A broker answers at {address}")


def _greet(host: str, port: int, timeout_s: float) -> bytes:
    """Send the protocol header; return how the answer begins, less if the peer hangs up."""
    answer = b""
    with socket.create_connection((host, port), timeout_s) as peer:
        peer.sendall(PROTOCOL_HEADER)
        while len(answer) < len(START) and (octets := peer.recv(4096)):
            answer += octets
    return answer
