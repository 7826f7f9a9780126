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
        staffing=lambda desk, writer: _staff(application, desk, writer),
        new_id=uuid4,
    )


def _staff(application: "Application", desk: "Desk", writer: str) -> "Staff":
    """Who works on a review. Raises ConfigurationError for a writer that there is not, or a
    model where none is configured."""
    from citeloom.application.reviewing.extractive import extractive
    from citeloom.application.reviewing.parts import EXTRACTIVE, MODEL
    from citeloom.domain.errors import ConfigurationError

    quoting = extractive(desk)
    if writer == EXTRACTIVE:
        return quoting
    if writer != MODEL:
        raise ConfigurationError(f"{writer}: no such writer; there are {EXTRACTIVE} and {MODEL}")
    from citeloom.application.reviewing.written.staff import written
    from citeloom.domain.research.record import LOCAL_USER

    preferred = application.user_record.preferences(LOCAL_USER)
    wishes = preferred.system_instructions if preferred else None
    return written(desk, application.language_model, quoting, wishes)


def said_of_the_model(application: "Application", writer: str) -> str | None:
    """For people, before a review begins: what is sent where; None if nothing is. Raises
    ConfigurationError where a model is wanted and none is configured."""
    from citeloom.application.reviewing.parts import MODEL
    from citeloom.application.reviewing.written.asking import notice

    return notice(application.language_model) if writer == MODEL else None
