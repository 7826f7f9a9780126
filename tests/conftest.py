"""For all tests: no network, and hypothesis without deadlines (machines are shared)."""

import os

from hypothesis import HealthCheck, settings

os.environ["HF_HUB_OFFLINE"] = "1"

settings.register_profile(
    "default",
    deadline=None,
    max_examples=100,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")
