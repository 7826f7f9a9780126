"""What an item says is read whatever dress its fields come in."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.references.dates import year_of
from citeloom.infrastructure.references.citation_keys import generated_key
from citeloom.infrastructure.references.fields.plain_text import note_field, plain
from citeloom.infrastructure.references.formats.csl import given_key, meta_from_csl, zotero_key

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_any_value_is_accepted_as_a_date(date: Any) -> None:
    year = year_of(date)
    assert year is None or 1 <= year <= 2999


@each(
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


@each(
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
