"""A running broker: its queues traced, its events pumped to whoever reads, faults and marks."""
