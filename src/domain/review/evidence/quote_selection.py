"""Selection of quotes: relevance, novelty and diversity of documents, with rejection reasons."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from citeloom.domain.review.evidence.evidence_spans import MAX_SPANS
from citeloom.domain.search.similarity import Shingles, are_near_duplicates, shingles
from citeloom.domain.verification.claims.parsed_sentence import ParsedSentence, parse_sentence
from citeloom.domain.verification.quantities.quantity import missing_quantities

# Minimum relevance of any quote.
_MIN_RELEVANCE: Final = 0.45
# Penalty on relevance for each quote already selected from the same document.
_REPEAT_PENALTY: Final = 0.06
# Minimum relevance as a share of the step's best; lower for a document not quoted yet, which may
# say it in other words, or disagree.
_MIN_SHARE_OF_BEST: Final = 0.72
_MIN_SHARE_OF_BEST_NEW: Final = 0.6


class QuoteCandidate(NamedTuple):
    """A quote at ``start:end`` of its document; ``relevance`` is 0..1."""

    document_id: str
    start: int
    end: int
    text: str
    relevance: float


class QuoteSelection(NamedTuple):
    """``quotes`` by descending relevance; ``reasons`` by id of documents without a selected
    quote."""

    quotes: tuple[QuoteCandidate, ...]
    reasons: Mapping[str, str]


def select_quotes(
    candidates: Sequence[QuoteCandidate], previous: Sequence[QuoteCandidate], limit: int
) -> QuoteSelection:
    """At most ``limit`` of ``candidates`` (most relevant first) that add to the ``previous``
    quotes, spread over documents; at most MOST of a document, previous ones included."""
    remaining = [(quote, shingles(quote.text)) for quote in candidates]
    kept = [(quote, shingles(quote.text)) for quote in previous]
    of_document = Counter(quote.document_id for quote in previous)
    selected_of_document: Counter[str] = Counter()
    top = max((quote.relevance for quote in candidates), default=0.0)
    reasons: dict[str, str] = {}
    selected: list[QuoteCandidate] = []
    while remaining and len(selected) < limit:
        best = max(
            remaining,
            key=lambda pair: (
                pair[0].relevance - _REPEAT_PENALTY * selected_of_document[pair[0].document_id]
            ),
        )
        remaining.remove(best)
        quote, quote_shingles = best
        share = _MIN_SHARE_OF_BEST if of_document[quote.document_id] else _MIN_SHARE_OF_BEST_NEW
        reason = _rejection(
            quote,
            quote_shingles,
            kept,
            of_document[quote.document_id],
            max(_MIN_RELEVANCE, share * top),
        )
        if reason is not None:
            reasons.setdefault(quote.document_id, reason)
            continue
        selected.append(quote)
        kept.append(best)
        of_document[quote.document_id] += 1
        selected_of_document[quote.document_id] += 1
    for quote, _ in remaining:
        reasons.setdefault(quote.document_id, "other documents say more on it")
    quoted = {quote.document_id for quote in selected}
    selected.sort(key=lambda quote: (-quote.relevance, quote.document_id, quote.start))
    return QuoteSelection(tuple(selected), {k: v for k, v in reasons.items() if k not in quoted})


def _rejection(
    quote: QuoteCandidate,
    quote_shingles: Shingles,
    kept: Sequence[tuple[QuoteCandidate, Shingles]],
    count: int,
    min_relevance: float,
) -> str | None:
    """The reason to reject a quote; None to select it."""
    if quote.relevance < min_relevance:
        return "what it says is too little to the point"
    if count >= MAX_SPANS:
        return f"{MAX_SPANS} quotations of it are kept already"
    for other, other_shingles in kept:
        overlap = other.start < quote.end and quote.start < other.end
        if other.document_id == quote.document_id and overlap:
            return "what it says on it is quoted already"
        if are_near_duplicates(quote_shingles, other_shingles) and _same_statement(
            quote.text, other.text
        ):
            return "another document says the same in the same words"
    return None


def _same_statement(one: str, other: str) -> bool:
    """Whether near-duplicates make the same statement: equal negations, quantities and
    directions."""
    mine, theirs = parse_sentence(one), parse_sentence(other)
    return (
        len(mine.negations) == len(theirs.negations)
        and not missing_quantities(mine.quantities, theirs.quantities)
        and not missing_quantities(theirs.quantities, mine.quantities)
        and _directions(mine) == _directions(theirs)
    )


def _directions(sentence: ParsedSentence) -> list[tuple[str, int]]:
    return sorted((one.axis, one.sign) for one in sentence.directions)
