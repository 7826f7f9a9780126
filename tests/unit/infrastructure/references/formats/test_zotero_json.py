"""Items of Zotero as CSL items."""

from support.cases import each

from citeloom.infrastructure.references.formats.zotero_json import (
    CollectionTree,
    file_paths,
    to_csl,
)


def test_a_zotero_item_becomes_a_csl_item() -> None:
    csl = to_csl(
        {
            "itemType": "bookSection", "title": "T", "bookTitle": "B", "pages": "1–9",
            "date": "2003-05", "place": "Bonn", "citationKey": "k", "extra": "x: y",
            "creators": [
                {"creatorType": "author", "firstName": "A", "lastName": "B"},
                {"creatorType": "editor", "name": "Institute"},
                {"creatorType": "cartographer", "lastName": "C"},
            ],
        }
    )  # fmt: skip
    assert csl == {
        "type": "chapter", "title": "T", "container-title": "B", "page": "1–9", "note": "x: y",
        "issued": {"date-parts": [[2003, 5]]}, "publisher-place": "Bonn", "citation-key": "k",
        "author": [{"family": "B", "given": "A"}, {"family": "C"}],
        "editor": [{"literal": "Institute"}],
    }  # fmt: skip


@each(
    ("kind", "field", "variable"),
    [
        ("case", "dateDecided", "issued"),
        ("statute", "dateEnacted", "issued"),
        ("patent", "issueDate", "issued"),
        ("patent", "filingDate", "submitted"),
    ],
)
def test_dates_that_types_call_by_other_names_are_read(
    kind: str, field: str, variable: str
) -> None:
    date = {"date-parts": [[1954, 5, 17]]}
    written = {"itemType": kind, "title": "T", field: "1954-05-17"}
    assert to_csl(written) == {"type": to_csl(written)["type"], "title": "T", variable: date}
    both = to_csl({**written, "date": "1953"})
    assert both["issued"] == {"date-parts": [[1953]]}


def test_collections_are_given_by_their_paths_and_loops_end() -> None:
    tree = CollectionTree(
        {
            "AA": {"key": "AA", "name": "Thesis", "parent": False, "items": [1]},
            "BB": {"key": "BB", "name": "Chapter 2", "parent": "AA", "items": [7]},
            "CC": {"key": "CC", "name": "Loop", "parent": "CC", "items": [9]},
        }
    )
    assert tree.of({"itemID": 7}) == ("Thesis", "Thesis/Chapter 2")
    assert tree.of({"itemID": 9}) == ("Loop",)
    assert tree.of({"itemID": 5, "collections": ["BB", "own"]}) == (
        "own", "Thesis", "Thesis/Chapter 2",
    )  # fmt: skip


def test_files_of_an_item_are_named_as_written() -> None:
    attachments = [{"path": "a.pdf"}, {"localPath": "/b.pdf"}, {"title": "no file"}, "c.pdf"]
    assert list(file_paths({"attachments": attachments, "file": "d.pdf"})) == [
        "a.pdf", "/b.pdf", "c.pdf", "d.pdf",
    ]  # fmt: skip


def test_variables_in_the_extra_field_are_read() -> None:
    extra = "{:original-date: 2005}\nOriginal Title: Le mot\nFoo: bar\nIssued: 2011\nPMID: 3"
    item = {"itemType": "book", "title": "T", "date": "2010", "extra": extra.split("\n")}
    csl = to_csl(item)
    assert csl["original-date"] == {"date-parts": [[2005]]}
    assert (csl["original-title"], csl["PMID"]) == ("Le mot", "3")
    assert csl["issued"] == {"date-parts": [[2011]]}
    assert to_csl({**item, "extra": extra}) == csl
