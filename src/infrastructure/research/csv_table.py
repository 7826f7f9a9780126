"""Evidence of a review as CSV (RFC 4180): a row for each claim and piece of evidence.

UTF-8 with a byte order mark and commas, each cell quoted: Excel and LibreOffice detect the
encoding. A cell that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP
advises ("CSV Injection").
"""

import csv
import io
import re
from collections.abc import Iterator

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.research.evidence_table import EvidenceRow, evidence_rows
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.research.safe_text import sanitized

COLUMNS = (
    "claim", "verdict", "confidence", "reasoning", "citekey", "title", "year", "page_label",
    "page", "section", "quote", "address", "link", "role",
)  # fmt: skip
#: Maximum length of a cell in Excel ("Excel specifications and limits").
MOST = 32_767
# Also full-width characters, and after white space or apostrophes.
_FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠]")


def table(review: FinishedReview) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in evidence_rows(review.recorded):
        writer.writerow([_cell(text) for text in _cells(review, row)])
    return buffer.getvalue().encode("utf-8-sig")


def _cells(review: FinishedReview, row: EvidenceRow) -> Iterator[str]:
    claim, span, source = row.claim, row.span, row.source
    work = review.works.get(source.document_id or "") if source else None
    yield claim.claim_text
    yield claim.verdict.value if claim.verdict else ""
    yield f"{claim.confidence:.4g}"
    yield claim.verification_reasoning or ""
    yield (source.citekey if source else None) or claim.citation_key or ""
    yield (work.title if work else source.title) if source else ""
    yield str(work.year) if work and work.year else ""
    yield (span.page_label if span else None) or ""
    yield str(span.page) if span and span.page else ""
    yield (span.section_heading if span else None) or ""
    yield span.quote if span else ""
    yield (span.address or span.knowledge_uri or "") if span else ""
    yield review.links.get(span.id, "") if span else ""
    yield ("primary" if row.citation.is_primary else "alternate") if row.citation else ""


def _cell(text: str) -> str:
    cell = sanitized(text)
    if _FORMULA.match(cell):
        cell = f"'{cell}"
    return shortened(cell, MOST)
