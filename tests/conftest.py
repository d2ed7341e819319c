"""What holds for all tests."""

from hypothesis import settings

# how long an example takes says how busy the machine is, and fails for no other reason
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
