"""Grouping of quotations on the same matter, and their stance (agreement, disagreement)."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from citeloom.domain.review.report.model import Stance
from citeloom.domain.verification.claims.features import (
    ParsedSentence,
    coverage,
    parse_sentence,
    stems_of,
)
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.verdict import Verdict

#: Cosines of one text to others, 0..1.
Closeness = Callable[[str, Sequence[str]], Sequence[float]]
Judge = Callable[[str, Sequence[SourceSentence]], Judgement]

# Same matter: minimum cosine, and minimum coverage of content words (names count twice) in one
# direction and the other; a short quotation covers less of a long one.
_MIN_CLOSENESS: Final = 0.65
_MIN_COVERAGE, _MIN_COVERAGE_BACK = 0.5, 0.25
# A stance needs more. A contradiction must be judged so in both directions: in one direction the
# judge's precision is two in three.
_MIN_CLOSENESS_STANCE: Final = 0.7
_MIN_COVERAGE_STANCE: Final = 0.4
_MIN_CONFIDENCE: Final = 0.6


class AttributedQuote(NamedTuple):
    """A quotation and its document."""

    text: str
    document_id: str


class GroupMember(NamedTuple):
    """A quotation by its index in the list; ``stance`` is to the first of its group, None where
    it is only on the same matter."""

    place: int
    stance: Stance | None = None


def group_quotes(
    quotes: Sequence[AttributedQuote], closeness: Closeness, judge: Judge
) -> tuple[tuple[GroupMember, ...], ...]:
    """The quotations in groups; the first of a group leads it.

    A quotation joins the closest group whose leader is of another document and on the same
    matter; else it leads its own."""
    if not quotes:
        return ()
    parsed = [parse_sentence(one.text) for one in quotes]
    groups: list[list[GroupMember]] = []
    for place, quote in enumerate(quotes):
        leads = [group[0].place for group in groups]
        closenesses = closeness(quote.text, [quotes[lead].text for lead in leads]) if leads else ()
        best: tuple[float, list[GroupMember], int] | None = None
        for group, lead, close in zip(groups, leads, closenesses, strict=True):
            if quotes[lead].document_id == quote.document_id or close < _MIN_CLOSENESS:
                continue
            coverages = _mutual_coverage(parsed[lead], parsed[place])
            if max(coverages) < _MIN_COVERAGE or min(coverages) < _MIN_COVERAGE_BACK:
                continue
            if best is None or close > best[0]:
                best = (close, group, lead)
        if best is None:
            groups.append([GroupMember(place)])
            continue
        close, group, lead = best
        covers_enough = min(_mutual_coverage(parsed[lead], parsed[place])) >= _MIN_COVERAGE_STANCE
        stance = None
        if covers_enough and close >= _MIN_CLOSENESS_STANCE:
            stance = _stance(quotes[lead].text, quote.text, close, judge)
        group.append(GroupMember(place, stance))
    return tuple(tuple(group) for group in groups)


def _stance(one: str, two: str, close: float, judge: Judge) -> Stance | None:
    both = [judge(one, [SourceSentence(two, close)]), judge(two, [SourceSentence(one, close)])]
    if any(judged.confidence < _MIN_CONFIDENCE for judged in both):
        return None
    verdicts = {judged.verdict for judged in both}
    if verdicts == {Verdict.CONTRADICTED}:
        return Stance.DISAGREES if _is_visible(both) else None
    return Stance.AGREES if verdicts == {Verdict.SUPPORTED} else None


def _mutual_coverage(one: ParsedSentence, other: ParsedSentence) -> tuple[float, float]:
    """Coverage of each by the other."""
    return coverage(one, stems_of(other)), coverage(other, stems_of(one))


def _is_visible(both: Sequence[Judgement]) -> bool:
    """Whether a reader can see the conflict: other numbers, opposite words, a negation."""
    return any(
        judged.features is not None
        and (
            judged.features.conflict
            or judged.features.opposed > 0
            or judged.features.denied > 0
            or judged.features.swapped
        )
        for judged in both
    )
