"""What was found about the claims of a draft."""

from collections import Counter
from collections.abc import Iterable, Mapping

from pydantic import Field

from citeloom.domain.documents.spans import Region
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.claim_extraction import Claim
from citeloom.domain.verification.verdict import Verdict


class EvidenceQuote(Value):
    """Words of a document, verbatim: ``text`` is ``start`` to ``end`` of its converted text.

    ``page`` counts the pages of the file from 1, ``page_label`` is what is printed on it,
    where they are known; ``regions`` are the boxes around its lines there. ``relevance`` is
    0..1. ``citation`` is ready to paste.
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


class QuoteDifference(Value):
    """A quotation that its source does not have. ``closest`` is what it says instead (None
    where nothing is near), ``difference`` tells in words what was changed."""

    quote: str
    closest: str | None = None
    difference: str | None = None


class Finding(Value):
    """A claim against one of the works that it cites.

    ``locator`` is what the draft names, ``right_pages`` where the source has it (printed
    labels; of the file's pages where it has none). ``close_keys`` are known keys that look like
    an unknown one. ``better`` is what another document of the project says. ``cached`` tells
    that nothing had changed since it was found before.
    """

    claim: Claim
    key: str
    locator: str | None = None
    verdict: Verdict
    confidence: float = Field(ge=0, le=1)
    reasons: tuple[str, ...] = ()
    document_id: str | None = None
    evidence: tuple[EvidenceQuote, ...] = ()
    right_pages: tuple[str, ...] = ()
    misquoted: tuple[QuoteDifference, ...] = ()
    close_keys: tuple[str, ...] = ()
    better: EvidenceQuote | None = None
    cached: bool = False


class Uncited(Value):
    """A sentence that states a fact and cites nothing, and what might be cited for it."""

    claim: Claim
    candidates: tuple[EvidenceQuote, ...] = ()


class Verification(Value):
    """All findings of a draft, in its order; ``counts`` has every verdict. ``model`` is the
    embedding model, ``judge`` what the verdicts are from. ``claims`` counts those that cite
    something."""

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


def counted(findings: Iterable[Finding]) -> dict[Verdict, int]:
    found = Counter(finding.verdict for finding in findings)
    return {verdict: found[verdict] for verdict in Verdict}
