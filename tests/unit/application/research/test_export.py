"""The verbs *session export* and *session compare* over a record in memory."""

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from support.builders import A_DAY, a_project
from support.in_memory.research_record import InMemoryResearchRecord
from support.in_memory.stores import InMemoryCatalogue
from support.research.finished_review import (
    BEGUN,
    COOLER,
    ENDED,
    FARTHER,
    SESSION,
    WORKS,
    events,
    recorded,
)

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.research import ReviewFormat, SessionOutcome, Step
from citeloom.application.research.export import (
    CompareReviews,
    ExportReview,
    style_citations,
    with_escaped_claims,
)
from citeloom.domain.errors import InvalidRequest, SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import Recorded, SessionStatus
from citeloom.infrastructure.citation.csl.styles import csl_style
from citeloom.infrastructure.research.writer import review_file

HERE = ProjectId.parse("local/reading")
STORED = "/home/ida/Zotero/storage/ABCD2345/ponds.pdf"


def keep(record: InMemoryResearchRecord, made: Recorded, **outcome: object) -> UUID:
    """The review as it is in the record when it ends; where it does not end, as it runs."""
    status = SessionStatus.IN_PROGRESS
    begun = made.session.model_copy(
        update={"status": status, "sequence": 0, "worker": "one", "completed_at": None}
    )
    empty = made.report.model_copy(update={"content": None})
    record.begin(made.chat, made.question, empty, begun)
    told = events()
    step = Step(events=told[:-1], sources=made.sources, spans=made.spans)
    record.advance(begun.id, "one", step, BEGUN)
    if outcome.get("status") is status:
        return begun.id
    values = {
        "status": SessionStatus.COMPLETED,
        "content": made.report.content,
        "claims": made.claims,
        "citations": made.citations,
        "cited": [source.id for source in made.sources if source.is_cited],
        "events": told[-1:],
        "completed_at": ENDED,
    }
    record.finish(begun.id, "one", SessionOutcome.model_validate(values | outcome))
    return begun.id


def a_catalogue() -> InMemoryCatalogue:
    catalogue = InMemoryCatalogue()
    catalogue.add_project(a_project("local/reading"))
    paths = (STORED, "/papers/streets.pdf")
    for path, (id, work) in zip(paths, WORKS.items(), strict=True):
        catalogue.put_document(
            StoredDocument(
                project_id=HERE, document_id=id, mime_type="application/pdf", pages=9, chunks=20,
                sources=(SourceStamp(path=path, size=1, mtime_ns=1),), conversion="c",
                chunking="c", embedding="e", citation=work, stored_at=A_DAY,
            )
        )  # fmt: skip
    return catalogue


@pytest.fixture
def record() -> InMemoryResearchRecord:
    return InMemoryResearchRecord()


@pytest.fixture
def export(record: InMemoryResearchRecord) -> ExportReview:
    return ExportReview(
        record=record, catalogue=a_catalogue(), styles=csl_style, writer=review_file
    )


def test_the_project_gives_years_links_and_numbers(
    record: InMemoryResearchRecord, export: ExportReview
) -> None:
    keep(record, recorded())
    handed = export.file(SESSION, ReviewFormat.CSV)
    rows = list(csv.DictReader(io.StringIO(handed.content.decode("utf-8-sig"), newline="")))
    assert rows[0]["year"] == "2022"
    assert rows[0]["link"] == "zotero://open-pdf/library/items/ABCD2345?page=2"
    assert rows[1]["link"] == ""
    searches = export.searches(SESSION)
    assert (searches.database.documents, searches.database.passages) == (2, 40)
    assert searches.database.model == a_project().embedding_model.name
    assert "counted as they are now" in handed.warnings[0]


def test_citations_are_written_out_and_linked(
    record: InMemoryResearchRecord, export: ExportReview
) -> None:
    keep(record, recorded())
    styled = export.file(SESSION, ReviewFormat.MARKDOWN, "apa").content.decode()
    page = "zotero://open-pdf/library/items/ABCD2345?page=2"
    assert f"[(Szélkuti, 2022, p. 127)]({page})" in styled
    assert "(Noll, 2019; Szélkuti, 2022, p. 128)" in styled
    assert "[@szelkuti2022" not in styled
    assert "[@noll2019]" in export.file(SESSION, ReviewFormat.MARKDOWN).content.decode()
    with pytest.raises(InvalidRequest):
        export.file(SESSION, ReviewFormat.DOCX, "no such style")


def test_the_json_document_has_every_part_of_the_review(
    record: InMemoryResearchRecord, export: ExportReview
) -> None:
    keep(record, recorded())
    document = export.document(SESSION)
    told = json.loads(document.model_dump_json())
    assert (told["format"], told["version"]) == ("citeloom.review", 1)
    assert [len(told[name]) for name in ("sources", "evidence", "claims", "citations")] == [
        4, 3, 3, 3
    ]  # fmt: skip
    assert told["events"][0]["eventType"] == "research_started"
    assert told["works"]["d" * 64]["DOI"] == "10.5555/ponds"
    assert told["report"]["content"] == recorded().report.content


def test_a_project_that_is_gone_is_told_of(record: InMemoryResearchRecord) -> None:
    empty = ExportReview(
        record=record, catalogue=InMemoryCatalogue(), styles=csl_style, writer=review_file
    )
    keep(record, recorded())
    handed = empty.file(SESSION, ReviewFormat.MARKDOWN)
    assert "there is no such project now" in handed.warnings[0]
    assert "2 of 4 documents are no longer" in handed.warnings[1]
    assert COOLER in handed.content.decode()


EACH: list[Callable[[ExportReview], object]] = [
    lambda export: export.file(SESSION, ReviewFormat.MARKDOWN),
    lambda export: export.file(SESSION, ReviewFormat.PRISMA),
    lambda export: export.document(SESSION),
    lambda export: export.searches(SESSION),
]


@pytest.mark.parametrize("ask", EACH)
def test_what_is_not_there_or_not_over_is_refused(
    ask: Callable[[ExportReview], object], record: InMemoryResearchRecord, export: ExportReview
) -> None:
    with pytest.raises(SessionNotFound):
        ask(export)
    keep(record, recorded(), status=SessionStatus.IN_PROGRESS)
    with pytest.raises(SessionBusy) as refused:
        ask(export)
    assert refused.value.next_step == NextStep(Action.CANCEL_SESSION, session=str(SESSION))


def test_a_deleted_session_is_not_handed_over(
    record: InMemoryResearchRecord, export: ExportReview
) -> None:
    keep(record, recorded())
    record.delete(SESSION, ENDED + timedelta(minutes=1))
    with pytest.raises(SessionNotFound) as refused:
        export.document(SESSION)
    assert refused.value.next_step == NextStep(Action.RESTORE_SESSION, session=str(SESSION))


def test_without_a_report_there_is_still_the_search(
    record: InMemoryResearchRecord, export: ExportReview
) -> None:
    keep(
        record, recorded(), status=SessionStatus.FAILED, content=None, claims=(), citations=(),
        cited=(), error_message="disk full",
    )  # fmt: skip
    for format in (ReviewFormat.MARKDOWN, ReviewFormat.DOCX, ReviewFormat.CSV):
        with pytest.raises(SessionEnded, match="disk full"):
            export.file(SESSION, format)
    assert export.file(SESSION, ReviewFormat.PRISMA).content
    assert export.document(SESSION).search.status is SessionStatus.FAILED


def test_two_sessions_are_compared(record: InMemoryResearchRecord) -> None:
    keep(record, recorded())
    found = CompareReviews(record)(SESSION, SESSION)
    assert (found.a.claims, len(found.claims.both)) == (3, 3)
    with pytest.raises(SessionNotFound):
        CompareReviews(record)(SESSION, UUID(int=1))


def test_words_of_claims_mean_nothing_in_markdown() -> None:
    claim = recorded().claims[0]
    text = "The *p* value of x_1 [see @noll2019] is `small`."
    odd = claim.model_copy(update={"claim_text": text, "position_start": 3, "position_end": 51})
    assert len(text) == 48
    report = f"- “{text}” [@noll2019]"
    plain = with_escaped_claims(report, [odd])
    assert plain == ("- “The \\*p\\* value of x_1 [see \\@noll2019] is \\`small\\`.” [@noll2019]")
    style = csl_style("apa")
    assert style_citations(plain, list(WORKS.values()), {}, style).endswith("” (Noll, 2019)")
    moved = odd.model_copy(update={"position_start": 4, "position_end": 52})
    assert with_escaped_claims(report, [moved]) == report


def test_a_citation_of_an_unknown_work_stays_as_it_is() -> None:
    report = f"{FARTHER} [@noll2019; @nobody2000] [@nobody2000]"
    assert style_citations(report, list(WORKS.values()), {}, csl_style("apa")) == report
