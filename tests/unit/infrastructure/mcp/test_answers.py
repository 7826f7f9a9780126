"""What goes over the wire: the fields of the contract, short, and nothing empty beside."""

from typing import Any

import pytest

from citeloom.application.projects.inspection import Inspection
from citeloom.domain.errors import HybridNotSupported, ProjectNotFound
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestResult
from citeloom.domain.search.request import QueryResultItem
from citeloom.infrastructure.mcp.answers import contents as passages
from citeloom.infrastructure.mcp.answers import contents as refusal
from citeloom.infrastructure.mcp.answers import jobs as ingest
from citeloom.infrastructure.mcp.handlers import projects
from citeloom.infrastructure.search.payload import DENSE, INTEGERS, SPARSE
from citeloom.infrastructure.serving.next_steps import IngestionFailed

CONTRACT = {
    "render_text",
    "score",
    "citekey",
    "section",
    "page_span",
    "section_path",
    "doi",
    "full_text",
}


def item(**changed: Any) -> QueryResultItem:
    given: dict[str, Any] = {
        "rank": 1,
        "score": 0.5,
        "text": "Ponds cool.",
        "document_id": "a" * 64,
        "chunk_id": "c",
        "char_span": (0, 11),
        "address": "virtual://aaaaaaaaaaaaaaaa#chunk=0",
        "knowledge_uri": "ndk://file/p/aaaaaaaaaaaaaaaa/$chunk/00",
        "source_path": "/p.md",
    }
    return QueryResultItem(**given | changed)


def report(name: str, status: DocumentStatus, **more: Any) -> DocumentReport:
    return DocumentReport(source=f"/papers/{name}", status=status, **more)


def result(*documents: DocumentReport, warnings: tuple[str, ...] = ()) -> IngestResult:
    return IngestResult(
        project="local/p",
        documents=documents,
        documents_processed=len(documents),
        chunks_written=3,
        chunks_total=9,
        duration_seconds=1.5,
        embed_model="m",
        correlation_id="run",
        warnings=warnings,
    )


def test_a_passage_always_has_the_fields_of_the_contract() -> None:
    bare = passages.full_passage(item().model_dump(mode="json"))

    assert set(bare) == CONTRACT | {"document_id", "address", "knowledge_uri"}
    assert (bare["citekey"], bare["doi"], bare["page_span"], bare["full_text"]) == (None,) * 4
    assert bare["section_path"] == []


def test_a_passage_has_what_is_needed_to_cite_it() -> None:
    cited = item(
        citekey="k",
        citation="[@k, p. 7]",
        title="T",
        year=2020,
        url="https://x.org",
        page_span=(2, 2),
        page_labels=("7",),
    )

    shown = passages.full_passage(cited.model_dump(mode="json"))

    assert shown["citation"] == "[@k, p. 7]"
    assert (shown["page_span"], shown["page_labels"]) == ([2, 2], ["7"])
    assert (shown["title"], shown["year"], shown["url"]) == ("T", 2020, "https://x.org")


def test_a_sample_that_is_longer_than_the_limit_is_cut_too() -> None:
    sample = item().model_dump(mode="json", exclude={"rank", "score"}) | {"text": "wort " * 600}

    shown = passages.full_passage(sample)

    assert len(shown["render_text"]) <= 1800
    assert shown["render_text"].endswith("…")
    assert "score" not in shown


def test_an_ingest_tells_counts_warnings_and_failures() -> None:
    told = ingest.ingested(
        result(
            report("a.pdf", DocumentStatus.ADDED, warnings=("no citation found",)),
            report("b.pdf", DocumentStatus.UNCHANGED, warnings=("told before",)),
            report("c.pdf", DocumentStatus.FAILED, error="c.pdf: empty", error_code="CONV"),
            warnings=("library: odd",),
        ),
        "bm25",
    )

    assert told["documents"] == {"added": 1, "unchanged": 1, "failed": 1}
    assert told["warnings"] == ["library: odd", "a.pdf: no citation found"]
    assert told["failures"] == [
        {"source": "/papers/c.pdf", "code": "CONV", "message": "c.pdf: empty"}
    ]
    assert (told["dense_model"], told["sparse_model"]) == ("m", "bm25")
    assert told["correlation_id"] == "run"


def test_an_ingest_of_which_nothing_succeeded_is_an_error() -> None:
    failed = report("c.pdf", DocumentStatus.FAILED, error="c.pdf: empty", error_code="CONV")

    with pytest.raises(IngestionFailed, match="the first: c") as raised:
        ingest.ingested(result(failed), "bm25")

    assert raised.value.code == "INGESTION_FAILED"


def test_hundreds_of_warnings_are_counted_not_listed() -> None:
    many = tuple(
        report(f"{n}.pdf", DocumentStatus.ADDED, warnings=("no citation found",))
        for n in range(300)
    )

    warnings = ingest.ingested(result(*many), "bm25")["warnings"]

    assert len(warnings) == 21
    assert warnings[-1] == "and 280 more warnings"


def test_an_inspection_has_the_fields_of_the_contract() -> None:
    told = projects.inspected(
        Inspection(
            project="local/p",
            collection="proj-local-p",
            model="m",
            model_fingerprint="m@3:d",
            sparse_model="bm25",
            hybrid_enabled=True,
            references=None,
            documents=1,
            cited_documents=0,
            pages=2,
            chunks=4,
            indexed_fields=("citekey", "year"),
            samples=(item().model_dump(mode="json", exclude={"rank", "score"}),),
        )
    )

    assert told["size"] == 4
    assert told["indexes"] == {"keyword": ["citekey"], "integer": ["year"], "fulltext": []}
    assert set(told["embedding_model"]) == {
        "dense_model",
        "sparse_model",
        "project_config_model",
        "hybrid_enabled",
        "named_vectors",
    }
    assert {*told["sample_payloads"][0]} - {"full_text"} <= {*told["payload_keys"]}


def test_what_is_said_about_every_collection_is_what_the_index_makes() -> None:
    assert projects.NAMED_VECTORS == (DENSE, SPARSE)
    assert set(INTEGERS) == projects.INTEGER_INDEXES


def test_an_error_has_code_message_and_details() -> None:
    told = refusal.refused(ProjectNotFound("local/x", ["local/y"]))["error"]

    assert told["code"] == "INVALID_PROJECT"
    assert told["details"] == {"project_id": "local/x", "available_projects": ["local/y"]}


def test_a_project_without_hybrid_search_points_to_the_other_tool() -> None:
    told = refusal.refused(HybridNotSupported("local/x", "it is off"))["error"]

    assert told["code"] == "HYBRID_NOT_SUPPORTED"
    assert told["message"].endswith("use the tool query")
