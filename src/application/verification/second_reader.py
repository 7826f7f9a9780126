"""What a second reader adds to the bundled model: two that agree support a claim that neither
rules nor one of them may support, unless something certainly differs."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from citeloom.application.ports.verification import EntailmentModel, Judge
from citeloom.domain.verification.claims.contradictions import absent
from citeloom.domain.verification.claims.faithfulness import DeviationKind, vetoes
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.claims.parsed_sentence import (
    coverage,
    is_in_order,
    parse_claim,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.quantities.numerals import NUMERALS
from citeloom.domain.verification.quantities.quantity import unstated
from citeloom.domain.verification.verdict import Basis, Verdict

# To be raised with the conditions below.
_SECOND: Final = 1
# Least support of the first reader, and of the second one.
_FIRST, _OTHER = 0.9, 0.2
# Share of the claim's words from which it repeats a sentence.
_REPEATED: Final = 0.7
# What no other wording explains; in a claim that has nearly all words of its sentence in their
# order also a hedge, restriction or quantifier more or less. Of others the model judges.
_PROVABLE: Final = frozenset(
    map(DeviationKind, "number direction polarity replaced order cause".split())
)
#: Of these two readers that agree know more.
READ_BY_TWO: Final = frozenset(map(DeviationKind, "direction polarity cause".split()))
_PROVABLE_IF_VERBATIM: Final = frozenset(map(DeviationKind, "reservation addition".split()))
_VERBATIM: Final = 0.95


class SecondReaderJudge:
    """Verdicts of ``first`` hold if they establish something; a claim that it leaves open and reads
    as support is supported if ``model`` reads it so, too."""

    def __init__(self, first: Judge, model: EntailmentModel) -> None:
        self.sentences = first.sentences
        self._first = first
        self._model = model

    @property
    def fingerprint(self) -> str:
        return f"{self._first.fingerprint}, second-{_SECOND} {self._model.fingerprint[:16]}"

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        found = self._first.judge(claim, evidence)
        if found.best is None or found.leaning < _FIRST:
            return found
        text, before = evidence[found.best].text, _before(evidence, found.best)
        texts = [text, f"{before} {text}"] if before else [text]
        support = max(one.support for one in self._model.read(claim, texts))
        if support < _OTHER or veto_of(claim, evidence, [found.best], found.best, READ_BY_TWO):
            return found
        reasons = ("Both judge models read this as support.",)
        return Judgement(
            verdict=Verdict.SUPPORTED, basis=Basis.JUDGED, best=found.best, reasons=reasons
        )


def _before(evidence: Sequence[SourceSentence], n: int) -> str:
    """The sentence of the source before one, if it is there."""
    place = (evidence[n].place or 0) - 1
    return next((one.text for one in evidence if one.place == place), "")


def veto_of(
    claim: str,
    evidence: Sequence[SourceSentence],
    sent: Sequence[int],
    best: int,
    left: AbstractSet[DeviationKind],
) -> str | None:
    """What forbids support, if it is not ``left`` to the model: a number or a name that neither the
    sentences nor the title have; for a claim that nearly repeats its sentence, any certain
    difference, but not a name in a sentence that names nothing else. Number words are left to the
    model: *one* is a pronoun, *two groups* may be listed in the source."""
    parsed, source = parse_claim(claim), parse_sentence(evidence[best].text)
    known = " ".join([evidence[best].subject, *(evidence[n].text for n in sent)])
    if nowhere := [one for one in absent(parsed.text, known) if one.casefold() not in NUMERALS]:
        return f"no sentence states “{nowhere[0]}”."
    stated = unstated(parsed.quantities, parse_sentence(known).quantities)
    if figures := [one.text for one in stated if any(map(str.isdigit, one.text))]:
        return f"no sentence states “{figures[0]}”."
    if (covered := coverage(parsed, stems_of(source))) < _REPEATED:
        return None
    found = vetoes(parsed, source, stems_of(parse_sentence(evidence[best].subject)))
    names_another = {one.stem for one in source.terms if one.is_name} - stems_of(parsed)
    provable = _PROVABLE | ({DeviationKind.WORD} if names_another else set())
    if covered >= _VERBATIM and is_in_order(parsed, source):
        provable, left = provable | _PROVABLE_IF_VERBATIM, frozenset()
    hard = [one for one in found if one.kind in provable - left]
    return hard[0].text if hard else None
