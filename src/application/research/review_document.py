"""The complete record of a review as one JSON document."""

from collections.abc import Mapping
from typing import Any

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.citation.metadata import csl_item
from citeloom.domain.research.events import to_wire
from citeloom.domain.research.search_record import SearchRecord
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    Message,
    ResearchSession,
    Source,
    SourceSpan,
)
from citeloom.domain.value import Value


class ReviewDocument(Value):
    """``events`` are as they go over the wire, in camelCase; ``works`` are CSL-JSON items of the
    documents that were found, by document id, as the project knows them now."""

    format: str = "citeloom.review"
    version: int = 1
    session: ResearchSession
    chat: Chat
    question: Message
    report: Message
    sources: tuple[Source, ...]
    evidence: tuple[SourceSpan, ...]
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    works: Mapping[str, Mapping[str, Any]]
    events: tuple[Mapping[str, Any], ...]
    search: SearchRecord
    warnings: tuple[str, ...] = ()


def review_document(review: FinishedReview) -> ReviewDocument:
    recorded = review.recorded
    return ReviewDocument(
        session=recorded.session,
        chat=recorded.chat,
        question=recorded.question,
        report=recorded.report,
        sources=recorded.sources,
        evidence=recorded.spans,
        claims=recorded.claims,
        citations=recorded.citations,
        works={id: csl_item(work) for id, work in review.works.items()},
        events=tuple(to_wire(event) for event in review.events),
        search=review.search,
        warnings=review.warnings,
    )
