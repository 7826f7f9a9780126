"""Planner and writer without a language model, and the check of quotations."""

from collections.abc import Callable, Sequence

from citeloom.application.verification.cited_documents import page_at
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.research.session import ClaimVerdict, Correction, SourceSpan
from citeloom.domain.review.planning.plan import plan_of
from citeloom.domain.review.report.report import (
    Checked,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
)

from .roles import EXTRACTIVE, ReviewResources, ReviewRoles, nothing


class QuotationChecker:
    """A statement must stand verbatim at the offsets of its first span, and in a second reading
    of its page, if there is one or the text of the page is uncertain; else it is removed."""

    def __init__(self, resources: ReviewResources) -> None:
        self._resources = resources

    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        spans = [span for span in gathered.spans if span.id in statement.spans]
        spans.sort(key=lambda span: statement.spans.index(span.id))
        wrong, read_again = self._compared(statement, spans, gathered)
        if wrong is not None:
            return _removed(statement, wrong).model_copy(update={"second_reading": read_again})
        return Checked(
            written=statement,
            statement=statement,
            verdict=ClaimVerdict.SUPPORTED,
            confidence=1.0,
            reasoning=(f"Its source contains it word for word{_where(spans[0])}."),
            second_reading=read_again,
        )

    def _compared(
        self, statement: Statement, spans: Sequence[SourceSpan], gathered: GatheredEvidence
    ) -> tuple[str | None, bool | None]:
        """Why a quotation is wrong, None if it is verbatim; and whether another reading of its
        pages has it, None without another."""
        if not spans:
            return "It names no evidence.", None
        span = spans[0]
        document_id = gathered.source_of(span).document_id
        stored = self._resources.sources.stored(document_id) if document_id else None
        if document_id is None or stored is None:
            return "Its document is no longer in the project.", None
        document = self._resources.sources.conversion(document_id)
        place = CharSpan(start=span.start_offset or 0, end=span.end_offset or 0)
        if not statement.text == span.quote == document.text_of(place):
            return "Its source does not contain it word for word.", None
        pages = page_at(document, place.start, place.end)
        if pages and span.page not in pages:
            return f"It is on page {pages[0]} of the file, not on page {span.page}.", None
        read_again = self._resources.reading.has(stored, span.quote, pages)
        if read_again is False:
            return f"Another reading of page {span.page} of the file does not have it.", False
        text = stored.fidelity
        if text and (text.disputed_in(place) or (not read_again and text.is_uncertain(pages))):
            return "Its text is uncertain: compare it with the page.", None
        return None, read_again


def _where(span: SourceSpan) -> str:
    """Where a reader finds it: on the printed page, that of the file, or in the section."""
    if span.page_label:
        return f", on p. {span.page_label}"
    if span.page:
        return f", on page {span.page} of the file"
    return f", in “{span.section_heading}”" if span.section_heading else ""


def _removed(statement: Statement, reasoning: str) -> Checked:
    return Checked(
        written=statement,
        statement=None,
        verdict=ClaimVerdict.UNSUPPORTED,
        confidence=1.0,
        reasoning=reasoning,
        correction=Correction.REMOVE,
    )


class ExtractiveWriter:
    """Writes a draft of quotations; those of a step are ordered by relevance."""

    name = EXTRACTIVE

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        statements: list[Statement] = []
        for step in range(len(plan.steps)):
            check_stop()
            spans = [span for span in gathered.answers if span.step_index == step]
            spans.sort(key=lambda span: -span.relevance_score)
            statements += [
                Statement(text=span.quote, spans=(span.id,), step_index=step, quoted=True)
                for span in spans
            ]
        return ReportDraft(writer=self.name, statements=tuple(statements))


def extractive_roles(resources: ReviewResources) -> ReviewRoles:
    """The planner, writer and checker that need no language model."""
    return ReviewRoles(plan_of, ExtractiveWriter(), QuotationChecker(resources))
