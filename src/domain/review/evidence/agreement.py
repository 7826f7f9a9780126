"""Which quotations speak of the same matter, and whether they agree on it."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from citeloom.domain.review.report.model import Stance
from citeloom.domain.verification.claims.features import Read, coverage, read, stems_of
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence

#: How close one text is to others, 0..1 each: the cosines of their vectors.
Closeness = Callable[[str, Sequence[str]], Sequence[float]]
Judges = Callable[[str, Sequence[SourceSentence]], Judgement]

# To speak of the same: so close, and of the content words of one (names count twice) so many in
# the other; a short quotation has less of a long one than the other way round.
_CLOSE: Final = 0.65
_SHARED, _SHARED_BACK = 0.5, 0.25
# To agree or to be at odds they have to be nearer. A contradiction has to be judged so from both
# sides: the judge alone is right with two in three of those that it tells.
_CLOSE_STANCE: Final = 0.7
_SHARED_STANCE: Final = 0.4
_SURE: Final = 0.6


class AttributedQuote(NamedTuple):
    """A quotation and whose it is."""

    text: str
    document_id: str


class Member(NamedTuple):
    """A quotation by its place in the list; ``stance`` is to the first of its group, None where
    it only speaks of the same matter."""

    place: int
    stance: Stance | None = None


def grouped(
    quotes: Sequence[AttributedQuote], closeness: Closeness, judge: Judges
) -> tuple[tuple[Member, ...], ...]:
    """The quotations in groups, each led by the first of it (the order is that of relevance).

    A quotation of another document joins the group whose leading one it speaks of the same
    matter with; else it leads its own."""
    if not quotes:
        return ()
    read_ = [read(one.text) for one in quotes]
    groups: list[list[Member]] = []
    for place, quote in enumerate(quotes):
        leads = [group[0].place for group in groups]
        near = closeness(quote.text, [quotes[lead].text for lead in leads]) if leads else ()
        best: tuple[float, list[Member], int] | None = None
        for group, lead, close in zip(groups, leads, near, strict=True):
            if quotes[lead].document_id == quote.document_id or close < _CLOSE:
                continue
            shares = _shares(read_[lead], read_[place])
            if max(shares) < _SHARED or min(shares) < _SHARED_BACK:
                continue
            if best is None or close > best[0]:
                best = (close, group, lead)
        if best is None:
            groups.append([Member(place)])
            continue
        close, group, lead = best
        near_enough = min(_shares(read_[lead], read_[place])) >= _SHARED_STANCE
        stance = None
        if near_enough and close >= _CLOSE_STANCE:
            stance = _stance(quotes[lead].text, quote.text, close, judge)
        group.append(Member(place, stance))
    return tuple(tuple(group) for group in groups)


def _stance(one: str, two: str, close: float, judge: Judges) -> Stance | None:
    both = [judge(one, [SourceSentence(two, close)]), judge(two, [SourceSentence(one, close)])]
    if any(judged.confidence < _SURE for judged in both):
        return None
    verdicts = {judged.verdict for judged in both}
    if verdicts == {"CONTRADICTED"}:
        return Stance.DISAGREES if _said(both) else None
    return Stance.AGREES if verdicts == {"SUPPORTED"} else None


def _shares(one: Read, other: Read) -> tuple[float, float]:
    """How much of either the other has."""
    return coverage(one, stems_of(other)), coverage(other, stems_of(one))


def _said(both: Sequence[Judgement]) -> bool:
    """Whether there is something that a reader can see: other numbers, opposite words, a denial."""
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
