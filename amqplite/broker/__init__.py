"""What a broker is: queues, exchanges, users; pure and deterministic, no I/O."""
