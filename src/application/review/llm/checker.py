"""Check of a language model's sentence against the evidence."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from uuid import UUID

from citeloom.application.ports.verification import Judge
from citeloom.application.review.roles import Checker
from citeloom.application.review.sentence_relevance import Closeness
from citeloom.domain.research.session import Correction, SourceSpan
from citeloom.domain.review.checking.certainty import certainty_level
from citeloom.domain.review.checking.claim_splitting import split_claims
from citeloom.domain.review.checking.corrections import (
    ALTERNATE,
    Decision,
    Support,
    decide,
    match_score,
    recorded,
)
from citeloom.domain.review.evidence.prompt_injection import is_prompt_injection
from citeloom.domain.review.report.model import Checked, GatheredEvidence, Statement
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.words import words
from citeloom.domain.verification.claims.faithfulness import deviations, misquoted
from citeloom.domain.verification.claims.function_words import context_dependent
from citeloom.domain.verification.claims.judgement import SourceSentence
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_sentence,
    stems_of,
)

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
        Correction.KEEP: "What it cites bears it out",
        Correction.ADD_ALTERNATE: "What it cites bears it out in part; cited besides is what "
        "bears out the rest",
        Correction.REPLACE: "Cited is what bears it out instead of what was cited",
        Correction.SOFTEN: "Not borne out as written; the passage is quoted instead",
        Correction.REMOVE: "Not borne out; left out",
    }
    head = f"{begins[decision.correction]} ({certainty_level(decision.confidence)} confidence)."
    return " ".join((head, *decision.reasons))
