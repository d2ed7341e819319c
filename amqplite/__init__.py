"""An AMQP 0-9-1 message broker that keeps its queues in one SQLite file."""

__version__ = "0.1.0"
