"""Stages of a review: plan, search, write, check, report.

Each stage is stored before the next begins; a resumed review continues after the last stored
stage, and comes to the same report.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from uuid import UUID

from citeloom.application.citation.cite import Citations
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import CitationMarkup
from citeloom.application.ports.index import Passage
from citeloom.application.ports.research import SessionOutcome, Step
from citeloom.application.research.sessions import SessionWork
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.domain.research.events import (
    CitationCorrected,
    ClaimVerified,
    ErrorEvent,
    PlanCreated,
    Reflection,
    ReflectionDecision,
    ResearchCompleted,
    StepCompleted,
    StepStarted,
    SynthesisProgress,
    SynthesisStarted,
    ToolCall,
    ToolResult,
    VerificationSummaryEvent,
)
from citeloom.domain.research.session import (
    Citation,
    Claim,
    ClaimType,
    Correction,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
)
from citeloom.domain.review.evidence.answering import (
    MIN_RELEVANCE,
    QuoteCandidate,
    QuoteSelection,
    select_quotes,
)
from citeloom.domain.review.planning.plan import InitialPassage, extent_of, reflect
from citeloom.domain.review.report.markdown import (
    PlacedStatement,
    Report,
    ReportContent,
    render_report,
)
from citeloom.domain.review.report.report import (
    Checked,
    Gap,
    GatheredEvidence,
    Plan,
    Statement,
    deduplicated,
)
from citeloom.domain.text.phrasing import counted
from citeloom.domain.verification.quantities.quantity import has_numeric_content

from .evidence_gathering import EvidenceGathering, QueryEvidence
from .requests import SessionSettings
from .roles import MOST_NEAREST, ReviewProgress, ReviewResources, ReviewRoles, ReviewStage


def outcome_of(
    session: ResearchSession, report: Report, gathered: GatheredEvidence, at: datetime
) -> SessionOutcome:
    """The outcome of a completed session; ids are derived from the session's."""
    spans = {span.id: span for span in gathered.spans}
    keys = {source.id: source.citekey for source in gathered.sources}
    claims: list[Claim] = []
    citations: list[Citation] = []
    cited: dict[UUID, None] = {}
    for number, placed in enumerate(report.placed):
        primary = [id for id in placed.statement.spans if id in spans]
        key = next((keys[spans[id].source_id] for id in primary), None)
        claim = _claim(session, number, placed, key, at)
        claims.append(claim)
        cited.update((spans[id].source_id, None) for id in primary)
        citations += _citations(session, number, claim, placed, at)
    return SessionOutcome(
        status=SessionStatus.COMPLETED,
        content=report.text,
        claims=tuple(claims),
        citations=tuple(citations),
        cited=tuple(cited),
        summary=report.summary,
        completed_at=at,
    )


def _claim(
    session: ResearchSession, number: int, placed: PlacedStatement, key: str | None, at: datetime
) -> Claim:
    text = placed.statement.text
    return Claim(
        id=session.part_id("claim", number),
        message_id=session.message_id,
        claim_text=text,
        claim_type=ClaimType.NUMERIC if has_numeric_content(text) else ClaimType.GENERAL,
        position_start=placed.start,
        position_end=placed.end,
        citation_key=key[:100] if key else None,
        verdict=placed.checked.verdict,
        confidence=placed.checked.confidence,
        verification_reasoning=placed.checked.reasoning,
        correction=placed.checked.correction,
        created_at=at,
    )


def _citations(
    session: ResearchSession, number: int, claim: Claim, placed: PlacedStatement, at: datetime
) -> Iterator[Citation]:
    """The citations of a claim: those in the report, then the alternates."""
    shown = dict.fromkeys(placed.statement.spans, True)
    for span, is_primary in {**dict.fromkeys(placed.checked.alternates, False), **shown}.items():
        yield Citation(
            id=session.part_id("citation", number, str(span)),
            claim_id=claim.id,
            evidence_span_id=span,
            confidence=placed.checked.confidence,
            is_primary=is_primary,
            created_at=at,
        )


_SEEN = 20
# Why a document is left out.
_NOTHING_ON_IT = "none of its sentences is about the question"


class ReviewStages:
    """Runs the stages of one session. ``progress`` is the last stored checkpoint."""

    def __init__(
        self,
        progress: ReviewProgress,
        *,
        resources: ReviewResources,
        roles: ReviewRoles,
        gathering: EvidenceGathering,
        work: SessionWork,
        catalogue: Catalogue,
        citations: Citations,
    ) -> None:
        self._session = session = work.session
        self._settings = SessionSettings.model_validate(session.classification)
        self.progress = progress
        self._resources = resources
        self._roles = roles
        self._gathering = gathering
        self._work = work
        self._catalogue = catalogue
        self._citations = citations

    def run(self) -> SessionOutcome:
        """Run to the end of the session. Raises Stopped, and what the search, the record and
        the roles raise."""
        stages = {
            ReviewStage.PLAN: self._planned,
            ReviewStage.SEARCH: self._searched,
            ReviewStage.WRITE: self._written,
            ReviewStage.CHECK: self._checked,
        }
        while (stage := self.progress.stage) is not ReviewStage.REPORT:
            self._work.check_stop()
            after, step = stages[stage](self.progress)
            state = after.model_dump(mode="json")
            self._work.store_step(step.model_copy(update={"state": state}))
            self.progress = after
        self._work.check_stop()
        return self._reported(self.progress)

    def _planned(self, before: ReviewProgress) -> tuple[ReviewProgress, Step]:
        seen = self._gathering.find_passages(self._session.question, _SEEN)
        plan = self._roles.planner(
            self._session.question, self._session.research_depth, [_seen(one) for one in seen]
        )
        self._log_failures(plan.failures)
        self._work.log(PlanCreated, steps=tuple(step.title for step in plan.steps))
        after = before.model_copy(update={"stage": ReviewStage.SEARCH, "plan": plan})
        return after, Step(plan=plan.model_dump(mode="json"))

    def _searched(self, before: ReviewProgress) -> tuple[ReviewProgress, Step]:
        """One step: its queries, selection of quotes, and reflection on the next step."""
        plan, number = _plan(before), before.step
        sub, log = plan.steps[number], self._work.log
        log(StepStarted, step_index=number, step_title=sub.title)
        rounds = self._run_queries(plan, number, sub.queries)
        sources, spans, chosen = self._kept(before, plan, rounds)
        gathered = before.gathered.extended(sources, spans)
        log(
            StepCompleted,
            step_index=number,
            step_title=sub.title,
            sources=len({span.source_id for span in spans}),
            evidence=len(spans),
        )
        dry, found = 0 if spans else before.dry + 1, bool(gathered.answers)
        reflected = reflect(plan, number, new_quotes=len(spans), dry_steps=dry, found=found)
        reason = reflected.reason
        log(ReflectionDecision, step_index=number, decision=reflected.decision, reason=reason)
        warnings = (
            *before.warnings,
            *(warning for results in rounds for warning in results.warnings),
        )
        update = {
            "gathered": gathered,
            "dry": dry,
            "warnings": tuple(dict.fromkeys(warnings)),
            "done": tuple(dict.fromkeys((*before.done, number))),
        }
        if reflected.decision is Reflection.COMPLETE:
            update["stage"] = ReviewStage.WRITE
        else:
            update["step"] = number + 1
        update["gaps"] = (*before.gaps, *self._gaps(plan, number, rounds, chosen))
        if not spans and not chosen.is_known:
            spans = tuple(self._nearest(number, rounds, gathered))
            update["gathered"] = gathered.extended(nearest=spans)
        step = Step(sources=sources, spans=spans, plan=plan.model_dump(mode="json"))
        return before.model_copy(update=update), step

    def _run_queries(self, plan: Plan, number: int, queries: Sequence[str]) -> list[QueryEvidence]:
        rounds: list[QueryEvidence] = []
        for query in queries:
            self._work.check_stop()
            call = {"step_index": number, "tool": "query"}
            self._work.log(ToolCall, **call, arguments=self._arguments(query))
            results = self._gathering.find(query, extent_of(plan).passages, plan.steps[number])
            self._work.log(ToolResult, **call, **_result_fields(results))
            rounds.append(results)
        return rounds

    def _gaps(
        self, plan: Plan, number: int, rounds: Sequence[QueryEvidence], chosen: QuoteSelection
    ) -> Iterator[Gap]:
        """Gaps: parts of a step's question without evidence, in it or elsewhere."""
        sub = plan.steps[number]
        passages = [passage for results in rounds for passage in results.passages]
        if sub.asked:
            quoted = bool(chosen.quotes) or chosen.is_known
            gap = self._gathering.gap(number, sub, passages, quoted=quoted)
            if not chosen.quotes:
                why = {"elsewhere": chosen.is_known, "unconfirmed": chosen.is_unconfirmed}
                gap = (gap or Gap(step=number)).model_copy(update=why)
            if gap is not None:
                yield gap

    def _nearest(
        self, number: int, rounds: Sequence[QueryEvidence], gathered: GatheredEvidence
    ) -> Iterator[SourceSpan]:
        """The new sentences nearest to a step, by the first query that has some."""
        known = {span.id for span in gathered.spans}
        nearest = next((results.nearest for results in rounds if results.nearest), ())
        found = self._exact(nearest, number, gathered)
        return islice((span for span in found if span.id not in known), MOST_NEAREST)

    def _exact(
        self, quotes: Sequence[QuoteCandidate], number: int, gathered: GatheredEvidence
    ) -> Iterator[SourceSpan]:
        """The spans of the quotes that stand on their pages as they are quoted."""
        for one in quotes:
            span = self._gathering.span(one, number, self._work.now())
            quoted = Statement(text=span.quote, spans=(span.id,), step_index=number, quoted=True)
            checked = self._roles.checker.check(quoted, gathered.extended(spans=[span]))
            if checked.statement is not None:
                yield span

    def _written(self, before: ReviewProgress) -> tuple[ReviewProgress, Step]:
        self._work.log(SynthesisStarted, writer=self._roles.writer.name)
        self._roles.answer_cache.restore(before.answers)
        draft = self._roles.writer.write(_plan(before), before.gathered, self._keep_answers)
        self._log_failures(draft.failures)
        for statement in draft.statements:
            self._work.log(SynthesisProgress, content_chunk=statement.text)
        messages = (*before.warnings, *draft.failures, *draft.warnings)
        warnings = tuple(dict.fromkeys(messages))
        update = {"stage": ReviewStage.CHECK, "draft": draft, "warnings": warnings, "answers": {}}
        return before.model_copy(update=update), Step()

    def _keep_answers(self) -> None:
        """Store a model's new answers before the next request. Raises Stopped."""
        if self._roles.answer_cache.is_new:
            answers = self._roles.answer_cache.answers()
            self.progress = self.progress.model_copy(update={"answers": answers})
            self._work.store_step(Step(state=self.progress.model_dump(mode="json")))
        self._work.check_stop()

    def _checked(self, before: ReviewProgress) -> tuple[ReviewProgress, Step]:
        all_checked = []
        for checked in deduplicated(self._each_checked(before)):
            statement = checked.written
            corrected = checked.statement
            self._work.log(
                ClaimVerified,
                claim_text=(corrected or statement).text,
                verdict=checked.verdict,
                confidence=checked.confidence,
                citation_key=_key((corrected or statement).spans, before.gathered),
            )
            if checked.correction is not Correction.KEEP:
                self._work.log(
                    CitationCorrected,
                    correction=checked.correction,
                    before=statement.text,
                    after=corrected.text if corrected else None,
                    reason=checked.reasoning,
                )
            all_checked.append(checked)
        update = {"stage": ReviewStage.REPORT, "checked": tuple(all_checked)}
        return before.model_copy(update=update), Step()

    def _each_checked(self, before: ReviewProgress) -> Iterator[Checked]:
        assert before.draft is not None
        for statement in before.draft.statements:
            self._work.check_stop()
            yield self._roles.checker.check(statement, before.gathered)

    def _log_failures(self, failures: Sequence[str]) -> None:
        """Log failures of a language model and continue the review without it."""
        for failure in failures:
            self._work.log(
                ErrorEvent,
                error_code=LanguageModelUnavailable.code,
                error_message=failure,
                recoverable=True,
            )

    def _reported(self, progress: ReviewProgress) -> SessionOutcome:
        report = self._composed(progress)
        outcome = outcome_of(self._session, report, progress.gathered, self._work.now())
        self._work.log(VerificationSummaryEvent, summary=report.summary)
        self._work.log(
            ResearchCompleted,
            message_id=self._session.message_id,
            claims=len(outcome.claims),
            sources=len(outcome.cited),
        )
        return outcome

    def _composed(self, progress: ReviewProgress) -> Report:
        documents = self._catalogue.documents(self._resources.project.id)
        near = {span.source_id for span in progress.gathered.spans}
        used = {
            one.document_id for one in progress.gathered.sources if one.included or one.id in near
        }
        works = [one.citation for one in documents if one.document_id in used and one.citation]
        entries = self._citations.works_bibliography(
            works, self._settings.style, CitationMarkup.MARKDOWN
        )
        assert progress.draft is not None
        return render_report(
            ReportContent(
                project=str(self._resources.project.id),
                documents=len(documents),
                writer=progress.draft.writer,
                plan=_plan(progress),
                searched_steps=progress.done,
                gathered=progress.gathered,
                gaps=progress.gaps,
                checked=progress.checked,
                bibliography={entry.citekey: entry.text for entry in entries},
                warnings=progress.warnings,
            )
        )

    def _kept(
        self, before: ReviewProgress, plan: Plan, rounds: Sequence[QueryEvidence]
    ) -> tuple[tuple[Source, ...], tuple[SourceSpan, ...], QuoteSelection]:
        """The documents of a step with their inclusion, its new evidence, and its selection."""
        number, at = before.step, self._work.now()
        found_quotes = [quote for results in rounds for quote in results.quotes]
        candidates: dict[tuple[str, int, int], QuoteCandidate] = {}
        for quote in sorted(found_quotes, key=lambda one: (-one.relevance, one.place)):
            candidates.setdefault(quote.place, quote)  # the most relevant stays
        held_quotes = [_held(span, before.gathered) for span in before.gathered.answers]
        known = {source.document_id: source for source in before.gathered.sources}
        sources: dict[str, Source] = {}
        for passage in (passage for results in rounds for passage in results.passages):
            document_id = passage.chunk.doc_id
            if document_id not in sources:
                sources[document_id] = known.get(document_id) or self._gathering.source(
                    passage, number, plan.steps[number].title, at
                )
        gathered = before.gathered.extended(sources.values())
        exact: dict[tuple[str, int, int], SourceSpan] = {}

        def is_exact(quote: QuoteCandidate) -> bool:
            exact.update((quote.place, one) for one in self._exact([quote], number, gathered))
            return quote.place in exact

        limit = extent_of(plan).quotes
        chosen = select_quotes([*candidates.values()], held_quotes, limit, is_exact)
        spans = tuple(exact[one.place] for one in chosen.quotes)
        quoted = {span.source_id for span in spans}
        for document_id, source in sources.items():
            included = source.id in quoted or (document_id in known and source.included)
            reason = chosen.reasons.get(document_id, source.exclusion_reason or _NOTHING_ON_IT)
            update = {"included": included, "exclusion_reason": None if included else reason}
            sources[document_id] = source.model_copy(update=update)
        return tuple(sources.values()), spans, chosen

    def _arguments(self, query: str) -> dict[str, object]:
        filter = self._settings.filter.model_dump(mode="json", exclude_defaults=True)
        return {"query": query} | filter


def _seen(passage: Passage) -> InitialPassage:
    chunk = passage.chunk
    return InitialPassage(document_id=chunk.doc_id, heading=chunk.section_heading, text=chunk.text)


def _plan(progress: ReviewProgress) -> Plan:
    assert progress.plan is not None
    return progress.plan


def _result_fields(results: QueryEvidence) -> dict[str, object]:
    documents = len({passage.chunk.doc_id for passage in results.passages})
    relevant = sum(quote.relevance >= MIN_RELEVANCE for quote in results.quotes)
    summary = (
        f"{counted(len(results.passages), 'passage')} of {counted(documents, 'document')}, "
        f"{counted(relevant, 'relevant quotation')}"
    )
    return {"count": len(results.passages), "summary": summary}


def _held(span: SourceSpan, gathered: GatheredEvidence) -> QuoteCandidate:
    document_id = gathered.source_of(span).document_id or ""
    start, end = span.start_offset or 0, span.end_offset or 0
    return QuoteCandidate(document_id, start, end, span.quote, span.relevance_score)


def _key(spans: Sequence[object], gathered: GatheredEvidence) -> str | None:
    cited = (span for span in gathered.spans if span.id in spans)
    return next((gathered.source_of(span).citekey for span in cited), None)
