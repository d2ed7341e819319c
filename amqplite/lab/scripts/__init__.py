"""What a scenario file says, checked, and settled into a plan."""
