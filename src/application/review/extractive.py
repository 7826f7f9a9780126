"""Planner and writer without a language model, and the check of their statements."""

from collections.abc import Callable, Collection, Sequence
from uuid import UUID

from citeloom.application.verification.cited_documents import page_at
from citeloom.application.verification.cited_pages import quotations
from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, SourceSpan
from citeloom.domain.review.checking import recorded
from citeloom.domain.review.planning.plan import InitialPassage, plan_of
from citeloom.domain.review.report.report import (
    Checked,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
)
from citeloom.domain.verification.claims.faithfulness import Judgement, SourceSentence
from citeloom.domain.verification.verdict import SUPPORT, Verdict

from .roles import EXTRACTIVE, ReviewResources, ReviewRoles, nothing

#: Confidence at which another supporting source is cited instead, and at which it becomes an
#: alternate (the deep-research model's correction threshold, and 0.8 of that).
INSTEAD, ALTERNATE = 0.6, 0.48


class SourceChecker:
    """A quotation must stand verbatim at its offsets. Any other statement is judged by the
    sources that it cites; if they do not support it, a source that does is cited instead; if
    there is none, the statement is removed."""

    def __init__(self, resources: ReviewResources) -> None:
        self._resources = resources

    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        spans = [span for span in gathered.spans if span.id in statement.spans]
        spans.sort(key=lambda span: statement.spans.index(span.id))
        if statement.quoted:
            return self._quoted(statement, spans, gathered)
        return self._judged(statement, spans, gathered)

    def _quoted(
        self, statement: Statement, spans: Sequence[SourceSpan], gathered: GatheredEvidence
    ) -> Checked:
        wrong = self._not_there(statement, spans, gathered)
        if wrong is not None:
            return _removed(statement, ClaimVerdict.UNSUPPORTED, 1.0, wrong)
        span = spans[0]
        read_again = self._read_again(span, gathered)
        if read_again is False:
            reason = f"Another reading of page {span.page} of the file does not have it."
            removed = _removed(statement, ClaimVerdict.UNSUPPORTED, 1.0, reason)
            return removed.model_copy(update={"second_reading": False})
        where = _where(span)
        return Checked(
            written=statement,
            statement=statement,
            verdict=ClaimVerdict.SUPPORTED,
            confidence=1.0,
            reasoning=(f"Its source has it letter by letter{where}."),
            second_reading=read_again,
        )

    def _read_again(self, span: SourceSpan, gathered: GatheredEvidence) -> bool | None:
        """Whether another reading of its pages has a quotation; None without another."""
        document_id = gathered.source_of(span).document_id or ""
        stored = self._resources.sources.stored(document_id)
        document = self._resources.sources.conversion(document_id)
        pages = page_at(document, span.start_offset or 0, span.end_offset or 0)
        return self._resources.reading.has(stored, span.quote, pages) if stored else None

    def _not_there(
        self, statement: Statement, spans: Sequence[SourceSpan], gathered: GatheredEvidence
    ) -> str | None:
        """Why a quotation is wrong; None if it is verbatim."""
        if not spans:
            return "It names no evidence."
        span = spans[0]
        document_id = gathered.source_of(span).document_id
        stored = self._resources.sources.stored(document_id) if document_id else None
        if document_id is None or stored is None:
            return "Its document is no longer in the project."
        document = self._resources.sources.conversion(document_id)
        start, end = span.start_offset or 0, span.end_offset or 0
        if not statement.text == span.quote == document.plain_text[start:end]:
            return "Its source does not have it, letter by letter."
        pages = page_at(document, start, end)
        fidelity = stored.fidelity
        if fidelity is not None and fidelity.is_uncertain(pages):
            return f"The text of page {pages[0]} of the file is uncertain."
        if pages and span.page not in pages:
            return f"It stands on page {pages[0]} of the file, not on {span.page}."
        return None

    def _judged(
        self, statement: Statement, spans: Sequence[SourceSpan], gathered: GatheredEvidence
    ) -> Checked:
        cited = self._by_document(spans, gathered)
        judged = [(self._judgement(statement, id, of), of) for id, of in cited.items()]
        best = max(judged, key=lambda one: _weight(one[0]), default=None)
        others = self._others(statement, cited.keys(), gathered)
        if best is not None and best[0].verdict in (Verdict.SUPPORTED, Verdict.PARTIAL):
            alternates = [ids[0] for judgement, ids in others if judgement.certainty >= ALTERNATE]
            verdict, reasons = recorded(best[0])
            return Checked(
                written=statement,
                statement=statement,
                verdict=verdict,
                confidence=best[0].certainty,
                reasoning=" ".join(reasons),
                correction=Correction.ADD_ALTERNATE if alternates else Correction.KEEP,
                alternates=tuple(alternates),
            )
        for judgement, ids in others:
            if judgement.certainty >= INSTEAD:
                return Checked(
                    written=statement,
                    statement=statement.model_copy(update={"spans": tuple(ids)}),
                    verdict=ClaimVerdict.SUPPORTED,
                    confidence=judgement.certainty,
                    reasoning=" ".join(["Another source bears it out.", *judgement.reasons]),
                    correction=Correction.REPLACE,
                )
        if best is None:
            return _removed(statement, ClaimVerdict.UNSUPPORTED, 1.0, "It cites nothing.")
        verdict, reasons = recorded(best[0])
        return _removed(statement, verdict, best[0].certainty, " ".join(reasons))

    def _judgement(
        self, statement: Statement, document_id: str, spans: Sequence[SourceSpan]
    ) -> Judgement:
        """The judgement by the cited evidence and further sentences of its document."""
        text = statement.text
        quotes = [span.quote for span in spans]
        evidence = [
            SourceSentence(quote, close)
            for quote, close in zip(quotes, self._resources.closeness(text, quotes), strict=True)
        ]
        if self._resources.sources.stored(document_id) is not None:
            evidence += [
                SourceSentence(one.text, one.closeness, one.place)
                for one in self._resources.evidence.of_document(text, document_id)
                if one.text not in quotes
            ]
            for quote in quotations(text):
                if not self._resources.sources.quoted_from(document_id).locate(quote).exact:
                    return Judgement(
                        verdict=Verdict.UNSUPPORTED,
                        reasons=(f"Its source does not have “{quote}”.",),
                    )
        return self._resources.judge.judge(text, evidence)

    def _others(
        self, statement: Statement, cited: Collection[str], gathered: GatheredEvidence
    ) -> list[tuple[Judgement, list[UUID]]]:
        """Other documents whose evidence supports it, the most confident first."""
        supporting = []
        for document_id, spans in self._by_document(gathered.spans, gathered).items():
            if document_id in cited:
                continue
            quotes = [span.quote for span in spans]
            close = self._resources.closeness(statement.text, quotes)
            pairs = zip(quotes, close, strict=True)
            judged = self._resources.judge.judge(
                statement.text, [SourceSentence(q, c) for q, c in pairs]
            )
            if judged.verdict == Verdict.SUPPORTED and judged.best is not None:
                supporting.append((judged, [spans[judged.best].id]))
        return sorted(supporting, key=lambda one: -one[0].certainty)

    def _by_document(
        self, spans: Sequence[SourceSpan], gathered: GatheredEvidence
    ) -> dict[str, list[SourceSpan]]:
        spans_of_document: dict[str, list[SourceSpan]] = {}
        for span in spans:
            document_id = gathered.source_of(span).document_id
            if document_id is not None:
                spans_of_document.setdefault(document_id, []).append(span)
        return spans_of_document


def _where(span: SourceSpan) -> str:
    """Where a reader finds it: on the printed page, that of the file, or in the section."""
    if span.page_label:
        return f", on p. {span.page_label}"
    if span.page:
        return f", on page {span.page} of the file"
    return f", in “{span.section_heading}”" if span.section_heading else ""


def _weight(judged: Judgement) -> tuple[int, float]:
    return SUPPORT[judged.verdict], judged.certainty


def _removed(
    statement: Statement, verdict: ClaimVerdict, confidence: float, reasoning: str
) -> Checked:
    return Checked(
        written=statement,
        statement=None,
        verdict=verdict,
        confidence=confidence,
        reasoning=reasoning,
        correction=Correction.REMOVE,
    )


class ExtractivePlanner:
    """Plans by the words of the question and of the passages first found for it."""

    def plan(self, question: str, depth: Depth, seen: Sequence[InitialPassage]) -> Plan:
        return plan_of(question, depth, seen)


class ExtractiveWriter:
    """Writes a draft of quotations; those of a step are ordered by relevance."""

    name = EXTRACTIVE

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        statements: list[Statement] = []
        for step in range(len(plan.steps)):
            check_stop()
            spans = [span for span in gathered.spans if span.step_index == step]
            spans.sort(key=lambda span: -span.relevance_score)
            statements += [
                Statement(text=span.quote, spans=(span.id,), step_index=step, quoted=True)
                for span in spans
            ]
        return ReportDraft(writer=self.name, statements=tuple(statements))


def extractive_roles(resources: ReviewResources) -> ReviewRoles:
    """The planner, writer and checker that need no language model."""
    return ReviewRoles(ExtractivePlanner(), ExtractiveWriter(), SourceChecker(resources))
