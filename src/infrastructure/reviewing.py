"""The wiring of *review*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.reviewing.parts import Desk, Staff
    from citeloom.application.reviewing.review import Review
    from citeloom.infrastructure.bootstrap import Application


def review(application: "Application") -> "Review":
    """The verb, over the application's own stores."""
    from uuid import uuid4

    from citeloom.application.reviewing.review import Review
    from citeloom.application.verifying.core import CoreJudge
    from citeloom.infrastructure.clock import SystemClock
    from citeloom.infrastructure.references.file import FileReferenceReader

    return Review(
        catalogue=application.catalogue,
        bundles=application.bundles,
        references=FileReferenceReader(),
        searcher=application.searcher,
        embedder=application.embedder,
        judge=CoreJudge(),
        citations=application.citations,
        record=application.research_record,
        users=application.user_record,
        lifecycle=application.research_lifecycle,
        clock=SystemClock(),
        staffing=_staff,
        new_id=uuid4,
    )


def _staff(desk: "Desk", writer: str) -> "Staff":
    """Who works on a review. Raises ConfigurationError for a writer that there is not."""
    from citeloom.application.reviewing.extractive import extractive
    from citeloom.application.reviewing.parts import EXTRACTIVE
    from citeloom.domain.errors import ConfigurationError

    if writer != EXTRACTIVE:
        raise ConfigurationError(f"{writer}: no such writer; there is {EXTRACTIVE}")
    return extractive(desk)
