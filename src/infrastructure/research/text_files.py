"""Review as Markdown, CSV, and a search record (PRISMA-S).

Evidence of a review as CSV (RFC 4180): a row for each claim and piece of evidence. UTF-8 with a
byte order mark and commas, each cell quoted: Excel and LibreOffice detect the encoding. A cell that
a spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises ("CSV
Injection").
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.citation.in_text import markdown_link
from citeloom.domain.research.comparison import EvidenceRow, evidence_rows
from citeloom.domain.research.search_record import Flow, Screened, Search, SearchRecord
from citeloom.domain.text.phrasing import counted, shortened
from citeloom.domain.verification.report import MarkedPiece, differing, marked

from .provenance import (
    EVIDENCE,
    MAKING,
    REFERENCES,
    claim_text_of,
    database,
    escaped,
    line,
    place_of,
    plain,
    provenance_rows,
    safe_link,
    sanitized,
    utc_text,
)

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
        writer.writerow([spreadsheet_cell(text) for text in _cells(review, row)])
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


def spreadsheet_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula, of a length that Excel takes."""
    cell = sanitized(text)
    if _FORMULA.match(cell):
        cell = f"'{cell}"
    return shortened(cell, MOST)


def markdown(review: FinishedReview) -> str:
    parts = [sanitized(review.report).strip()]
    if review.bibliography:
        entries = (sanitized(entry.text) for entry in review.bibliography)
        parts += [f"## {REFERENCES}", *entries]
    warnings = (f"> {plain(warning)}" for warning in review.warnings)
    parts += [f"## {MAKING}", _table(provenance_rows(review)), *warnings]
    rows = list(evidence_rows(review.recorded))
    if rows:
        parts += [f"## {EVIDENCE}", *_claims(review, rows)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = (f"| {name} | {plain(value)} |" for name, value in rows)
    return "\n".join(["| | |", "|---|---|", *lines])


def _claims(review: FinishedReview, rows: Iterable[EvidenceRow]) -> Iterator[str]:
    for number, group in groupby(rows, key=lambda row: row.number):
        claim_rows = list(group)
        claim = claim_rows[0].claim
        head = f"{number}. **{claim_rows[0].verdict}** ({claim.confidence:.2f}) "
        head += _compared(claim_text_of(claim_rows[0]), claim_rows)
        pad = " " * (len(str(number)) + 2)
        lines = [head.rstrip()]
        if claim.verification_reasoning:
            lines += ["", f"{pad}{plain(claim.verification_reasoning)}"]
        for row in claim_rows:
            lines += [f"{pad}{text}" if text else "" for text in _evidence(review, row)]
        yield "\n".join(lines)


def _compared(text: str, rows: Sequence[EvidenceRow]) -> str:
    """A claim with the words in bold that its evidence does not have."""
    quotes = " ".join(row.span.quote for row in rows if row.span)
    pieces = differing(line(text), quotes) if quotes else [MarkedPiece(line(text))]
    return marked(pieces, escaped)


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


_UNKNOWN = "not known"
_LONGEST_LABEL = 60
# Mermaid, "Entity codes to escape characters".
_LABEL = re.compile(r"[^\w .,:()\-–—/]")


def prisma(record: SearchRecord) -> str:
    """Sections after the items of PRISMA-S that apply to a search of a local library."""
    parts = [
        f"# Search record: {plain(record.question)}",
        _table(row for row in _about(record).items() if row[1]),
        *(f"> {plain(warning)}" for warning in record.warnings),
        "## Flow",
        _diagram(record.flow, len(record.searches)),
        "\n".join(_counts(record.flow)),
        "## Searches",
        *(_search(search) for search in record.searches),
        "" if record.searches else "None was recorded.",
        "## Documents",
        "\n".join(_documents(record.documents)),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _about(record: SearchRecord) -> Mapping[str, str]:
    return {
        "Database": database(record.database),
        "Embedding model": record.database.model or _UNKNOWN,
        "Counted": utc_text(record.database.counted_at),
        "Depth": record.depth.value,
        "Steps": "; ".join(record.steps),
        "Searched from": utc_text(record.started_at),
        "Searched until": utc_text(record.completed_at),
        "Resumed": counted(record.resumed, "time") if record.resumed else "",
        "Ended": record.status.value,
        "Session": record.session_id,
    }


def _diagram(flow: Flow, queries: int) -> str:
    excluded = "".join(f"<br>{_label(one.reason)}: {one.documents}" for one in flow.excluded)
    nodes = [
        f'identified["Identified by {counted(queries, "query", "queries")}'
        f'<br>{_passages(flow.identified)}"]',
        f'duplicates["Duplicates removed<br>{_passages(flow.duplicates)}"]',
        f'screened["Screened<br>{counted(flow.screened, "document")}"]',
        f'missing["Not retrieved<br>{counted(flow.not_retrieved, "document")}"]',
        f'excluded["Excluded<br>{counted(_excluded(flow), "document")}{excluded}"]',
        f'included["Included<br>{counted(flow.included, "document")}, {flow.cited} cited"]',
    ]
    arrows = [
        "identified --> screened",
        "identified --> duplicates",
        "screened --> included",
        "screened --> missing",
        "screened --> excluded",
    ]
    body = "\n".join(f"    {text}" for text in (*nodes, *arrows))
    return f"```mermaid\nflowchart TD\n{body}\n```"


def _counts(flow: Flow) -> Iterator[str]:
    yield "| | |"
    yield "|---|---:|"
    yield f"| Records identified (passages) | {_number(flow.identified)} |"
    yield f"| Duplicates removed (further passages of a document) | {_number(flow.duplicates)} |"
    yield f"| Documents screened | {flow.screened} |"
    yield f"| Documents not retrieved | {flow.not_retrieved} |"
    yield f"| Documents excluded | {_excluded(flow)} |"
    for one in flow.excluded:
        yield f"| – {plain(one.reason)} | {one.documents} |"
    yield f"| Documents included | {flow.included} |"
    yield f"| – cited in the report | {flow.cited} |"


def _search(search: Search) -> str:
    title = f" {plain(search.step_title)}" if search.step_title else ""
    query = sanitized(search.query)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", query)), default=0))
    hits = counted(search.hits, "hit") if search.hits is not None else "no answer recorded"
    facts = [hits, _limits(search.limits), utc_text(search.searched_at)]
    return "\n".join(
        [
            f"### {search.number}. Step {search.step}:{title}",
            "",
            f"{fence}text",
            query,
            fence,
            "",
            "; ".join(filter(None, facts)),
        ]
    )


def _limits(limits: Mapping[str, Any]) -> str:
    given_limits = [
        (name, value) for name, value in limits.items() if value not in (None, "", [], {})
    ]
    return "; ".join(f"{plain(name)}: {plain(_value(value))}" for name, value in given_limits)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_value(one)}" for name, one in value.items())
    return str(value)


def _documents(documents: tuple[Screened, ...]) -> Iterator[str]:
    yield "| Document | Key | Found in step | Included | Why not |"
    yield "|---|---|---|---|---|"
    for one in documents:
        included = ("cited" if one.cited else "yes") if one.included else "no"
        cells = (one.title, one.citekey or "", str(one.step or ""), included, one.reason or "")
        yield f"| {' | '.join(map(plain, cells))} |"


def _excluded(flow: Flow) -> int:
    return sum(one.documents for one in flow.excluded)


def _passages(number: int | None) -> str:
    return _UNKNOWN if number is None else counted(number, "passage")


def _number(number: int | None) -> str:
    return _UNKNOWN if number is None else str(number)


def _label(text: str) -> str:
    short = shortened(line(text), _LONGEST_LABEL)
    return _LABEL.sub(lambda match: f"#{ord(match[0])};", short)
