"""Settings of the whole run."""

from __future__ import annotations

from hypothesis import settings

# Time is for the benchmarks: a busy machine must not fail a test.
settings.register_profile("seemly", deadline=None)
settings.load_profile("seemly")
