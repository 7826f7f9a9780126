"""Verdicts on a claim, and how far each supports it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Verdict(StrEnum):
    """What a cited source does for a claim.

    ``SUPPORTED`` to ``CONTRADICTED`` are about what it says. ``WRONG_PAGE``: it says so, but
    not on the page named. ``MISQUOTED``: quotation marks around what it does not say.
    ``UNKNOWN_KEY``: the project knows nothing of this key. ``NO_TEXT``: it knows the item, but
    has none of its text.
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
