"""Which of the quotes that were found are kept, and why the others are not."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.search.similarity import Shingles, are_near_duplicates, shingles
from citeloom.domain.verification.claims.evidence_spans import MOST
from citeloom.domain.verification.claims.features import Read, read
from citeloom.domain.verification.claims.quantity import missing

# What each quote of a document takes from the next one's relevance, so that several sources are
# heard before one is heard again.
_AGAIN: Final = 0.06
# Far less relevant than the best of the step is not relevant; a document that was not heard yet
# may say it in other words, or otherwise.
_OF_BEST: Final = 0.55
_OF_BEST_UNHEARD: Final = 0.45


class QuoteCandidate(NamedTuple):
    """A quote at ``start:end`` of its document; ``relevance`` is 0..1."""

    document_id: str
    start: int
    end: int
    text: str
    relevance: float


class Chosen(NamedTuple):
    """``quotes`` in the order of their relevance; ``reasons`` are by the documents of which
    nothing was kept."""

    quotes: tuple[QuoteCandidate, ...]
    reasons: Mapping[str, str]


def choose(found: Sequence[QuoteCandidate], held: Sequence[QuoteCandidate], most: int) -> Chosen:
    """At most ``most`` of ``found`` (the most relevant first) that say something besides what is
    ``held``, from several documents rather than one, MOST of a document at most, ``held`` ones
    counted."""
    left = [(one, shingles(one.text)) for one in found]
    kept = [(one, shingles(one.text)) for one in held]
    of_document = Counter(one.document_id for one in held)
    here: Counter[str] = Counter()
    top = max((one.relevance for one in found), default=0.0)
    reasons: dict[str, str] = {}
    chosen: list[QuoteCandidate] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda pair: pair[0].relevance - _AGAIN * here[pair[0].document_id])
        left.remove(best)
        one, runs = best
        share = _OF_BEST if of_document[one.document_id] else _OF_BEST_UNHEARD
        reason = _against(one, runs, kept, of_document[one.document_id], share * top)
        if reason is not None:
            reasons.setdefault(one.document_id, reason)
            continue
        chosen.append(one)
        kept.append(best)
        of_document[one.document_id] += 1
        here[one.document_id] += 1
    for one, _ in left:
        reasons.setdefault(one.document_id, "other documents say more on it")
    quoted = {one.document_id for one in chosen}
    chosen.sort(key=lambda one: (-one.relevance, one.document_id, one.start))
    return Chosen(tuple(chosen), {k: v for k, v in reasons.items() if k not in quoted})


def _against(
    one: QuoteCandidate,
    runs: Shingles,
    kept: Sequence[tuple[QuoteCandidate, Shingles]],
    count: int,
    least: float,
) -> str | None:
    """Why a quote is not kept."""
    if one.relevance < least:
        return "what it says is far less to the point than what others say"
    if count >= MOST:
        return f"{MOST} quotations of it are kept already"
    for other, others_runs in kept:
        overlap = other.start < one.end and one.start < other.end
        if other.document_id == one.document_id and overlap:
            return "what it says on it is quoted already"
        if are_near_duplicates(runs, others_runs) and _says_the_same(one.text, other.text):
            return "another document says the same in the same words"
    return None


def _says_the_same(one: str, other: str) -> bool:
    """Whether texts in nearly the same words do: one that denies, states other numbers or names
    another direction does not."""
    mine, theirs = read(one), read(other)
    return (
        len(mine.negations) == len(theirs.negations)
        and not missing(mine.quantities, theirs.quantities)
        and not missing(theirs.quantities, mine.quantities)
        and _directions(mine) == _directions(theirs)
    )


def _directions(sentence: Read) -> list[tuple[str, int]]:
    return sorted((one.axis, one.sign) for one in sentence.directions)
