"""What an item says is read whatever dress its fields come in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.citation.metadata import CiteKey
from citeloom.infrastructure.references.fields.dates import csl_date, year_of
from citeloom.infrastructure.references.fields.names import authors_of
from citeloom.infrastructure.references.fields.plain_text import note_field, plain
from citeloom.infrastructure.references.formats.csl import given_key, meta_from_csl, zotero_key
from citeloom.infrastructure.references.formats.zotero_json import (
    CollectionTree,
    file_paths,
    to_csl,
)
from citeloom.infrastructure.references.generated_keys import generated_key, letter_suffix

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ({"date-parts": [[2023]]}, 2023),
        ({"date-parts": [["2011", 5], ["2012", 6]], "circa": True}, 2011),
        ({"date-parts": [["2014", 12, 31], [0]]}, 2014),
        ({"date-parts": [["-334"]]}, None),
        ({"date-parts": [["11", 13], ["12", 14]]}, 11),
        ({"date-parts": [2020, 5]}, 2020),
        ({"date-parts": []}, None),
        ({"date-parts": [[2017]], "season": 4}, 2017),
        ({"literal": "13th cent"}, None),
        ({"raw": "March 2020"}, 2020),
        ({"literal": "in press"}, None),
        ("2023-01-15", 2023),
        ("2020/05", 2020),
        ("2017-24~", 2017),
        ("12/11/2003", 2003),
        ("2005 [1870]", 2005),
        ("-0333", None),
        ("2011-05-25~/2012-06-26~", 2011),
        ("ca. 850", 850),
        (2020, 2020),
        (20203, None),
        (True, None),
        (None, None),
    ],
)
def test_the_year_is_the_one_in_which_a_date_begins(date: Any, year: int | None) -> None:
    assert year_of(date) == year


@given(json_values)
def test_no_date_is_an_error(date: Any) -> None:
    year = year_of(date)
    assert year is None or 1 <= year <= 2999


def test_a_date_as_written_is_kept_beside_its_year() -> None:
    assert csl_date("2014-12-31T10:00:00Z") == {"date-parts": [[2014, 12, 31]]}
    assert csl_date("2005 [1870]") == {"date-parts": [[2005]], "literal": "2005 [1870]"}
    assert csl_date("n.d.") == {"literal": "n.d."}


@pytest.mark.parametrize(
    ("item", "authors"),
    [
        ({"author": [{"family": "Martin", "given": "Robert"}]}, ("Robert Martin",)),
        (
            {"author": [{"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"}]},
            ("Jan van den Berg",),
        ),
        ({"author": [{"family": "King", "given": "M. L.", "suffix": "Jr."}]}, ("M. L. King, Jr.",)),
        ({"author": [{"literal": "World Health Organization"}]}, ("World Health Organization",)),
        ({"author": [{"family": "毛", "given": "泽东", "static-ordering": True}]}, ("毛 泽东",)),
        ({"author": ["Doe, Jane", {"family": ""}, None]}, ("Jane Doe",)),
        ({"author": "Jane Doe and John Roe"}, ("Jane Doe", "John Roe")),
        ({"author": [], "editor": [{"family": "Ed"}]}, ("Ed",)),
        ({"translator": [{"family": "Tr"}], "publisher": "P"}, ("Tr",)),
        ({"publisher": "Elsevier", "container-title": "J"}, ("Elsevier",)),
        ({"container-title": "Journal"}, ("Journal",)),
        ({"author": 3}, ("[no author]",)),
        ({}, ("[no author]",)),
    ],
)
def test_somebody_always_answers_for_an_item(item: Any, authors: tuple[str, ...]) -> None:
    assert authors_of(item) == authors


@pytest.mark.parametrize(
    "item",
    [
        {"DOI": "10.1000/XYZ123"},
        {"DOI": "https://doi.org/10.1000/xyz123"},
        {"URL": "http://dx.doi.org/10.1000/xyz123"},
        {"URL": "https://link.example.com/article/10.1000/xyz123"},
        {"note": "PMID: 3\nDOI: 10.1000/xyz123\nmore"},
    ],
)
def test_the_doi_is_read_from_doi_url_or_note(item: dict[str, Any]) -> None:
    assert meta_from_csl({"title": "T", **item}, "k").doi == "10.1000/xyz123"


def test_another_works_doi_in_a_note_is_not_the_items() -> None:
    meta = meta_from_csl({"title": "T", "note": "a reply to 10.1000/xyz123"}, "k")
    assert meta.doi is None


@pytest.mark.parametrize(
    ("note", "key"),
    [
        ("Citation Key: smith2020", "smith2020"),
        ("tex.ids: a\nCitation Key: smith2020\nfoo", "smith2020"),
        ("citation key: low", "low"),
        ("Citation Key:", None),
        ("PMID: 3", None),
        (None, None),
    ],
)
def test_the_key_in_the_note_is_read(note: str | None, key: str | None) -> None:
    assert note_field(note, "citation key") == key
    assert given_key({"id": "http://zotero.org/users/1/items/ABCD2345", "note": note}) == key


def test_a_key_comes_from_its_field_then_the_note_then_the_id() -> None:
    note = "Citation Key: b"
    assert given_key({"citation-key": "a", "note": note, "id": "c"}) == "a"
    assert given_key({"citation-key": "not a key", "note": note, "id": "c"}) == "b"
    assert given_key({"id": "Müller:2020.a+b/c"}) == "Müller:2020.a+b/c"
    assert given_key({"id": 42}) == "42"
    assert given_key({"id": "with blank"}) is None


def test_zoteros_key_is_read_from_fields_and_addresses() -> None:
    assert zotero_key({"itemKey": "ABCD2345"}) == "ABCD2345"
    assert zotero_key({"id": "http://zotero.org/users/123/items/ABCD2345"}) == "ABCD2345"
    assert zotero_key({"select": "zotero://select/library/items/ABCD2345"}) == "ABCD2345"
    assert zotero_key({"id": "smith2020"}) is None


def test_markup_is_for_the_csl_item_not_for_the_title() -> None:
    item = {"title": 'The <i>g</i><sub>1</sub> &amp; <span class="nocase">Us</span>\u0000 a<b'}
    meta = meta_from_csl(item, "k")
    assert meta.title == "The g1 & Us a<b"
    assert meta.csl["title"] == item["title"]
    assert plain("O&amp;nbsp;K") == "O K"
    assert plain("Ho\u0308rlu\u0308ck") == "H\u00f6rl\u00fcck"


@given(st.dictionaries(st.sampled_from(
    ["title", "author", "issued", "DOI", "URL", "note", "page", "tags", "keyword", "collections",
     "type", "container-title", "id", "editor"]), json_values))  # fmt: skip
def test_no_field_of_any_kind_breaks_an_item(item: dict[str, Any]) -> None:
    meta = meta_from_csl(item, given_key(item) or generated_key(item))
    assert meta.authors
    assert meta.title


@given(st.text(), st.text(), st.integers(1, 2100))
def test_a_made_key_is_valid_and_depends_on_the_item_alone(
    name: str, title: str, year: int
) -> None:
    item = {"title": title, "author": [{"family": name}], "issued": {"date-parts": [[year]]}}
    assert CiteKey.is_valid(generated_key(item))
    assert generated_key(item) == generated_key(dict(item))


def test_a_made_key_is_author_year_and_first_telling_word() -> None:
    item = {"title": "The  Öko-System", "author": [{"family": "van Dürer"}], "issued": "1999"}
    assert generated_key(item) == "vandurer1999Oko"
    assert generated_key({}) == "anonnd"
    assert [letter_suffix(n) for n in (0, 25, 26, 52)] == ["a", "z", "aa", "ba"]


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


@pytest.mark.parametrize(
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
