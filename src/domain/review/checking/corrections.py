"""What becomes of a sentence that a language model wrote, once its claims are checked."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from citeloom.domain.research.session import ClaimVerdict, Correction

#: How sure a judge is at least of what is kept, and how well a passage fits at least that is
#: cited instead; that is cited besides or quoted. ``LAMBDA`` is the weight of words against
#: meaning in how well it fits. Numbers of the deep-research model.
THRESHOLD: Final = 0.6
ALTERNATE: Final = 0.48
LAMBDA: Final = 0.8


class Support(NamedTuple):
    """How one span stands to one claim. ``match`` is how well it fits, 0..1; ``departures``
    what the claim says and the span does not; ``reasons`` are the judge's."""

    span: UUID
    cited: bool
    verdict: ClaimVerdict
    confidence: float
    match: float
    departures: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    near: bool = True

    @property
    def bears(self) -> bool:
        """Whether the span bears the claim out, by the judge and to the word."""
        return (
            self.verdict is ClaimVerdict.SUPPORTED
            and self.confidence >= THRESHOLD
            and self.match >= ALTERNATE
            and not self.departures
        )


class Decision(NamedTuple):
    """``spans`` are what the sentence is to cite, ``alternates`` bear it out too. Where it is
    softened, ``quote`` is the span that is quoted in its place. ``verdict`` is that on the
    sentence as it was written, with the citations that it is to have."""

    correction: Correction
    verdict: ClaimVerdict
    confidence: float
    spans: tuple[UUID, ...] = ()
    alternates: tuple[UUID, ...] = ()
    quote: UUID | None = None
    reasons: tuple[str, ...] = ()


def fits(coverage: float, closeness: float) -> float:
    """How well a span fits a claim: the share of its words, and the cosine of the vectors."""
    return LAMBDA * coverage + (1 - LAMBDA) * min(1.0, max(0.0, closeness))


def decide(
    cited: Sequence[UUID], claims: Sequence[Sequence[Support]], against: Sequence[str] = ()
) -> Decision:
    """``claims`` has, for each claim of the sentence, how spans stand to it. ``against`` says
    what forbids to keep the sentence as it is, whatever bears it out.

    All claims borne out by what it cites: kept, without the citations that bear out nothing.
    By other spans too: these are cited as well, or instead. Otherwise the best span is quoted
    in its place, and where none fits, the sentence is removed.
    """
    if claims and not against and all(any(one.bears for one in rows) for rows in claims):
        return _kept(cited, claims)
    verdict, confidence = _judged(claims)
    reasons = (*against, *_why(claims))
    quote = _quotable(claims)
    if quote is None:
        return Decision(Correction.REMOVE, verdict, confidence, reasons=reasons)
    return Decision(
        Correction.SOFTEN, verdict, confidence, (quote.span,), quote=quote.span, reasons=reasons
    )


def _kept(cited: Sequence[UUID], claims: Sequence[Sequence[Support]]) -> Decision:
    bearing = [sorted(filter(_bears, rows), key=_rank) for rows in claims]
    own = {one.span for rows in bearing for one in rows if one.cited}
    spans = [span for span in dict.fromkeys(cited) if span in own]
    added = [rows[0] for rows in bearing if not rows[0].cited]
    # What is cited instead of everything has to fit better than what is cited besides.
    if added and not spans and any(one.match < THRESHOLD for one in added):
        return decide(cited, claims, ("No passage that fits well enough bears it out.",))
    whole = [*spans, *dict.fromkeys(one.span for one in added if one.span not in spans)]
    if added and spans:
        correction = Correction.ADD_ALTERNATE
    elif spans == list(dict.fromkeys(cited)) and not added:
        correction = Correction.KEEP
    else:
        correction = Correction.REPLACE
    everywhere = set.intersection(*({one.span for one in rows} for rows in bearing))
    alternates = dict.fromkeys(one.span for one in bearing[0] if one.span in everywhere)
    deciding = [max(one.confidence for one in rows if one.span in whole) for rows in bearing]
    return Decision(
        correction,
        ClaimVerdict.SUPPORTED,
        min(deciding),
        tuple(whole),
        tuple(span for span in alternates if span not in whole),
        reasons=tuple(dict.fromkeys(rows[0].reasons[0] for rows in bearing if rows[0].reasons)),
    )


def _bears(one: Support) -> bool:
    return one.bears


def _rank(one: Support) -> tuple[bool, float]:
    return not one.cited, -one.match


def _judged(claims: Sequence[Sequence[Support]]) -> tuple[ClaimVerdict, float]:
    """The worst of the claims, each by the cited span that does most for it. Here no sentence is
    borne out whole: one whose claims all are has something against it."""
    found = []
    for rows in claims:
        own = [one for one in rows if one.cited] or rows
        found.append(max((_strict(one) for one in own), key=_worth, default=_NOTHING))
    verdicts = {verdict for verdict, _ in found}
    sure = min((confidence for _, confidence in found), default=1.0)
    if ClaimVerdict.CONTRADICTED in verdicts:
        return ClaimVerdict.CONTRADICTED, sure
    if not verdicts or verdicts == {ClaimVerdict.UNSUPPORTED}:
        return ClaimVerdict.UNSUPPORTED, sure
    return ClaimVerdict.PARTIAL, sure


_NOTHING: Final = (ClaimVerdict.UNSUPPORTED, 1.0)
_WORTH: Final = (
    ClaimVerdict.UNSUPPORTED,
    ClaimVerdict.CONTRADICTED,
    ClaimVerdict.PARTIAL,
    ClaimVerdict.SUPPORTED,
)


def _strict(one: Support) -> tuple[ClaimVerdict, float]:
    if one.verdict is ClaimVerdict.SUPPORTED and not one.bears:
        return ClaimVerdict.PARTIAL, one.confidence
    return one.verdict, one.confidence


def _worth(judged: tuple[ClaimVerdict, float]) -> tuple[int, float]:
    return _WORTH.index(judged[0]), judged[1]


def _why(claims: Sequence[Sequence[Support]]) -> tuple[str, ...]:
    """Of each claim that nothing bears out, what the nearest span lacks."""
    found: dict[str, None] = {}
    for rows in claims:
        if rows and not any(one.bears for one in rows):
            nearest = min(rows, key=_rank)
            found.update(dict.fromkeys(nearest.departures or nearest.reasons))
        elif not rows:
            found["No passage speaks of it."] = None
    return tuple(found)


def _quotable(claims: Sequence[Sequence[Support]]) -> Support | None:
    """What the sentence cites is quoted rather than something else, which has to fit better
    and to belong there."""
    rows = [one for claim in claims for one in claim if one.cited or one.near]
    fit = [one for one in rows if one.match >= (ALTERNATE if one.cited else THRESHOLD)]
    return min(fit, key=_rank, default=None)
