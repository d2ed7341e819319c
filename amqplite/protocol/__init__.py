"""Octets ⇄ methods: framing, field tables, and the methods of AMQP 0-9-1."""
