"""Retraction notices: natures, and the notice currently in force."""

from collections.abc import Iterable
from datetime import date
from enum import StrEnum

from citeloom.domain.value import Value


class Nature(StrEnum):
    """Retraction Watch's ``RetractionNature``, by descending weight."""

    RETRACTION = "Retraction"
    CONCERN = "Expression of concern"
    CORRECTION = "Correction"
    REINSTATEMENT = "Reinstatement"


class Notice(Value):
    """A notice on the work ``doi`` (bare, lower case), of the day ``dated``. ``notice_doi`` is
    the notice's own; ``line`` is its line in the source file, from 1."""

    doi: str
    nature: Nature
    dated: date | None = None
    reasons: tuple[str, ...] = ()
    notice_doi: str | None = None
    title: str = ""
    line: int


def current_notice(notices: Iterable[Notice]) -> Notice:
    """The notice in force, of at least one.

    A retraction is in force unless the work was reinstated after it; undated notices are the
    earliest.
    """
    latest: dict[Nature, Notice] = {}
    for notice in sorted(notices, key=lambda one: one.dated or date.min):
        latest[notice.nature] = notice
    retracted, reinstated = latest.get(Nature.RETRACTION), latest.get(Nature.REINSTATEMENT)
    if retracted and reinstated and _later(reinstated, retracted):
        return reinstated
    return next(latest[nature] for nature in Nature if nature in latest)


def _later(one: Notice, other: Notice) -> bool:
    return (one.dated or date.min) >= (other.dated or date.min)
