"""A small AMQP 0-9-1 client for trio: for the lab's actors, for load, and for tests.

The core (`core`, `channel_core`, `ledger`, `content`) takes octets and gives events, and knows no
socket and no time; `connection`, `channel` and `consumer` put it on any stream of trio's.
"""
