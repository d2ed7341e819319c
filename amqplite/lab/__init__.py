"""What redelivery did to the order, and why: told from the broker's real trace."""
