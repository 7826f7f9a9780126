"""Judges of claims: by rules, or by an entailment model where rules cannot tell.

The model supports a claim against which no hard deviation stands (``vetoes``), contradicts one of
which the rules find a direction or negation otherwise, and doubts rules that it reads otherwise.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.application.ports.verification import EntailmentModel, Judge
from citeloom.application.verification.cited_documents import SENTENCES
from citeloom.domain.verification.claims.alignment import (
    ClaimReading,
    clauses,
    missing_words,
)
from citeloom.domain.verification.claims.contradictions import absent
from citeloom.domain.verification.claims.faithfulness import (
    Deviation,
    DeviationKind,
    deviations,
    vetoes,
)
from citeloom.domain.verification.claims.function_words import attribution_words, denies_necessity
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence, judge
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    content_tokens,
    coverage,
    is_in_order,
    is_told_of_others,
    parse_claim,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.claims.slots import changed_things
from citeloom.domain.verification.quantities.quantity import unstated
from citeloom.domain.verification.verdict import Basis, Verdict

# To be raised with the rules of judgement, and with what is evidence.
_RULES: Final = 16


class RuleJudge:
    """The judge that needs no model."""

    sentences = SENTENCES

    @property
    def fingerprint(self) -> str:
        return f"rules-{_RULES}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        return judge(claim, evidence)


# To be raised with the thresholds and the conditions below.
_ENTAILMENT: Final = 12
UNDECIDED: Final = frozenset({Verdict.NOT_ESTABLISHED, Verdict.UNSUPPORTED})
_OTHERWISE: Final = frozenset(map(DeviationKind, "order apart polarity direction".split()))
# What is surely otherwise in a sentence that is near enough (``_COVERED``), where the model finds
# support nowhere; in one that has most of them; and in one that has all, whatever the model finds.
_SURE_KINDS: Final = frozenset({DeviationKind.DIRECTION, DeviationKind.CAUSE})
_LIKELY_KINDS: Final = _SURE_KINDS | frozenset(
    map(DeviationKind, "polarity reservation addition replaced order".split())
)
_EXCHANGED: Final = frozenset({DeviationKind.ORDER})
# What other words or another order may keep, where the model is sure.
_LEFT_TO_MODEL: Final = frozenset(map(DeviationKind, "shade apart".split()))
_SURE: Final = 0.9
# Less support than this, of words in another order: parts may be exchanged, whatever rules find.
_EXCHANGED_BELOW: Final = 0.3
# From which it supports what rules find contrary.
_NOT_CONTRARY: Final = 0.85
_IN_ANOTHER_ORDER: Final = (
    "The words stand in another order there, and the judge model does not read this as support."
)
_LEAST_SUPPORT: Final = 0.3
# Below it an error is named although the model sees some support.
_LIKELY: Final = 0.6
# Sentences that are read: the most relevant ones; and those that are read with a neighbour, too.
_READ: Final = 4
_READ_WITH_CONTEXT: Final = 2
_SURELY_CONTRARY: Final = 0.85
# By so much less is a sentence on the same subject read as contrary that forbids no support.
_DOUBT: Final = 0.31
# Least share of the claim's content words in the deciding sentence.
_COVERED: Final = 0.5
# From which it is on the same subject, and from which it is the same sentence with a change.
_SAME_SUBJECT: Final = 0.6
_SAME_SENTENCE: Final = 0.8
# Least support that outweighs reservations that other words may keep.
_REWORDED: Final = 0.8
_CONTRARY: Final = 0.92
# Of contradictions, on the develop halves, at least this share is right.
_RIGHT_IF_CONTRARY: Final = 0.9
_REWORDED_SHOWN: Final = 3
_REASONS: Final = 3
# Of open claims whose nearest sentence the bundled model reads as support, 121 of 177 were true
# (benchmarks/RESULTS.md, develop halves; 32 of 45 unseen ones with the weights before).
_LEANING: Final = 0.5
LEANS_TO_SUPPORT: Final = (
    "This sentence may say so in other words; compare them (of such claims 7 in 10 were true)."
)


class _ReadSentence(NamedTuple):
    """A sentence of the evidence, ``best``, as read: the share of the claim's content words that it
    has, the certain differences, and whether it was read alone (``is_alone``)."""

    best: int
    source: ParsedSentence
    covered: float
    said: ClaimReading
    hard: Sequence[Deviation]
    is_alone: bool

    @property
    def vetoes(self) -> Sequence[Deviation]:
        """The certain differences that the model does not outweigh."""
        is_sure = self.said.support >= _SURE
        return [one for one in self.hard if not is_sure or one.kind not in _LEFT_TO_MODEL]

    @property
    def confidence(self) -> float:
        return 0.0 if self.vetoes else self.said.confidence

    @property
    def is_turned(self) -> bool:
        """Whether rules and model find it contrary."""
        is_contrary = self.covered >= _COVERED and self.said.contradict >= _SURELY_CONTRARY
        return is_contrary and bool(_turned(self.said.deviations))

    @property
    def is_contrary(self) -> bool:
        """Whether the model alone does, of other things than verbs."""
        is_near = self.is_alone and self.covered >= _SAME_SUBJECT
        is_other = any(not one.is_verb for one in self.said.missing)
        return is_near and is_other and self.said.contradict >= _CONTRARY

    @property
    def says_otherwise(self) -> bool:
        """Whether the model reads it as contrary, and it is on the same subject."""
        return self.covered >= _COVERED and self.said.contradict >= _CONTRARY

    def is_contested_by(self, other: "_ReadSentence") -> bool:
        """Whether another sentence says otherwise: one that has as many of the claim's words, or
        one that the model reads so."""
        is_as_near = other.covered >= self.covered and other.said.support >= _LEAST_SUPPORT
        return other.says_otherwise or (
            is_as_near and any(one.kind in _OTHERWISE for one in other.vetoes)
        )


class EntailmentJudge:
    """Verdicts of ``rules`` hold if they establish something and the bundled ``model`` does not
    surely read otherwise; else it decides, with the words that the source lacks."""

    def __init__(self, rules: Judge, model: EntailmentModel) -> None:
        self._rules = rules
        self._model = model
        self.sentences = rules.sentences

    @property
    def fingerprint(self) -> str:
        return f"{self._rules.fingerprint}, entailment-{_ENTAILMENT} {self._model.fingerprint[:16]}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        parsed = parse_claim(claim)
        found = self._rules.judge(claim, evidence)
        ruled = self._doubted(parsed, evidence, found)
        is_contrary = found.verdict is Verdict.CONTRADICTED  # and so is not supported
        if is_contrary or ruled.verdict not in (*UNDECIDED, Verdict.PARTIAL) or not evidence:
            return ruled
        readings = self._read(parsed, evidence, ruled)
        best = max(readings, key=lambda one: one.confidence)
        is_contested = any(map(best.is_contested_by, readings))
        if best.confidence and not is_contested and not _is_partial(ruled, best):
            return _supported((best,))
        is_open = ruled.verdict in UNDECIDED and not any(one.says_otherwise for one in readings)
        if is_open and (parts := self._by_clauses(parsed, evidence, ruled)):
            return _supported(parts)
        sentences = [parse_sentence(one.text) for one in evidence]
        is_unlikely = all(one.said.support < _LEAST_SUPPORT for one in readings)
        opposing = [
            one
            for one in readings
            if (one.is_turned or (is_unlikely and one.is_contrary))
            and not denies_necessity(parsed.text)
            and _asserts(one.source, parsed)
            and not is_told_of_others(parsed, one.source, sentences)
        ]
        opposed = max(opposing, key=lambda one: one.said.contradict, default=None)
        if (
            opposed
            and max(one.said.support for one in readings) + _DOUBT <= opposed.said.contradict
        ):
            reasons = ["The judge model reads this as a contradiction."]
            reasons += [one.text for one in _turned(opposed.said.deviations)]
            return Judgement(
                verdict=Verdict.CONTRADICTED,
                basis=Basis.JUDGED,
                confidence=_RIGHT_IF_CONTRARY,
                best=opposed.best,
                reasons=tuple(reasons[:_REASONS]),
            )
        return _compared(readings, _named(parsed, readings, evidence, ruled))

    def _doubted(
        self, claim: ParsedSentence, evidence: Sequence[SourceSentence], ruled: Judgement
    ) -> Judgement:
        """``ruled``, undecided where the model surely reads its sentence otherwise: as support of
        what rules contradict (but another figure is another), or not as support of words that
        stand in another order there."""
        if ruled.best is None or ruled.also:
            return ruled
        text = evidence[ruled.best].text
        source = parse_sentence(text)
        undecided = ruled.model_copy(
            update={"verdict": Verdict.NOT_ESTABLISHED, "basis": None, "confidence": None}
        )
        if ruled.verdict is Verdict.CONTRADICTED:
            is_doubtful = is_contrary_in_words(claim, evidence, ruled)
            if not is_doubtful or (support := self._support(claim, text)) < _NOT_CONTRARY:
                return ruled
            return _leaning(undecided, support)
        if ruled.verdict is not Verdict.SUPPORTED or is_in_order(claim, source):
            return ruled
        if self._support(claim, text) >= _EXCHANGED_BELOW:
            return ruled
        return undecided.model_copy(update={"reasons": (_IN_ANOTHER_ORDER,)})

    def _support(self, claim: ParsedSentence, text: str) -> float:
        return self._model.read(claim.text, [text])[0].support

    def _by_clauses(
        self, claim: ParsedSentence, evidence: Sequence[SourceSentence], ruled: Judgement
    ) -> tuple[_ReadSentence, ...]:
        """The sentence that supports each clause of a claim; none if a clause has none."""
        found = []
        for clause in clauses(claim):
            readings = self._read(parse_claim(clause), evidence, ruled)
            best = max(readings, key=lambda one: one.confidence)
            if not best.confidence or any(map(best.is_contested_by, readings)):
                return ()
            found.append(best)
        return tuple(found)

    def _read(
        self, claim: ParsedSentence, evidence: Sequence[SourceSentence], ruled: Judgement
    ) -> list[_ReadSentence]:
        chosen = list(range(len(evidence)))[:_READ]
        if ruled.best is not None and ruled.best not in chosen:
            chosen.append(ruled.best)
        texts = [(n, evidence[n].text) for n in chosen]
        texts += list(_with_context(claim, evidence, chosen))
        words = len(content_tokens(claim))
        said = self._model.read(claim.text, [text for _, text in texts])
        readings = []
        for (n, text), one in zip(texts, said, strict=True):
            source = parse_sentence(text)
            subject = stems_of(parse_sentence(evidence[n].subject))
            found = deviations(claim, source, subject)
            missing = missing_words(claim, source, subject)
            readings.append(
                _ReadSentence(
                    n,
                    source,
                    coverage(claim, stems_of(source) | subject),
                    ClaimReading(one.support, one.contradict, found, missing, words),
                    vetoes(claim, source, subject),
                    text == evidence[n].text,
                )
            )
        return readings


def is_contrary_in_words(
    claim: ParsedSentence, evidence: Sequence[SourceSentence], ruled: Judgement
) -> bool:
    """Whether rules read one sentence as contrary without another figure: other words may say the
    same, which a model knows better."""
    if ruled.verdict is not Verdict.CONTRADICTED or ruled.best is None or ruled.also:
        return False
    source = parse_sentence(evidence[ruled.best].text)
    others = unstated(claim.quantities, source.quantities)
    return not any(map(str.isdigit, "".join(one.text for one in others)))


def _with_context(
    claim: ParsedSentence,
    evidence: Sequence[SourceSentence],
    chosen: Sequence[int],
) -> Iterator[tuple[int, str]]:
    """The sentences with most of the claim's words, with the previous one if that adds some, but
    none in the place of another."""
    at = {one.place: one.text for one in evidence if one.place is not None}
    stems = {n: stems_of(parse_sentence(evidence[n].text)) for n in chosen}
    for n in sorted(chosen, key=lambda n: -coverage(claim, stems[n]))[:_READ_WITH_CONTEXT]:
        before = at.get((evidence[n].place or 0) - 1, "")
        more = stems[n] | stems_of(parse_sentence(before))
        source = parse_sentence(evidence[n].text)
        other = {one.stem for one in source.terms if one.is_name} - stems_of(claim)
        hard = {one.kind for one in vetoes(claim, source)}
        is_another = DeviationKind.REPLACED in hard or bool(other and DeviationKind.WORD in hard)
        is_another |= any(one.other for one in missing_words(claim, source))
        if before and not is_another and coverage(claim, more) > coverage(claim, stems[n]):
            yield n, f"{before} {evidence[n].text}"


def _is_partial(ruled: Judgement, best: _ReadSentence) -> bool:
    """Whether it repeats a sentence without its reservations: of that the rules know more."""
    kinds = {one.kind for one in best.said.deviations}
    return ruled.verdict is Verdict.PARTIAL and DeviationKind.SCOPE in kinds


def _turned(found: Sequence[Deviation]) -> list[Deviation]:
    turned = (DeviationKind.POLARITY, DeviationKind.DIRECTION)
    return [one for one in found if one.kind in turned and one.is_hard]


def _asserts(source: ParsedSentence, claim: ParsedSentence) -> bool:
    """Whether ``source`` asserts something itself, without questions, aims or others' words."""
    return attribution_words(source.text).keys() <= attribution_words(claim.text).keys()


def _supported(by: Sequence[_ReadSentence]) -> Judgement:
    first, *others = dict.fromkeys(one.best for one in by)
    confidence = math.prod(one.confidence for one in by)
    words = [word for one in by for word in one.said.missing if word.other]
    reasons = ["The judge model reads this as support."]
    if reworded := ", ".join(f"“{one.word}” for “{one.other}”" for one in words[:_REWORDED_SHOWN]):
        reasons.append(f"Reworded: {reworded}.")
    return Judgement(
        verdict=Verdict.SUPPORTED,
        basis=Basis.JUDGED,
        confidence=round(confidence, 2),
        best=first,
        also=tuple(others),
        reasons=tuple(reasons),
    )


def _named(
    claim: ParsedSentence,
    readings: Sequence[_ReadSentence],
    evidence: Sequence[SourceSentence],
    ruled: Judgement,
) -> Judgement:
    """PARTIAL with what the nearest sentence has otherwise, in the words of both: where the model
    finds support nowhere, what is surely another thing, direction, cause, denial or reservation, or
    what no sentence has; where it may, names and exchanged parts."""
    alone = [one for one in readings if one.is_alone]
    if ruled.verdict is Verdict.PARTIAL:
        read = next((one for one in alone if one.best == ruled.best), None)
        is_reworded = read and read.said.support >= (_SURE if read.hard else _REWORDED)
        undecided = {"verdict": Verdict.NOT_ESTABLISHED, "basis": None}
        return ruled.model_copy(update=undecided) if is_reworded else ruled
    nearest = max(alone, key=lambda one: (one.covered, one.said.support))
    if ruled.verdict is not Verdict.NOT_ESTABLISHED or nearest.covered < _COVERED:
        return ruled
    others = [parse_sentence(one.text) for n, one in enumerate(evidence) if n != nearest.best]
    if any(one.kind is DeviationKind.POLARITY for one in nearest.hard) and not (
        _asserts(nearest.source, claim) and not is_told_of_others(claim, nearest.source, others)
    ):
        return ruled
    is_unlikely = all(one.said.support < _LIKELY for one in readings)
    told: list[str] = []
    if nearest.covered >= _SAME_SUBJECT:
        told += changed_things(claim, nearest.source, others, only_names=not is_unlikely)
    nowhere = absent(claim.text, " ".join(f"{one.text} {one.subject}" for one in evidence))
    kinds = frozenset() if nearest.said.missing else _EXCHANGED
    if is_unlikely:
        kinds = _LIKELY_KINDS if nearest.covered >= _SAME_SENTENCE else _SURE_KINDS
    told += [
        one.text
        for one in nearest.hard
        if one.kind in kinds or (is_unlikely and any(f"“{each}" in one.text for each in nowhere))
    ]
    if not told:
        return ruled
    reasons = tuple(dict.fromkeys(told))[:_REASONS]
    return Judgement(verdict=Verdict.PARTIAL, basis=None, best=nearest.best, reasons=reasons)


def _compared(readings: Sequence[_ReadSentence], found: Judgement) -> Judgement:
    """An open verdict, with a note where the model reads the nearest sentence as support."""
    read = max(
        (one.said for one in readings if one.best == found.best),
        key=lambda one: one.support,
        default=None,
    )
    if found.verdict is not Verdict.NOT_ESTABLISHED or read is None:
        return found
    if read.support < max(_LEANING, read.contradict):
        return found
    return _leaning(found, read.support)


def _leaning(found: Judgement, support: float) -> Judgement:
    reasons = (LEANS_TO_SUPPORT, *found.reasons)
    return found.model_copy(update={"reasons": reasons, "leaning": support})
