"""Quotation marks of a draft, held against the text that they claim to repeat."""

from citeloom.domain.text.letter_positions import count_letters
from citeloom.domain.verification.claims.quotations import QuoteMatch, quoted_passages
from citeloom.domain.verification.drafts.findings import QuoteDifference

# Fewer words are often a term that is set off, not taken from somewhere.
_WORDS, _LETTERS = 3, 12


def quotations(claim: str) -> list[str]:
    """What stands in quotation marks and is long enough to be taken from somewhere."""
    found = (one.text.strip() for one in quoted_passages(claim))
    return [q for q in found if len(q.split()) >= _WORDS and count_letters(q) >= _LETTERS]


def difference(quote: str, found: QuoteMatch, source_text: str) -> QuoteDifference:
    """What the source says instead, at the place that is most like the quotation."""
    if not found.end:
        return QuoteDifference(quote=quote)
    told = "; ".join(
        f"quoted “{one.quoted}” for “{one.stated}”"
        if one.quoted and one.stated
        else f"put in “{one.quoted}”"
        if one.quoted
        else f"left out “{one.stated}”"
        for one in found.differences
    )
    closest = " ".join(source_text[found.start : found.end].split())
    return QuoteDifference(quote=quote, closest=closest, difference=told or None)
