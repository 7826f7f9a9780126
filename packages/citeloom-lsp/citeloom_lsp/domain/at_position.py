"""What stands at an offset of a draft: the citation, and the sentence."""

from typing import NamedTuple

from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.verification.drafts.claim_extraction import Claim, extract_claims
from citeloom.domain.verification.drafts.draft import CitedItem, Draft, InTextCitation


class CitedAt(NamedTuple):
    """A cited work at an offset, its citation, and the claim that it is cited for (None where
    it stands alone)."""

    item: CitedItem
    citation: InTextCitation
    claim: Claim | None


class SentenceAt(NamedTuple):
    """``text`` is the plain sentence ``start`` to ``end`` of a draft."""

    text: str
    start: int
    end: int


def cited_at(draft: Draft, offset: int) -> CitedAt | None:
    """The cited work at ``offset``: the one whose key and locator it is in, else the last one
    before it in its citation (in LaTeX the notes stand before the keys)."""
    citation = next((one for one in draft.citations if one.start <= offset <= one.end), None)
    if citation is None:
        return None
    inside = [one for one in citation.items if one.start <= offset <= one.end]
    before = [one for one in citation.items if one.start <= offset]
    item = (inside or before[-1:] or [citation.items[-1]])[0]
    claims = (one for one in extract_claims(draft) if item in one.cited)
    return CitedAt(item, citation, next(claims, None))


def sentence_at(draft: Draft, offset: int) -> SentenceAt | None:
    """The sentence around ``offset``, or the one before it if none is; None without any."""
    found = None
    for start, end in sentence_spans(draft.prose):
        if found is not None and start > offset:
            break
        if any(char.isalnum() for char in draft.prose[start:end]):
            found = (start, end)
    if found is None:
        return None
    return SentenceAt(draft.plain(*found), *found)
