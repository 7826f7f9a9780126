"""Provenance of a report in words, shared by all formats."""

from collections.abc import Iterator

from citeloom.application.ports.research import FinishedReview, Recorded
from citeloom.domain.research.evidence_table import EvidenceRow
from citeloom.domain.research.search_record import Flow, Searched
from citeloom.domain.research.session import VerificationSummary
from citeloom.domain.text.phrasing import counted, on_one_line
from citeloom.infrastructure.research.safe_text import line, utc_text

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


def verdict(row: EvidenceRow) -> str:
    return row.claim.verdict.value if row.claim.verdict else "not verified"


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
    is_quoted = row.span is not None and row.citation is not None and row.citation.is_primary
    is_same = (
        is_quoted and row.span is not None and line(row.span.quote) == line(row.claim.claim_text)
    )
    return "" if is_same else row.claim.claim_text
