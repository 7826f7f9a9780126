"""Verdicts on a claim, and how far each supports it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Verdict(StrEnum):
    """Verdict of a cited source on a claim.

    ``SUPPORTED`` to ``CONTRADICTED`` are on its content. ``WRONG_PAGE``: supported, but not on
    the page named. ``MISQUOTED``: a quotation that the source does not have. ``UNKNOWN_KEY``:
    the key is not in the project. ``NO_TEXT``: the item is, without text.
    """

    SUPPORTED = "SUPPORTED"
    PARTIAL = "PARTIAL"
    UNSUPPORTED = "UNSUPPORTED"
    CONTRADICTED = "CONTRADICTED"
    WRONG_PAGE = "WRONG_PAGE"
    MISQUOTED = "MISQUOTED"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    NO_TEXT = "NO_TEXT"


#: Of the verdicts on what a source says, the higher supports the claim more.
SUPPORT: Final[Mapping[Verdict, int]] = {
    Verdict.SUPPORTED: 3,
    Verdict.PARTIAL: 2,
    Verdict.UNSUPPORTED: 1,
    Verdict.CONTRADICTED: 0,
}
