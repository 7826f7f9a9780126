"""Provenance of a report in words, and text that is safe in files that people open."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.research.comparison import EvidenceRow
from citeloom.domain.research.search_record import Flow, Searched
from citeloom.domain.research.session import Recorded, VerificationSummary
from citeloom.domain.text.phrasing import counted, on_one_line

# Invalid in XML 1.0 (section 2.2, "Char"), or control characters.
_NOT_DISPLAYABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85]")
# UAX #9, 3.1: embeddings and overrides end at PDF, isolates at PDI.
_CLOSING_OF = {**dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c"),
         **dict.fromkeys("\u2066\u2067\u2068", "\u2069")}  # fmt: skip
# Schemes that a click may open: the web and Zotero.
_SAFE_LINK = re.compile(r"(?:https?|zotero)://[^\s/]", re.IGNORECASE)
# RFC 3986, 2.2 and 2.3: characters of a URI besides escapes.
_URI_CHARACTERS = ":/?#[]@!$&'()*+,;=-._~%"
_MARKUP = re.compile(r"([\\`*_\[\]<>|#~$&])")


def sanitized(text: str) -> str:
    """Line ends become line feeds, characters that cannot be displayed U+FFFD; open changes of
    writing direction are closed at the end."""
    cleaned = _NOT_DISPLAYABLE.sub("\ufffd", _BREAKS.sub("\n", text))
    return cleaned + _closing(cleaned)


def line(text: str) -> str:
    """On one line."""
    return sanitized(" ".join(text.split()))


def plain(text: str) -> str:
    """On one line, with Markdown escaped."""
    return escaped(line(text))


def escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def safe_link(address: str | None) -> str | None:
    """``address`` as the target of a link; None for a scheme that a click should not open."""
    target = (address or "").strip()
    return quote(target, safe=_URI_CHARACTERS) if _SAFE_LINK.match(target) else None


def is_right_to_left(text: str) -> bool:
    """By its first letter with a direction (UAX #9, rules P2 and P3)."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def utc_text(at: datetime | None) -> str:
    """``2026-03-01 12:00 UTC``; empty for None. A time without a zone is UTC."""
    if at is None:
        return ""
    utc = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return f"{utc:%Y-%m-%d %H:%M} UTC"


def _closing(text: str) -> str:
    """The characters that close the directions left open in ``text``."""
    pending: list[str] = []
    for char in text:
        if char in _CLOSING_OF:
            pending.append(_CLOSING_OF[char])
        elif char in pending:
            # A PDI also ends the embeddings that were started within its isolate.
            while pending.pop() != char:
                pass
        elif char == "\n":
            pending.clear()
    return "".join(reversed(pending))


EXTRACTIVE = "extractive"
MAKING = "How this report was made"
CLAIMS = "Claims"
EVIDENCE = "Claims with their evidence"
REFERENCES = "References"


def provenance_rows(review: FinishedReview) -> Iterator[tuple[str, str]]:
    """Provenance as rows of name and value."""
    session, search = review.recorded.session, review.search
    yield "Question", session.question
    yield "Project", database(search.database)
    if search.database.model:
        yield "Embedding model", search.database.model
    if search.writer:
        yield "Written", _written(search.writer, review.recorded)
    yield "Depth", session.research_depth.value
    yield "Begun", utc_text(session.started_at)
    yield "Completed", utc_text(session.completed_at)
    if search.resumed:
        yield "Resumed", counted(search.resumed, "time")
    if search.searches:
        yield "Searched", searched(len(search.searches), search.flow)
    if session.verification_summary is not None:
        yield "Verified", verified(session.verification_summary)
    yield "Session", str(session.id)


def _written(writer: str, recorded: Recorded) -> str:
    if writer == EXTRACTIVE:
        return "from quotations, without a language model"
    quotes = {on_one_line(span.quote) for span in recorded.spans}
    if all(on_one_line(claim.claim_text) in quotes for claim in recorded.claims):
        return f"from quotations; the language model {writer} gave no sentence that could be used"
    return f"by the language model {writer}, each sentence checked by itself"


def database(searched: Searched) -> str:
    counts = [
        counted(number, what)
        for number, what in ((searched.documents, "document"), (searched.passages, "passage"))
        if number is not None
    ]
    return f"{searched.project} ({', '.join(counts)})" if counts else searched.project


def searched(queries: int, flow: Flow) -> str:
    passages = counted(flow.identified, "passage") + " in " if flow.identified is not None else ""
    return (
        f"{counted(queries, 'query', 'queries')}: {passages}{counted(flow.screened, 'document')}, "
        f"{flow.included} used, {flow.cited} cited"
    )


def verified(summary: VerificationSummary) -> str:
    numbers = {
        "SUPPORTED": summary.supported,
        "PARTIAL": summary.partial,
        "UNSUPPORTED": summary.unsupported,
        "CONTRADICTED": summary.contradicted,
        "left out": summary.abstained_count,
        "corrected": summary.citation_corrections,
    }
    counts = ", ".join(f"{count} {name}" for name, count in numbers.items() if count)
    warning = " (warning: many claims are not supported)" if summary.warning else ""
    return f"{counted(summary.total_claims, 'claim')}: {counts or 'none'}{warning}"


def place_of(review: FinishedReview, row: EvidenceRow) -> str:
    """Citation with page, ready to paste; else title and page of the file."""
    if row.span is None:
        return ""
    if row.span.citation:
        return review.written_out.get(row.span.citation, row.span.citation)
    name = row.source.title if row.source else ""
    return ", ".join(filter(None, (name, f"PDF p. {row.span.page}" if row.span.page else "")))


def claim_text_of(row: EvidenceRow) -> str:
    """The text of a claim; empty if it equals the quotation that follows."""
    is_primary = row.citation is not None and row.citation.is_primary
    return "" if is_primary and row.is_quotation else row.claim.claim_text
