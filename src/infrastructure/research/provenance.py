"""How a report was made, in words: the same in each format."""

from collections.abc import Iterator

from citeloom.application.ports.research import FinishedReview
from citeloom.domain.research.evidence_table import EvidenceRow
from citeloom.domain.research.search_record import Flow, Searched
from citeloom.domain.research.session import VerificationSummary
from citeloom.domain.text.phrasing import counted
from citeloom.infrastructure.research.safe_text import line, moment

EXTRACTIVE = "extractive"
MAKING = "How this report was made"
CLAIMS = "Claims"
EVIDENCE = "Claims with their evidence"
REFERENCES = "References"


def made(review: FinishedReview) -> Iterator[tuple[str, str]]:
    """What is told of it, with its name."""
    session, search = review.recorded.session, review.search
    yield "Question", session.question
    yield "Project", database(search.database)
    if search.database.model:
        yield "Embedding model", search.database.model
    if search.writer:
        by = f"by the language model {search.writer}, each sentence checked by itself"
        quoted = search.writer == EXTRACTIVE
        yield "Written", "from quotations, without a language model" if quoted else by
    yield "Depth", session.research_depth.value
    yield "Begun", moment(session.started_at)
    yield "Completed", moment(session.completed_at)
    if search.resumed:
        yield "Resumed", counted(search.resumed, "time")
    if search.searches:
        yield "Searched", searched(len(search.searches), search.flow)
    if session.verification_summary is not None:
        yield "Verified", verified(session.verification_summary)
    yield "Session", str(session.id)


def database(searched: Searched) -> str:
    counts = [
        counted(number, what)
        for number, what in ((searched.documents, "document"), (searched.passages, "passage"))
        if number is not None
    ]
    return f"{searched.project} ({', '.join(counts)})" if counts else searched.project


def searched(queries: int, flow: Flow) -> str:
    found = counted(flow.identified, "passage") + " in " if flow.identified is not None else ""
    return (
        f"{counted(queries, 'query', 'queries')}: {found}{counted(flow.screened, 'document')}, "
        f"{flow.included} used, {flow.cited} cited"
    )


def verified(summary: VerificationSummary) -> str:
    told = {
        "SUPPORTED": summary.supported,
        "PARTIAL": summary.partial,
        "UNSUPPORTED": summary.unsupported,
        "CONTRADICTED": summary.contradicted,
        "left out": summary.abstained_count,
        "corrected": summary.citation_corrections,
    }
    counts = ", ".join(f"{count} {name}" for name, count in told.items() if count)
    warning = " (warning: many claims are not supported)" if summary.warning else ""
    return f"{counted(summary.total_claims, 'claim')}: {counts or 'none'}{warning}"


def verdict(row: EvidenceRow) -> str:
    return row.claim.verdict.value if row.claim.verdict else "not verified"


def place(review: FinishedReview, row: EvidenceRow) -> str:
    """Who says it and where, ready to paste; else title and page of the file."""
    if row.span is None:
        return ""
    if row.span.citation:
        return review.written_out.get(row.span.citation, row.span.citation)
    name = row.source.title if row.source else ""
    return ", ".join(filter(None, (name, f"PDF p. {row.span.page}" if row.span.page else "")))


def said(row: EvidenceRow) -> str:
    """The words of a claim; none where they are the very quotation that follows."""
    quoted = row.span is not None and row.citation is not None and row.citation.is_primary
    same = quoted and row.span is not None and line(row.span.quote) == line(row.claim.claim_text)
    return "" if same else row.claim.claim_text
