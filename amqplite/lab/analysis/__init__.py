"""What became of the order and of each message: one event at a time, in O(log k)."""
