"""Examples may take as long as the machine needs."""

from hypothesis import settings

settings.register_profile("analysis", deadline=None, max_examples=50)
settings.load_profile("analysis")
