"""`python -m amqplite` is the command `amqplite`."""

from amqplite.cli import main

main(prog_name="amqplite")
