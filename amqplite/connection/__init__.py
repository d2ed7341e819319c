"""AMQP 0-9-1 from the server side, without a socket."""
