"""Findings of a verification: verdicts on the claims of a draft, with evidence."""

from collections import Counter
from collections.abc import Iterable, Mapping

from pydantic import Field

from citeloom.domain.documents.spans import Region
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.draft import Claim
from citeloom.domain.verification.verdict import Basis, Verdict


class EvidenceQuote(Value):
    """A verbatim quote: ``text`` is ``start`` to ``end`` of the converted text of a document.

    ``page`` counts the pages of the file from 1, ``page_label`` is the printed one, where
    known; ``regions`` are the boxes of its lines. ``relevance`` is in 0..1. ``citation`` is
    ready to paste. ``text_uncertain``: the stored text of its page differs from another reading
    of it; None where that is not known.
    """

    text: str
    document_id: str
    citekey: str | None = None
    citation: str | None = None
    title: str | None = None
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    page_label: str | None = None
    regions: tuple[Region, ...] = ()
    section: str | None = None
    relevance: float = Field(ge=0, le=1)
    address: str
    knowledge_uri: str
    text_uncertain: bool | None = None


class QuoteDifference(Value):
    """A quotation that its source does not have. ``closest`` is the nearest text of the source
    (None without one), ``difference`` describes the change in words."""

    quote: str
    closest: str | None = None
    difference: str | None = None


class Finding(Value):
    """A claim against one of the works that it cites.

    ``written`` is what the draft has instead of a citation key (``Boeing, 2018``).
    ``basis`` and ``confidence`` are those of the judgement; quotations, pages and keys are
    compared exactly. ``locator`` is that of the draft, ``right_pages`` are the pages in the
    source (printed labels, else file pages). ``close_keys`` are known keys similar to an unknown
    one. ``better`` is evidence of another document of the project. ``cached``: reused from an
    earlier verification, since nothing changed. ``provisional``: by rules alone, since the model
    that was to judge gave no usable answer.
    """

    claim: Claim
    key: str
    written: str | None = None
    locator: str | None = None
    verdict: Verdict
    basis: Basis | None = Basis.EXACT
    confidence: float | None = Field(default=None, ge=0, le=1)
    reasons: tuple[str, ...] = ()
    document_id: str | None = None
    evidence: tuple[EvidenceQuote, ...] = ()
    right_pages: tuple[str, ...] = ()
    misquoted: tuple[QuoteDifference, ...] = ()
    close_keys: tuple[str, ...] = ()
    better: EvidenceQuote | None = None
    cached: bool = False
    provisional: bool = False


class Uncited(Value):
    """A factual sentence without citation, with candidate evidence."""

    claim: Claim
    candidates: tuple[EvidenceQuote, ...] = ()


class Verification(Value):
    """All findings of a draft, in its order; ``counts`` has every verdict. ``model`` is the
    embedding model, ``judge`` the version of the judge. ``claims`` counts the cited ones."""

    draft: str
    format: str
    project: str
    model: str
    judge: str
    claims: int
    counts: Mapping[Verdict, int]
    findings: tuple[Finding, ...]
    uncited: tuple[Uncited, ...] | None = None
    cached: int = 0
    duration_seconds: float = Field(ge=0)
    warnings: tuple[str, ...] = ()


def verdict_counts(findings: Iterable[Finding]) -> dict[Verdict, int]:
    counts = Counter(finding.verdict for finding in findings)
    return {verdict: counts[verdict] for verdict in Verdict}


def provisional_warning(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The warning that some findings are provisional; empty if none is."""
    count = sum(finding.provisional for finding in findings)
    if not count:
        return ()
    noun = "verdict is" if count == 1 else "verdicts are"
    return (f"{count} {noun} by rules alone: the model gave no usable answer; verify again",)
