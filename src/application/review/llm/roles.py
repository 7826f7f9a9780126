"""Planner, writer and checker of a review by a language model; every sentence is checked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from uuid import UUID

from citeloom.application.ports.models import Completion, LanguageModel
from citeloom.application.ports.verification import Judge
from citeloom.application.review.roles import (
    AnswerCache,
    Checker,
    Closeness,
    Planner,
    ReviewResources,
    ReviewRoles,
    Writer,
    nothing,
)
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.domain.research.session import Correction, Depth, SourceSpan
from citeloom.domain.review.checking import (
    ALTERNATE,
    Decision,
    Support,
    certainty_level,
    decide,
    match_score,
    recorded,
    split_claims,
)
from citeloom.domain.review.evidence.prompt_injection import is_prompt_injection
from citeloom.domain.review.planning.plan import InitialPassage, extent_of
from citeloom.domain.review.report.report import (
    Checked,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
    SubQuestion,
    keys_of,
    normalized_text,
)
from citeloom.domain.text.phrasing import extract_json
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import terms
from citeloom.domain.text.words import words
from citeloom.domain.verification.claims.faithfulness import deviations
from citeloom.domain.verification.claims.function_words import context_dependent, markup
from citeloom.domain.verification.claims.judgement import SourceSentence
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.claims.quotations import misquoted
from citeloom.domain.verification.quantities.quantity import missing_quantities, quantities

from .answers import (
    LONGEST_ANSWER,
    CachedLanguageModel,
    GroundedSection,
    ProposedPlan,
    WrittenSection,
    line_of,
    section_in,
    to_plan,
    to_write,
)

#: Characters of a sub-question and of a term, queries and terms of each.
LONGEST_TITLE = 200
LONGEST_TERM = 60
MOST_QUERIES = 3
MOST_TERMS = 6
_ASKING = ("?", "？", "؟")


class ModelPlanner:
    """Accepts valid sub-questions of a model: distinct, as many as the depth allows, completed from
    ``otherwise``. Without a usable proposal, returns the plan of ``otherwise`` and the failure."""

    def __init__(self, model: LanguageModel, otherwise: Planner, wishes: str | None = None) -> None:
        self._model = model
        self._otherwise = otherwise
        self._wishes = wishes

    def __call__(self, question: str, depth: Depth, seen: Sequence[InitialPassage]) -> Plan:
        """Failures of the model are recorded in the plan, not raised."""
        ready = self._otherwise(question, depth, seen)
        most = extent_of(ready).steps
        try:
            answer = self._model.complete(
                to_plan(question, most, self._wishes), schema=ProposedPlan
            )
        except LanguageModelUnavailable as error:
            return _failed(ready, f"planned without a model: {error.message}")
        steps = _steps(answer.text, question, most)
        if not steps:
            hint = "" if answer.ended else ", because it was cut off; raise llm.max_tokens"
            return _failed(
                ready,
                f"planned without a model: {self._model.name} gave no usable plan{hint}",
            )
        warnings = [f"the sub-questions were written by {self._model.name}"]
        if left := _left_out(steps, ready.steps):
            added = left[: most - len(steps)]
            warnings += [f"added because the model left it out: {one.title}" for one in added]
            warnings += [f"not asked at this depth: {one.title}" for one in left[len(added) :]]
            steps += added
        return ready.model_copy(
            update={"steps": tuple(steps), "warnings": (*answer.warnings, *warnings)}
        )


def _failed(plan: Plan, failure: str) -> Plan:
    return plan.model_copy(update={"failures": (*plan.failures, failure)})


def _steps(text: str, question: str, most: int) -> list[SubQuestion]:
    parsed = extract_json(text) if len(text) <= LONGEST_ANSWER else None
    rows = parsed.get("sub_questions") if isinstance(parsed, dict) else None
    question_stems = _about(question)
    steps: list[SubQuestion] = []
    taken: list[frozenset[str]] = []
    for row in rows if isinstance(rows, list) else ():
        step = _step(row)
        if step is None or len(steps) == most or _brings(step.title, question):
            continue
        about = _about(step.title)
        # A sub-question without a common term is off topic.
        if about & question_stems and about not in taken:
            taken.append(about)
            steps.append(step)
    return steps


def _left_out(
    proposed: Sequence[SubQuestion], sub_questions: Sequence[SubQuestion]
) -> list[SubQuestion]:
    """Sub-questions whose terms are mostly missing from the proposed steps."""
    covered = frozenset[str]().union(
        *(_about(" ".join((one.title, *one.queries, *one.facets))) for one in proposed)
    )
    return [
        one
        for one in sub_questions
        if one.asked and 2 * len(_about(one.title) - covered) > len(_about(one.title))
    ]


def _brings(title: str, question: str) -> bool:
    """Whether a sub-question asserts something new: it is not a question, or has numbers or names
    that the question lacks. It becomes a heading of the report, and is not checked."""
    if not title.endswith(_ASKING):
        return True
    known = {term.stem for term in terms(question)}
    names = {term.stem for term in terms(title) if term.is_name}
    return bool(missing_quantities(quantities(title), quantities(question)) or names - known)


def _step(row: object) -> SubQuestion | None:
    if not isinstance(row, dict):
        return None
    title = line_of(row.get("title"), LONGEST_TITLE)
    if not title or markup(title):
        return None
    queries = dict.fromkeys((title, *_lines(row.get("queries"), LONGEST_TITLE)))
    return SubQuestion(
        title=title,
        queries=tuple(queries)[: 1 + MOST_QUERIES],
        facets=tuple(dict.fromkeys(_lines(row.get("terms"), LONGEST_TERM)))[:MOST_TERMS],
    )


def _lines(values: object, longest: int) -> Iterator[str]:
    for one in values if isinstance(values, list) else ():
        line = line_of(one, longest)
        if line and not markup(line):
            yield line


def _about(text: str) -> frozenset[str]:
    return frozenset(term.stem for term in terms(text))


#: Attempts for one section, sections in a row without an answer before the model is given up,
#: and quotes for one section.
ATTEMPTS = 2
MOST_SILENT = 2
MOST_EVIDENCE = 30


class ModelWriter:
    """Sends the quotes of a step to a model and takes sentences with their evidence.

    The sentences enter the draft unchecked. Without a usable answer, or if ``checker`` would
    leave nothing new of a section, its statements are those of ``otherwise``, with the failure.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        checker: Checker,
        otherwise: Writer,
        wishes: str | None = None,
    ) -> None:
        self._model = model
        self._checker = checker
        self._otherwise = otherwise
        self._wishes = wishes

    @property
    def name(self) -> str:
        return self._model.name

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        """Failures of the model are recorded in the draft, not raised."""
        quoted = self._otherwise.write(plan, gathered, check_stop)
        run = _SectionRun(self._model, self._wishes, plan, gathered)
        statements: list[Statement] = []
        used_words: set[str] = set()
        for index, step in enumerate(plan.steps):
            check_stop()
            step_quotations = [one for one in quoted.statements if one.step_index == index]
            written = run.section(index, step)
            check_stop()
            checked = [self._checker.check(one, gathered).statement for one in written]
            new = {normalized_text(one) for one in checked if one is not None} - used_words
            if step_quotations and not new:
                if written:
                    run.failed(f"{step.title}: quoted, for nothing new that was written holds")
                new = {normalized_text(one) for one in step_quotations}
                written = (*written, *step_quotations)
            statements += written
            used_words |= new
        return ReportDraft(
            writer=self.name,
            statements=tuple(statements),
            warnings=(*quoted.warnings, *run.warnings),
            failures=(*quoted.failures, *run.failures),
        )


class _SectionRun:
    """The requests for one draft, with warnings and failures."""

    def __init__(
        self, model: LanguageModel, wishes: str | None, plan: Plan, gathered: GatheredEvidence
    ) -> None:
        self._model = model
        self._wishes = wishes
        self._plan = plan
        self._gathered = gathered
        self._keys = keys_of(gathered.sources)
        self._silent = 0
        self.warnings: list[str] = []
        self.failures: list[str] = []

    def warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)

    def failed(self, failure: str) -> None:
        self.failures.append(failure)

    def section(self, index: int, step: SubQuestion) -> tuple[Statement, ...]:
        """The model's statements on a step; empty without evidence or a usable answer."""
        numbers = self._evidence(index)
        if not numbers or self._silent == MOST_SILENT:
            return ()
        for _ in range(ATTEMPTS):
            try:
                answer = self._ask(step, numbers)
            except LanguageModelUnavailable as error:
                self._silent += 1
                self.failed(f"{step.title}: quoted instead of answered: {error.message}")
                if self._silent == MOST_SILENT:
                    self.failed(f"{self._model.name} was asked no more; all that follows is quoted")
                return ()
            self._silent = 0
            if parsed := self._read(answer, index, numbers):
                self._tell(parsed, step)
                return parsed.statements
        self.failed(
            f"{step.title}: quoted, for {self._model.name} did not answer in the form asked for"
            + ("" if answer.ended else " and was cut off; raise llm.max_tokens")
        )
        return ()

    def _evidence(self, index: int) -> dict[int, UUID]:
        """Span ids of a step by number, the position in all gathered spans."""
        step_spans = [
            (number, span)
            for number, span in enumerate(self._gathered.spans)
            if span.step_index == index
        ]
        sent = [
            (number, span) for number, span in step_spans if not is_prompt_injection(span.quote)
        ]
        if left := len(step_spans) - len(sent):
            self.warn(f"passages with instructions to a language model were not sent: {left}")
        return {number: span.id for number, span in sent[:MOST_EVIDENCE]}

    def _ask(self, step: SubQuestion, numbers: dict[int, UUID]) -> Completion:
        quotes = {number: self._gathered.spans[number].quote for number in numbers}
        answer = self._model.complete(
            to_write(self._plan.question, step, quotes, self._wishes), schema=WrittenSection
        )
        for warning in answer.warnings:
            self.warn(warning)
        return answer

    def _read(
        self, answer: Completion, index: int, numbers: dict[int, UUID]
    ) -> GroundedSection | None:
        known = set(numbers.values())
        spans = [span for span in self._gathered.spans if span.id in known]
        keys = {
            self._keys[id]: tuple(span.id for span in spans if span.source_id == id)
            for id in dict.fromkeys(span.source_id for span in spans)
        }
        return section_in(answer.text, index, numbers, keys)

    def _tell(self, section: GroundedSection, step: SubQuestion) -> None:
        if section.unknown:
            shown = ", ".join(section.unknown[:5])
            self.warn(f"{step.title}: {self._model.name} cites what there is not: {shown}")
        if section.dropped:
            self.warn(f"{step.title}: {section.dropped} pieces of the answer were not statements")


_SENTENCES_KEPT = 4096
_LEAST_WORDS = 3


class ModelStatementChecker:
    """Keeps a sentence if the cited spans support each of its claims; cites another span, or
    one more, if that does; else replaces it by a quotation of the best span, or removes it. Each
    sentence is checked by itself. Quotations are left to the checker ``quotations``.
    """

    def __init__(self, judge: Judge, closeness: Closeness, quotations: Checker) -> None:
        self._judge = judge
        self._closeness = closeness
        self._quotations = quotations
        self._sentences = lru_cache(maxsize=_SENTENCES_KEPT)(_sentences_of)

    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        if statement.quoted:
            return self._quotations.check(statement, gathered)
        spans = {span.id: span for span in gathered.spans if not is_prompt_injection(span.quote)}
        cited = [id for id in dict.fromkeys(statement.spans) if id in spans]
        step = statement.step_index
        claims = [
            [one._replace(in_context=spans[one.span].step_index == step) for one in rows]
            for rows in (
                self._supports(one, spans, cited)
                for one in self._claims(statement.text, spans.values())
            )
        ]
        decision = decide(cited, claims, tuple(_against(statement, [spans[id] for id in cited])))
        if decision.quote is not None:
            return self._softened(statement, decision, spans[decision.quote], gathered)
        is_kept = decision.correction is not Correction.REMOVE
        return Checked(
            written=statement,
            statement=statement.model_copy(update={"spans": decision.spans}) if is_kept else None,
            verdict=decision.verdict,
            confidence=round(decision.confidence, 4),
            reasoning=_reasoning(decision),
            correction=decision.correction,
            alternates=decision.alternates,
        )

    def _claims(self, text: str, spans: Iterable[SourceSpan]) -> tuple[str, ...]:
        """The claims of a sentence. A verbatim sentence of the evidence is one claim: its
        clauses alone say less than the whole."""
        sentences = (one for span in spans for one, _ in self._sentences(span.quote))
        return (text,) if text in sentences else split_claims(text)

    def _softened(
        self, statement: Statement, decision: Decision, span: SourceSpan, gathered: GatheredEvidence
    ) -> Checked:
        """The statement replaced by a quotation, which is checked like any other."""
        quotation = statement.model_copy(
            update={"text": span.quote, "spans": (span.id,), "quoted": True}
        )
        checked = self._quotations.check(quotation, gathered)
        is_removed = checked.statement is None
        return Checked(
            written=statement,
            statement=checked.statement,
            verdict=decision.verdict if is_removed else checked.verdict,
            confidence=round(decision.confidence if is_removed else checked.confidence, 4),
            reasoning=f"{_reasoning(decision)} {checked.reasoning}",
            correction=Correction.REMOVE if is_removed else Correction.SOFTEN,
            as_written=None if is_removed else decision.verdict,
        )

    def _supports(
        self, claim: str, spans: dict[UUID, SourceSpan], cited: Sequence[UUID]
    ) -> Iterator[Support]:
        """The support of a claim by the cited spans and by all similar ones."""
        claim_features = parse_sentence(claim)
        close = self._closeness(
            claim, [text for span in spans.values() for text, _ in self._sentences(span.quote)]
        )
        at = 0
        for id, span in spans.items():
            sentences = self._sentences(span.quote)
            scores = close[at : at + len(sentences)]
            at += len(sentences)
            words = max(
                (coverage(claim_features, stems_of(one)) for _, one in sentences), default=0.0
            )
            match = match_score(words, max(scores, default=0.0))
            if id in cited or match >= ALTERNATE:
                yield self._support(claim, id, id in cited, sentences, scores, match)

    def _support(
        self,
        claim: str,
        id: UUID,
        cited: bool,
        sentences: Sequence[tuple[str, ParsedSentence]],
        scores: Sequence[float],
        match: float,
    ) -> Support:
        judged = self._judge.judge(
            claim,
            [
                SourceSentence(text, score, place)
                for place, ((text, _), score) in enumerate(zip(sentences, scores, strict=True))
            ],
        )
        parsed_claim = parse_sentence(claim)
        strict = [deviations(parsed_claim, one) for _, one in sentences]
        verdict, reasons = recorded(judged)
        return Support(
            id,
            cited,
            verdict,
            judged.certainty,
            match,
            tuple(one.text for one in min(strict, key=len, default=())),
            reasons,
        )


def _sentences_of(quote: str) -> tuple[tuple[str, ParsedSentence], ...]:
    texts = (" ".join(quote[start:end].split()) for start, end in sentence_spans(quote))
    return tuple((text, parse_sentence(text)) for text in texts)


def _against(statement: Statement, cited: Sequence[SourceSpan]) -> Iterator[str]:
    for quote in misquoted(statement.text, [span.quote for span in cited]):
        yield f"No passage that it cites has “{quote}”."
    text = statement.text
    if word := context_dependent(text):
        yield f"“{word}” would mean something else in a report."
    if len(sentence_spans(text)) > 1 or len(list(words(text))) < _LEAST_WORDS or text.endswith("?"):
        yield "It is not one sentence that states something."


def _reasoning(decision: Decision) -> str:
    begins = {
        Correction.KEEP: "The cited source supports it",
        Correction.ADD_ALTERNATE: "The cited source supports part of it; the added source "
        "supports the rest",
        Correction.REPLACE: "A source that supports it replaces the cited one",
        Correction.SOFTEN: "Not supported as written; quoted instead",
        Correction.REMOVE: "Not supported; left out",
    }
    head = f"{begins[decision.correction]} ({certainty_level(decision.confidence)} confidence)."
    return " ".join((head, *decision.reasons))


def model_roles(
    resources: ReviewResources, model: LanguageModel, quoting: ReviewRoles, wishes: str | None
) -> ReviewRoles:
    """The roles with ``model``. ``quoting`` are those without a model: they stand in for it,
    and check quotations. ``wishes`` are the user's instructions to the model."""
    checker = ModelStatementChecker(resources.judge, resources.closeness, quoting.checker)
    answer_cache = AnswerCache()
    cached_model = CachedLanguageModel(model, answer_cache)
    return ReviewRoles(
        ModelPlanner(model, quoting.planner, wishes),
        ModelWriter(cached_model, checker=checker, otherwise=quoting.writer, wishes=wishes),
        checker,
        answer_cache,
    )
