"""What is said of new documents whose citation is provisional."""

from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.ingest import (
    DocumentReport,
    DocumentStatus,
    IngestResult,
    provisional_citations,
)
from citeloom.domain.messages import Action, NextStep

MADE, ITEM = CitationSource.DOCUMENT, CitationSource.REFERENCES


def ingested(*documents: DocumentReport) -> IngestResult:
    return IngestResult(
        project="local/p",
        documents=documents,
        documents_processed=len(documents),
        chunks_written=1,
        chunks_total=1,
        duration_seconds=0.1,
        embed_model="m",
        correlation_id="run",
    )


def added(source: CitationSource, status: DocumentStatus = DocumentStatus.ADDED) -> DocumentReport:
    return DocumentReport(
        source="/a.pdf", status=status, citekey="weft2016", citation_source=source
    )


def test_provisional_citations_are_counted_once_with_the_next_step() -> None:
    said = provisional_citations(ingested(added(MADE), added(ITEM), added(MADE)))
    assert said == "2 of 3 papers have a provisional citation, made from the paper itself"
    assert said.next_step == NextStep(Action.IDENTIFY, project="local/p")
    one = provisional_citations(ingested(added(MADE)))
    assert one == "1 of 1 paper has a provisional citation, made from the paper itself"


def test_nothing_is_said_where_all_have_an_item_or_nothing_is_new() -> None:
    assert provisional_citations(ingested(added(ITEM))) is None
    assert provisional_citations(ingested(added(MADE, DocumentStatus.UNCHANGED))) is None
    failed = DocumentReport(source="/a.pdf", status=DocumentStatus.FAILED)
    assert provisional_citations(ingested(failed)) is None
