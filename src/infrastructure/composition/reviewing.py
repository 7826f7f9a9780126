"""The wiring of *review*."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.review.review import Review
    from citeloom.application.review.roles import Desk, Staff
    from citeloom.infrastructure.composition.application import Application


def review(application: "Application") -> "Review":
    """The verb, over the application's own stores."""
    from uuid import uuid4

    from citeloom.application.review.review import Review
    from citeloom.application.verification.rule_judge import CoreJudge
    from citeloom.infrastructure.references.reader import FileReferenceReader
    from citeloom.infrastructure.system.clock import SystemClock

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
    from citeloom.application.review.extractive import extractive
    from citeloom.application.review.roles import EXTRACTIVE, MODEL
    from citeloom.domain.errors import ConfigurationError

    quoting = extractive(desk)
    if writer == EXTRACTIVE:
        return quoting
    if writer != MODEL:
        raise ConfigurationError(f"{writer}: no such writer; there are {EXTRACTIVE} and {MODEL}")
    from citeloom.application.review.llm.roles import written
    from citeloom.domain.research.session import LOCAL_USER

    preferred = application.user_record.preferences(LOCAL_USER)
    wishes = preferred.system_instructions if preferred else None
    return written(desk, application.language_model, quoting, wishes)


def said_of_the_model(application: "Application", writer: str) -> str | None:
    """For people, before a review begins: what is sent where; None if nothing is. Raises
    ConfigurationError where a model is wanted and none is configured."""
    from citeloom.application.review.llm.prompts import notice
    from citeloom.application.review.roles import MODEL

    return notice(application.language_model) if writer == MODEL else None
