"""Scenarios played: by real clients over TCP, or exactly, on a virtual clock."""
