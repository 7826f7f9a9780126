"""Conversion progress, reported by a worker to its parent."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple


class Phase(StrEnum):
    """``PAGES`` are parsed one by one, then some are read by ``OCR``, then the document is
    put together as a whole (``LAYOUT``)."""

    PAGES = "pages"
    OCR = "ocr"
    LAYOUT = "layout"


class PageProgress(NamedTuple):
    """``page`` (from 1) is done; so are ``done`` of ``total`` pages in this phase."""

    phase: Phase
    page: int
    done: int
    total: int


Report = Callable[[PageProgress], None]


def ignore_progress(reached: PageProgress) -> None:
    """Discards progress."""
