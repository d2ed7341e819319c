"""Real clients over real sockets: what works against RabbitMQ works here, unchanged.

The broker is started by the suite. `AMQPLITE_TEST_BROKER=amqp://guest:guest@127.0.0.1:PORT/` runs
the same tests against another one, RabbitMQ for instance.
"""
