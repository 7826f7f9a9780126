"""What is said of new documents that cannot be cited."""

from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestResult, missing_keys
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode

LOOKED_UP = UserMessage("no citation found", code=WarningCode.NO_CITATION)


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


def added(citekey: str | None = None, warning: UserMessage | None = None) -> DocumentReport:
    return DocumentReport(
        source="/a.pdf",
        status=DocumentStatus.ADDED,
        citekey=citekey,
        warnings=(warning,) if warning else (),
    )


def test_new_documents_without_keys_are_counted_once_with_the_next_step() -> None:
    said = missing_keys(ingested(added(), added()))
    assert said == "2 documents have no citation key"
    assert said.next_step == NextStep(Action.ADD_REFERENCES, project="local/p")


def test_nothing_is_said_where_a_key_was_found_or_one_was_looked_for() -> None:
    assert missing_keys(ingested(added("weft2016"), added())) is None
    assert missing_keys(ingested(added(warning=LOOKED_UP))) is None
    known = DocumentReport(source="/a.pdf", status=DocumentStatus.UNCHANGED)
    assert missing_keys(ingested(known)) is None
