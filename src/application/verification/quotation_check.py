"""Quotations in claims, and their differences from the source."""

from citeloom.domain.text.normalized_text import count_letters
from citeloom.domain.verification.claims.quotations import QuoteMatch, quoted_passages
from citeloom.domain.verification.drafts.findings import QuoteDifference

# Shorter text in quotation marks is often a term, not a quotation; a single word nearly always.
_WORDS, _LETTERS = 3, 12
_SHORTEST = 2


def quotations(claim: str) -> list[str]:
    """The texts in quotation marks that are long enough to be quotations."""
    return [q for q in _quoted(claim) if len(q.split()) >= _WORDS and count_letters(q) >= _LETTERS]


def short_quotations(claim: str) -> list[str]:
    """The other texts of two words or more in quotation marks, which may be quotations."""
    long = quotations(claim)
    return [q for q in _quoted(claim) if len(q.split()) >= _SHORTEST and q not in long]


def difference(quote: str, closest_match: QuoteMatch, source_text: str) -> QuoteDifference:
    """The difference between a quotation and the most similar text of the source."""
    if not closest_match.end:
        return QuoteDifference(quote=quote)
    differences = "; ".join(
        f"quoted “{one.quoted}” for “{one.stated}”"
        if one.quoted and one.stated
        else f"put in “{one.quoted}”"
        if one.quoted
        else f"left out “{one.stated}”"
        for one in closest_match.differences
    )
    closest = " ".join(source_text[closest_match.start : closest_match.end].split())
    return QuoteDifference(quote=quote, closest=closest, difference=differences or None)


def _quoted(claim: str) -> list[str]:
    return [one.text.strip() for one in quoted_passages(claim)]
