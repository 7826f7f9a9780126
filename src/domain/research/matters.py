"""Which quotations speak of the same matter, and whether they agree on it."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from citeloom.domain.claims.comparing import Read, coverage, read, stems_of
from citeloom.domain.claims.judging import Evidence, Judgement
from citeloom.domain.research.report import Stance

#: How close one text is to others, 0..1 each: the cosines of their vectors.
Closeness = Callable[[str, Sequence[str]], Sequence[float]]
Judges = Callable[[str, Sequence[Evidence]], Judgement]

# Of the content words of the one (names twice) that the other has, so that they speak of the same.
_SHARED: Final = 0.35
_CLOSE: Final = 0.6
# To be called at odds they have to be nearer, and judged so from both sides: the judge alone is
# right with two in three of the contradictions that it tells.
_SHARED_AT_ODDS: Final = 0.5
_CLOSE_AT_ODDS: Final = 0.65
_SURE: Final = 0.5


class Quoted(NamedTuple):
    """A quotation and whose it is."""

    text: str
    document_id: str


class Member(NamedTuple):
    """A quotation by its place in the list; ``stance`` is to the first of its group."""

    place: int
    stance: Stance | None = None


def grouped(
    quotes: Sequence[Quoted], closeness: Closeness, judge: Judges
) -> tuple[tuple[Member, ...], ...]:
    """The quotations in groups, each led by the first of it (the order is that of relevance).

    A quotation of another document joins the group whose leading one it speaks of the same
    matter with, if it bears it out or is at odds with it; else it leads its own."""
    if not quotes:
        return ()
    read_ = [read(one.text) for one in quotes]
    groups: list[list[Member]] = []
    for place, quote in enumerate(quotes):
        leads = [group[0].place for group in groups]
        near = closeness(quote.text, [quotes[lead].text for lead in leads]) if leads else ()
        best = None
        for group, lead, close in zip(groups, leads, near, strict=True):
            if quotes[lead].document_id == quote.document_id:
                continue
            stance = _stance(quotes, read_, lead, place, close, judge)
            if stance is not None and (best is None or close > best[0]):
                best = (close, group, stance)
        if best is None:
            groups.append([Member(place)])
        else:
            best[1].append(Member(place, best[2]))
    return tuple(tuple(group) for group in groups)


def _stance(
    quotes: Sequence[Quoted],
    read_: Sequence[Read],
    lead: int,
    other: int,
    close: float,
    judge: Judges,
) -> Stance | None:
    shared = _common(read_[lead], read_[other])
    if shared < _SHARED or close < _CLOSE:
        return None
    one, two = quotes[lead].text, quotes[other].text
    both = [judge(one, [Evidence(two, close)]), judge(two, [Evidence(one, close)])]
    verdicts = {judged.verdict for judged in both}
    sure = all(judged.confidence >= _SURE for judged in both)
    if verdicts == {"CONTRADICTED"}:
        if sure and shared >= _SHARED_AT_ODDS and close >= _CLOSE_AT_ODDS and _said(both):
            return Stance.DISAGREES
        return None
    return Stance.AGREES if "CONTRADICTED" not in verdicts and "SUPPORTED" in verdicts else None


def _common(one: Read, other: Read) -> float:
    """The larger of the two shares: a short quotation may say what a long one says among more."""
    return max(coverage(one, stems_of(other)), coverage(other, stems_of(one)))


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
