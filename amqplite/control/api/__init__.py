"""The resources of the management API, a module each, with RabbitMQ's names."""
