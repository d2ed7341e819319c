"""The loop: sockets, sessions, commits and the clock, on trio."""
