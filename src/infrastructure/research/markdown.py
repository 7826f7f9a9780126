"""A review as Markdown: the report as it stands, how it was made, claims with their evidence."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.citation.in_text import markdown_link
from citeloom.domain.research.evidence_table import EvidenceRow, evidence_rows
from citeloom.infrastructure.research.provenance import (
    EVIDENCE,
    MAKING,
    REFERENCES,
    made,
    place,
    said,
    verdict,
)
from citeloom.infrastructure.research.safe_text import line, opened, plain, shown


def markdown(review: FinishedReview) -> str:
    parts = [shown(review.report).strip()]
    if review.bibliography:
        entries = (shown(entry.text) for entry in review.bibliography)
        parts += [f"## {REFERENCES}", *entries]
    parts += [f"## {MAKING}", "\n".join(_made(review)), *(f"> {plain(w)}" for w in review.warnings)]
    rows = list(evidence_rows(review.recorded))
    if rows:
        parts += [f"## {EVIDENCE}", *_claims(review, rows)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _made(review: FinishedReview) -> Iterator[str]:
    yield "| | |"
    yield "|---|---|"
    for name, told in made(review):
        yield f"| {name} | {plain(told)} |"


def _claims(review: FinishedReview, rows: Iterable[EvidenceRow]) -> Iterator[str]:
    for number, same in groupby(rows, key=lambda row: row.number):
        own = list(same)
        claim = own[0].claim
        head = f"{number}. **{verdict(own[0])}** ({claim.confidence:.2f}) {plain(said(own[0]))}"
        pad = " " * (len(str(number)) + 2)
        lines = [head.rstrip()]
        if claim.verification_reasoning:
            lines += ["", f"{pad}{plain(claim.verification_reasoning)}"]
        for row in own:
            lines += [f"{pad}{text}" if text else "" for text in _evidence(review, row)]
        yield "\n".join(lines)


def _evidence(review: FinishedReview, row: EvidenceRow) -> Iterator[str]:
    if row.span is None or row.citation is None:
        return
    kind = "" if row.citation.is_primary else "also: "
    link = opened(review.links.get(row.span.id))
    address = row.span.address or row.span.knowledge_uri
    where = [f"`{line(place(review, row)).replace('`', '')}`" if place(review, row) else ""]
    where += [plain(row.span.section_heading or "")]
    where += [f"<{address}>" if address and _is_bare(address) else plain(address or "")]
    where += [markdown_link("open", link) if link else ""]
    yield ""
    yield f"> {kind}“{plain(row.span.quote)}”"
    yield ">"
    yield f"> {' · '.join(filter(None, where))}"


def _is_bare(address: str) -> bool:
    """Whether it can stand between angle brackets (CommonMark 6.5, "Autolinks")."""
    return not any(char in "<>" or char.isspace() or ord(char) < 32 for char in address)
