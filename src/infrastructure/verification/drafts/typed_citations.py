"""Typed citations of a draft: authors and year, and numbers of its reference list."""

from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.named_work import labelled
from citeloom.domain.verification.drafts.author_year import find_author_year
from citeloom.domain.verification.drafts.draft import PLACEHOLDER
from citeloom.domain.verification.drafts.numbered_citations import find_numbered
from citeloom.infrastructure.verification.drafts.mask import Mask


def cite_typed(mask: Mask) -> None:
    """Add them to a mask that has the other citations, its literals and its bibliography."""
    entries = works_in_text(mask.bibliography)
    chars = list(mask.prose)
    for start, end in mask.literals:
        if (start, end) not in mask.superscripts:
            chars[start:end] = PLACEHOLDER * (end - start)
    prose = "".join(chars)
    found = [
        *find_author_year(prose, entries),
        *find_numbered(prose, labelled(entries), mask.superscripts),
    ]
    taken = bytearray(len(prose))
    for citation, works in found:
        if not any(taken[citation.start : citation.end]):
            mask.cite(citation)
            mask.works = works | mask.works  # a field tells more
            taken[citation.start : citation.end] = b"\1" * (citation.end - citation.start)
