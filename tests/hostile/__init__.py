"""Peers that misbehave: only their own connection may suffer."""
