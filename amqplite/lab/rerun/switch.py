"""Another policy in the middle of a run: what no client could ask of queues that are there."""

from amqplite.broker.queue import Queue
from amqplite.broker.redelivery import Cause
from amqplite.connection.deliver import UNLIMITED, Consumer
from amqplite.lab.rerun.cast import Cast
from amqplite.lab.rerun.inputs import Inputs
from amqplite.lab.rerun.policy import Policy
from amqplite.lab.rerun.topology import Topology, arguments_of


def switch(inputs: Inputs, policy: Policy, topology: Topology, cast: Cast) -> None:
    """Have a policy hold from now on.

    What is in queues stays there; who consumes from them goes on, and from new ones as well.
    """
    for name, recorded in inputs.queues.items():
        queue = cast.ground.queue(name)
        was_single_active = queue.settings.single_active_consumer
        cast.ground.change(name, arguments_of(recorded, policy))
        consumers = [one for one in queue.consumers if isinstance(one, Consumer)]
        for consumer in consumers:
            _change(consumer, policy)
        for consumer in consumers:  # each may have lost its turn, or got one
            queue.suspend(consumer)
        for consumer in consumers:
            queue.enlist(consumer)
        if queue.settings.single_active_consumer and not was_single_active:
            _tell_active(queue)
        queue.requeue((), Cause.RECOVER)  # nothing comes back, but what is too much goes
        queue.dispatch()
    if topology.parts:
        cast.subscribe_anew()


def _change(consumer: Consumer, policy: Policy) -> None:
    if policy.prefetch is not None:
        consumer.prefetch = policy.prefetch or UNLIMITED
    consumer.timeout_ms = consumer.queue.settings.consumer_timeout_ms or 0
    if consumer.timeout_ms and consumer.unacked:
        consumer.channel.unacked.watch(0)


def _tell_active(queue: Queue) -> None:
    tape = queue.order.tape
    if tape is not None and queue.consumers:
        active = next(iter(queue.consumers))
        assert isinstance(active, Consumer)
        tape.consumer("consumer_active", active)
