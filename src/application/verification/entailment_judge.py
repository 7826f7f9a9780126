"""Judge of claims by an entailment model where rules cannot tell.

The model decides on wording alone: it supports a claim whose numbers, names, directions, hedges and
restrictions stand in the sentence by the rules, and contradicts one of which the rules find a
direction or negation otherwise.
"""

from collections.abc import Sequence
from typing import Final

from citeloom.application.ports.verification import EntailmentModel, Judge
from citeloom.domain.verification.claims.faithfulness import DeviationKind, deviations
from citeloom.domain.verification.claims.function_words import attribution_words, denies_necessity
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.claims.parsed_sentence import (
    ParsedSentence,
    coverage,
    parse_claim,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.verdict import Basis, Verdict

# To be raised with the thresholds and the conditions below.
_VERSION: Final = 2
_UNDECIDED: Final = frozenset({Verdict.NOT_ESTABLISHED, Verdict.UNSUPPORTED})
# Sentences that are read: the most relevant ones.
_READ: Final = 4
# From here on, with the conditions below, the bundled model's support was right in 15 of 16 cases
# of SciFact (folds), HealthVer and Citation-Integrity, its contradictions in 11 of 14, and 2 of
# their 1,094 true claims were called contradicted (tools/training/claims/README.md).
_SURE: Final = 0.8
# A probability for the contrary, of any sentence read, that forbids a verdict.
_DOUBT: Final = 0.5
# Least weighted share of the claim's content words in the deciding sentence.
_COVERED: Final = 0.5
_WORDING: Final = frozenset({DeviationKind.WORD, DeviationKind.ORDER, DeviationKind.OCCASION})


class EntailmentJudge:
    """Verdicts of ``rules`` stand where they establish something; else ``model`` decides, where it
    is sure. No confidence is given: it is calibrated for no field but that of its training."""

    def __init__(self, rules: Judge, model: EntailmentModel) -> None:
        self._rules = rules
        self._model = model

    @property
    def fingerprint(self) -> str:
        return f"{self._rules.fingerprint}, entailment-{_VERSION} {self._model.fingerprint[:16]}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        ruled = self._rules.judge(claim, evidence)
        if ruled.verdict not in _UNDECIDED or not evidence:
            return ruled
        parsed = parse_claim(claim)
        chosen = list(range(len(evidence)))[:_READ]
        if ruled.best is not None and ruled.best not in chosen:
            chosen.append(ruled.best)
        read = self._model.read(parsed.text, [evidence[n].text for n in chosen])
        readings = dict(zip(chosen, read, strict=True))
        sources = {n: parse_sentence(evidence[n].text) for n in chosen}
        covered = {n for n in chosen if coverage(parsed, stems_of(sources[n])) >= _COVERED}
        supporting = [
            n
            for n in covered
            if readings[n].support >= _SURE and _differs_in_wording(parsed, sources[n])
        ]
        if supporting and max(one.contradict for one in readings.values()) < _DOUBT:
            best = max(supporting, key=lambda n: readings[n].support)
            return _judged(Verdict.SUPPORTED, best, readings[best].support)
        opposing = [
            n
            for n in covered
            if readings[n].contradict >= _SURE
            and _differs_in_polarity(parsed, sources[n])
            and not denies_necessity(parsed.text)
            and _asserts(sources[n], parsed)
        ]
        if opposing and max(one.support for one in readings.values()) < _DOUBT:
            best = max(opposing, key=lambda n: readings[n].contradict)
            return _judged(Verdict.CONTRADICTED, best, readings[best].contradict)
        return ruled


def _differs_in_wording(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether ``source`` has everything of the claim but some words that are no names."""
    known = stems_of(source)
    if any(term.is_name and term.stem not in known for term in claim.terms):
        return False
    return all(one.kind in _WORDING for one in deviations(claim, source))


def _differs_in_polarity(claim: ParsedSentence, source: ParsedSentence) -> bool:
    return any(one.kind is DeviationKind.POLARITY for one in deviations(claim, source))


def _asserts(source: ParsedSentence, claim: ParsedSentence) -> bool:
    """Whether ``source`` says something itself: not what is asked, aimed at or said by others."""
    return attribution_words(source.text).keys() <= attribution_words(claim.text).keys()


def _judged(verdict: Verdict, best: int, probability: float) -> Judgement:
    said = "bears the claim out" if verdict is Verdict.SUPPORTED else "says otherwise"
    reason = f"By the judge model's reading the sentence {said} ({probability:.2f} of 1)."
    return Judgement(verdict=verdict, basis=Basis.JUDGED, best=best, reasons=(reason,))
