"""The reordering lab over HTTP: its page, scenarios, runs, live queues, faults and marks."""
