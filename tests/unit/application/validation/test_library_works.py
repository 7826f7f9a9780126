"""Validate: whether a reader's items and the documents of a project fit together."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builders import A_DAY, a_citation, a_document, a_project, paragraph
from support.cases import each
from support.in_memory.stores import InMemoryBundleStore
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.citation import Attachment, ReferenceLibrary
from citeloom.application.validation.checks import Check, Status, scanned_documents
from citeloom.application.validation.validate import (
    dois_that_disagree,
    items_without_files,
    keys_that_clash,
)
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import InvalidSource
from citeloom.domain.library import ITEM_TYPE, AlternativeCitation, DocumentRole, LibraryRecord
from citeloom.domain.messages import UserMessage, WarningCode

PROJECT = a_project()


def a_stored(name: str, citation: CitationMeta | None = None, **more: Any) -> StoredDocument:
    values: dict[str, Any] = {
        "project_id": PROJECT.id,
        "document_id": f"id-of-{name}",
        "mime_type": "application/pdf",
        "pages": 3,
        "chunks": 3,
        "sources": (SourceStamp(path=f"/papers/{name}.pdf", size=1, mtime_ns=1),),
        "conversion": "c",
        "chunking": "c",
        "embedding": "e",
        "citation": citation,
        "stored_at": A_DAY,
    }
    return StoredDocument(**values | more)


def a_library(*items: CitationMeta, **files: str) -> ReferenceLibrary:
    attachments = tuple(Attachment(path=path, citekey=key) for key, path in files.items())
    return ReferenceLibrary(source="l", fingerprint="f", items=items, attachments=attachments)


def told(checks: Sequence[Check]) -> dict[str, tuple[Status, tuple[str, ...]]]:
    assert all(check.guidance for check in checks if check.status is not Status.PASS)
    return {check.check: (check.status, check.items) for check in checks}


def an_own(citekey: str, **more: Any) -> CitationMeta:
    """An item with a DOI of its own."""
    return a_citation(citekey, **{"doi": f"10.5555/{citekey}", **more})


def test_items_are_told_by_what_is_wrong_with_their_files() -> None:
    items = [an_own(key) for key in ("held", "bare", "gone", "left")]
    library = a_library(*items, gone="/away.pdf", left="/here.pdf")
    documents = [a_stored("held", items[0])]
    found = told(
        list(items_without_files(PROJECT, documents, library, lambda path: path == "/here.pdf"))
    )
    assert found == {
        "items without files": (Status.WARN, ("bare",)),
        "missing files": (Status.WARN, ("gone (/away.pdf)",)),
        "files not ingested": (Status.WARN, ("left (/here.pdf)",)),
    }


@pytest.mark.parametrize(
    "cited",
    [
        {"citekey": "other", "doi": "https://doi.org/10.5555/ONE"},
        {"citekey": "renamed", "doi": None, "item_key": "ABCD2345"},
        {"citekey": "one", "doi": None},
    ],
)
def test_an_item_is_held_under_any_of_its_names(cited: dict[str, Any]) -> None:
    library = a_library(an_own("one", item_key="ABCD2345"))
    documents = [a_stored("one", a_citation(**cited))]
    checks = list(items_without_files(PROJECT, documents, library, lambda _: False))
    assert ("one",) not in [check.items for check in checks]


def test_an_item_that_is_a_document_of_its_own_record_has_no_file() -> None:
    documents = [a_stored("one", an_own("one"), mime_type=ITEM_TYPE)]
    found = told(list(items_without_files(PROJECT, documents, None, lambda _: False)))
    assert found == {"items without files": (Status.WARN, ("one",))}


def test_an_item_that_a_document_may_be_cited_as_has_its_file() -> None:
    other = AlternativeCitation(
        citekey="preprint", item_key="ABCD2345", address="zotero://x", why="the same file"
    )
    documents = [a_stored("one", an_own("one"), held=LibraryRecord(alternatives=(other,)))]
    library = a_library(an_own("preprint", item_key="ABCD2345"))
    (check,) = items_without_files(PROJECT, documents, library, lambda _: False)
    assert check.status is Status.PASS


def test_without_items_there_is_nothing_to_tell() -> None:
    assert list(items_without_files(PROJECT, [a_stored("one")], None, lambda _: False)) == []
    assert list(keys_that_clash(PROJECT, [a_stored("one")], None)) == []


def test_keys_that_differ_in_capitals_only_clash() -> None:
    library = a_library(an_own("Smith2020"), an_own("jones"))
    (check,) = keys_that_clash(PROJECT, [a_stored("s", an_own("smith2020"))], library)
    assert (check.status, check.items) == (Status.WARN, ("Smith2020 / smith2020",))


def test_documents_that_share_a_key_clash_and_supplements_do_not() -> None:
    item = an_own("smith2020")
    documents = [a_stored("a", item), a_stored("b", item)]
    (check,) = keys_that_clash(PROJECT, documents, None)
    assert check.items == ("smith2020 (/papers/a.pdf, /papers/b.pdf)",)
    documents = [
        a_stored("a", item),
        a_stored("b", item, held=LibraryRecord(role=DocumentRole.SUPPLEMENT)),
    ]
    (check,) = keys_that_clash(PROJECT, documents, None)
    assert check.status is Status.PASS


@each(
    ("doi", "stated", "agrees"),
    [
        ("10.5555/ONE", ("10.5555/one", "10.5555/cited"), True),
        ("https://doi.org/10.5555/one", ("10.5555/other",), False),
        ("10.1101/2020.01.02.123456", ("10.1101/2020.01.02.123456v2",), True),
        ("10.48550/arXiv.1706.03762", ("arXiv:1706.03762", "10.5555/cited"), True),
        ("10.5555/one", ("arXiv:1706.03762",), None),
        ("10.5555/one", (), None),
        (None, ("10.5555/one",), None),
    ],
)
def test_the_item_and_the_first_page_name_the_same_doi(
    doi: str | None, stated: tuple[str, ...], agrees: bool | None
) -> None:
    documents = [a_stored("one", a_citation("one", doi=doi), identifiers=stated)]
    checks = list(dois_that_disagree(PROJECT, documents))
    expected = {True: [Status.PASS], False: [Status.WARN], None: []}[agrees]
    assert [check.status for check in checks] == expected
    if agrees is False:
        assert checks[0].items == ("one: 10.5555/one, /papers/one.pdf: 10.5555/other",)


def test_scans_are_told_by_how_much_could_be_read() -> None:
    bundles = InMemoryBundleStore()
    documents = []
    pages = [paragraph("one", 1), paragraph("two", 2)]
    for name, parts, more in (
        ("plain", pages, {}),
        ("silent", [], {}),
        ("partly", pages, {"missing_pages": (2,), "ocr_pages": (1,)}),
        ("read", pages, {"ocr_pages": (1, 2)}),
        ("half", pages, {"ocr_pages": (2,)}),
    ):
        made = a_document(parts, doc_id=f"id-of-{name}").model_copy(update=more)
        bundles.save(made, "c")
        documents.append(a_stored(name, warnings=("something",)))
    documents.append(a_stored("unknown", warnings=("something",)))
    text, missing, read = scanned_documents(PROJECT, documents, bundles)
    assert text.items == ("/papers/silent.pdf",)
    assert missing.items == ("/papers/partly.pdf (1 page)",)
    assert read.items == ("/papers/read.pdf (all pages)", "/papers/half.pdf (1 page of 2)")
    about_citations = (
        UserMessage("no citation: add it", code=WarningCode.NO_CITATION),
        UserMessage("smith2020 has neither DOI nor URL", code=WarningCode.NO_IDENTIFIER),
    )
    quiet = [one.model_copy(update={"warnings": about_citations}) for one in documents]
    assert list(scanned_documents(PROJECT, quiet, bundles)) == []


# With a list of retractions

HEADER = "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason,\n"


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    items = [an_item("ponds", "10.5555/ponds"), an_item("grids", "10.5555/grids")]
    world.ingest(references=world.cite(*items, an_item("unread", "10.5555/unread")))
    return world


def notices(world: World, *rows: str) -> list[Check]:
    path = world.folder / "retractions.csv"
    path.write_text(HEADER + "\n".join(rows), "utf-8")
    checks = world.projects.validate(HERE, retractions=path).checks
    return [check for check in checks if check.check == "retractions"]


def test_retracted_works_are_told_with_reasons_notice_and_the_date_of_the_list(
    library: World,
) -> None:
    row = (
        "7,On ponds,3/14/2021 0:00,10.5555/notice,10.5555/PONDS,Retraction,+Error in Data;+Fakes;,"
    )
    other = "8,Other,5/1/2022 0:00,,10.5555/other,Retraction,,"
    unread = "9,Unread,1/2/2020 0:00,,10.5555/unread,Expression of concern,,"
    retracted, concern = notices(library, row, other, unread)
    assert (retracted.status, concern.status) == (Status.WARN, Status.WARN)
    assert retracted.items == (
        "ponds (Retraction of 2021-03-14: Error in Data, Fakes; https://doi.org/10.5555/notice)",
    )
    assert concern.items == ("unread (Expression of concern of 2020-01-02)",)
    assert "3 records, the newest notice of 2022-05-01" in retracted.message
    assert "retractions.csv of 20" in retracted.message
    assert library.projects.validate(HERE).ok


def test_no_notice_is_told_with_the_date_of_the_list(library: World) -> None:
    (check,) = notices(library, "8,Other,5/1/2022 0:00,,10.5555/other,Retraction,,")
    assert check.status is Status.PASS
    assert check.message.startswith("none of 3 works with a DOI is in retractions.csv of ")


def test_lines_that_cannot_be_read_are_named(library: World) -> None:
    passed, warning = notices(library, "8,Other", "9,B,1/1/2020,,nonsense,Retraction,,")
    assert passed.status is Status.PASS
    assert warning.items == ("line 2: 2 columns of 8; left out", "line 3: 'nonsense' is not a DOI")


def test_a_list_that_is_not_there_is_an_error_and_no_finding(library: World) -> None:
    with pytest.raises(InvalidSource, match=r"no\.csv"):
        library.projects.validate(HERE, retractions=Path("/nowhere/no.csv"))
