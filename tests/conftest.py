"""For all tests: no network, hypothesis without deadlines (machines are shared), and what takes
long first, so that no test process is left alone with it at the end."""

import os
from pathlib import Path

import pytest
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

TESTS = Path(__file__).parent
LONGEST = ("real/test_jose.py", "unit/conversion_pdf/test_ocr.py", "generated/test_latex_papers.py")
LONG = ("e2e", "integration", "generated", "real", "contract", "unit")


def _place(item: pytest.Item) -> tuple[bool, int]:
    name = item.path.relative_to(TESTS)
    return name.as_posix() not in LONGEST, LONG.index(name.parts[0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)
