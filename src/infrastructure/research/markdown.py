"""Review as Markdown: report, references, provenance, claims with evidence."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.citation.in_text import markdown_link
from citeloom.domain.research.evidence_table import EvidenceRow, evidence_rows
from citeloom.infrastructure.research.provenance import (
    EVIDENCE,
    MAKING,
    REFERENCES,
    claim_text_of,
    place_of,
    provenance_rows,
    verdict,
)
from citeloom.infrastructure.research.safe_text import line, plain, safe_link, sanitized


def markdown(review: FinishedReview) -> str:
    parts = [sanitized(review.report).strip()]
    if review.bibliography:
        entries = (sanitized(entry.text) for entry in review.bibliography)
        parts += [f"## {REFERENCES}", *entries]
    parts += [f"## {MAKING}", "\n".join(_made(review)), *(f"> {plain(w)}" for w in review.warnings)]
    rows = list(evidence_rows(review.recorded))
    if rows:
        parts += [f"## {EVIDENCE}", *_claims(review, rows)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _made(review: FinishedReview) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for name, value in provenance_rows(review):
        yield f"| {name} | {plain(value)} |"


def _claims(review: FinishedReview, rows: Iterable[EvidenceRow]) -> Iterator[str]:
    for number, group in groupby(rows, key=lambda row: row.number):
        claim_rows = list(group)
        claim = claim_rows[0].claim
        head = f"{number}. **{verdict(claim_rows[0])}** ({claim.confidence:.2f}) "
        head += plain(claim_text_of(claim_rows[0]))
        pad = " " * (len(str(number)) + 2)
        lines = [head.rstrip()]
        if claim.verification_reasoning:
            lines += ["", f"{pad}{plain(claim.verification_reasoning)}"]
        for row in claim_rows:
            lines += [f"{pad}{text}" if text else "" for text in _evidence(review, row)]
        yield "\n".join(lines)


def _evidence(review: FinishedReview, row: EvidenceRow) -> Iterator[str]:
    if row.span is None or row.citation is None:
        return
    kind = "" if row.citation.is_primary else "also: "
    link = safe_link(review.links.get(row.span.id))
    address = row.span.address or row.span.knowledge_uri
    details = [f"`{line(place_of(review, row)).replace('`', '')}`" if place_of(review, row) else ""]
    details += [plain(row.span.section_heading or "")]
    details += [f"<{address}>" if address and _is_bare(address) else plain(address or "")]
    details += [markdown_link("open", link) if link else ""]
    yield ""
    yield f"> {kind}“{plain(row.span.quote)}”"
    yield ">"
    yield f"> {' · '.join(filter(None, details))}"


def _is_bare(address: str) -> bool:
    """Whether it is a valid autolink between angle brackets (CommonMark 6.5, "Autolinks")."""
    return not any(char in "<>" or char.isspace() or ord(char) < 32 for char in address)
