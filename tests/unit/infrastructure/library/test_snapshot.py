"""Raw items of Zotero's API become a snapshot: keys, scope, what is in the bin."""

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library import KeySource, LibraryKind, LibraryRef, LibraryScope, LinkMode
from citeloom.infrastructure.library.raw_items import AttachmentFolders
from citeloom.infrastructure.library.snapshot import (
    RawLibrary,
    SnapshotParts,
    assemble,
    chosen_libraries,
)

OWN = LibraryRef()
GROUP = LibraryRef(kind=LibraryKind.GROUP, id=7, name="Ponds")
ALL = LibraryScope()

THESIS = {"key": "CTHESIS1", "name": "Thesis", "parentCollection": False}
CHAPTER = {"key": "CCHAPT02", "name": "Chapter 2", "parentCollection": "CTHESIS1"}
OTHER = {"key": "COTHER03", "name": "Other", "parentCollection": False}


def work(key: str, **fields: Any) -> dict[str, Any]:
    return {
        "key": key,
        "version": 3,
        "itemType": "journalArticle",
        "title": "Ponds in winter",
        "creators": [{"creatorType": "author", "firstName": "Ann", "lastName": "Smith"}],
        "date": "2020-05-01",
        "dateAdded": f"2024-01-01T00:00:{len(key):02}Z",
        **fields,
    }


def read(
    *items: Mapping[str, Any],
    scope: LibraryScope = ALL,
    collections: tuple[Mapping[str, Any], ...] = (THESIS, CHAPTER, OTHER),
    keys: Mapping[str, str] | None = None,
) -> SnapshotParts:
    return assemble([RawLibrary(OWN, items, collections, keys or {})], scope)


def citekeys(found: SnapshotParts) -> dict[str, str]:
    return {item.key: item.citation.citekey for item in found.items}


def test_citation_keys_in_their_order() -> None:
    extra = "Citation Key: inextra\nPMID: 3"
    found = read(
        work("AAAA0001", citationKey="native", extra=extra),
        work("AAAA0002", extra=extra, title="B"),
        work("AAAA0003", extra="citation key: low", title="C"),
        work("AAAA0004", title="Fish"),
        keys={"AAAA0001": "bbt1", "AAAA0002": "bbt2"},
    )
    assert [(i.citation.citekey, i.key_source) for i in found.items] == [
        ("native", KeySource.NATIVE),
        ("bbt2", KeySource.BETTER_BIBTEX),
        ("low", KeySource.EXTRA),
        ("smith2020Fish", KeySource.GENERATED),
    ]
    assert len(found.warnings) == 1
    assert "AAAA0004 → smith2020Fish" in found.warnings[0]


@each(
    ("extra", "key"),
    [
        ("Citation Key: smith2020", "smith2020"),
        ("tex.ids: a\nCitation Key: smith2020\nfoo", "smith2020"),
        ("Citation Key:", None),
        ("PMID: 3", None),
        ("citation key: low", "low"),
    ],
)
def test_a_citation_key_in_extra(extra: str, key: str | None) -> None:
    (item,) = read(work("AAAA0001", extra=extra)).items
    wanted = key or "smith2020Ponds"
    assert (item.citation.citekey, item.key_source is KeySource.EXTRA) == (wanted, bool(key))


def test_a_key_that_cannot_be_used_gives_way_with_a_warning() -> None:
    found = read(work("AAAA0001", citationKey="a b", extra="Citation Key: good"))
    assert citekeys(found) == {"AAAA0001": "good"}
    assert "'a b' cannot be used" in found.warnings[0]


def test_a_taken_key_gets_a_letter_and_a_warning() -> None:
    found = read(
        work("AAAA0002", citationKey="k", dateAdded="2024-02-01T00:00:00Z"),
        work("AAAA0001", citationKey="k", dateAdded="2024-01-01T00:00:00Z"),
    )
    assert citekeys(found) == {"AAAA0001": "k", "AAAA0002": "ka"}
    assert found.warnings == (
        "item AAAA0002 (Ponds in winter): citation key 'k' belongs to item AAAA0001; called "
        "'ka' here: give it its own key in Zotero",
    )
    assert found.items[1].citation.csl["id"] == "ka"


def test_an_item_added_later_takes_no_generated_key_away() -> None:
    older = work("ZZZZ0009", dateAdded="2020-01-01T00:00:00Z")
    newer = work("AAAA0001", dateAdded="2024-01-01T00:00:00Z")
    assert citekeys(read(older)) == {"ZZZZ0009": "smith2020Ponds"}
    assert citekeys(read(newer, older)) == {
        "ZZZZ0009": "smith2020Ponds",
        "AAAA0001": "smith2020Pondsa",
    }


def test_keys_do_not_depend_on_the_scope() -> None:
    inside = work("AAAA0002", citationKey="k", dateAdded="2024-02-01", collections=["COTHER03"])
    outside = work("AAAA0001", citationKey="k", dateAdded="2024-01-01")
    found = read(inside, outside, scope=LibraryScope(collections=("Other",)))
    assert citekeys(found) == {"AAAA0002": "ka"}


def test_the_copy_of_a_work_in_another_library_keeps_its_key() -> None:
    raw = [
        RawLibrary(OWN, [work("AAAA0001", citationKey="k")]),
        RawLibrary(GROUP, [work("BBBB0001", citationKey="k"),
                           work("BBBB0002", citationKey="k", title="Another")]),
    ]  # fmt: skip
    found = assemble(raw, LibraryScope(groups=("*",)))
    assert citekeys(found) == {"AAAA0001": "k", "BBBB0001": "k", "BBBB0002": "ka"}
    assert len(found.warnings) == 1


def test_items_in_the_bin_go_with_what_hangs_on_them() -> None:
    found = read(
        work("AAAA0001", deleted=1),
        {"key": "FFFF0001", "itemType": "attachment", "linkMode": "imported_file",
         "filename": "a.pdf", "parentItem": "AAAA0001"},
        {"key": "GGGG0001", "itemType": "annotation", "annotationType": "highlight",
         "parentItem": "FFFF0001"},
        {"key": "NNNN0001", "itemType": "note", "note": "<p>x</p>", "deleted": True},
    )  # fmt: skip
    assert found[1:] == ((), (), (), (), ())


def test_what_belongs_to_an_item_that_is_not_there_is_told() -> None:
    found = read({"key": "NNNN0001", "itemType": "note", "note": "x", "parentItem": "GONE0000"})
    assert found.notes == ()
    assert "NNNN0001" in found.warnings[0]


def test_files_and_notes_that_stand_alone_stay() -> None:
    found = read(
        {"key": "FFFF0001", "itemType": "attachment", "linkMode": "linked_url",
         "url": "https://example.org", "title": "Page", "collections": ["COTHER03"]},
        {"key": "NNNN0001", "itemType": "note", "note": "<h1></h1><p>A &amp; <b>B</b></p><p>C</p>",
         "tags": [{"tag": "todo"}]},
        scope=ALL,
    )  # fmt: skip
    (attachment,), (note,) = found.attachments, found.notes
    assert (attachment.link_mode, attachment.path, attachment.item_key) == (
        LinkMode.LINKED_URL, None, None,
    )  # fmt: skip
    assert (note.title, note.tags, note.item_key) == ("A & B", ("todo",), None)
    assert {c.path: c.items for c in found.collections} == {
        "Other": 1, "Thesis": 0, "Thesis/Chapter 2": 0,
    }  # fmt: skip


@each("name", ["CTHESIS1", "Thesis", "thesis", "THESIS/"])
def test_a_collection_means_what_is_below_it(name: str) -> None:
    found = read(
        work("AAAA0001", collections=["CCHAPT02"]),
        work("AAAA0002", collections=["COTHER03"]),
        {"key": "FFFF0001", "itemType": "attachment", "linkMode": "imported_url",
         "parentItem": "AAAA0001"},
        {"key": "FFFF0002", "itemType": "attachment", "linkMode": "imported_url",
         "parentItem": "AAAA0002"},
        {"key": "GGGG0001", "itemType": "annotation", "annotationType": "note",
         "parentItem": "FFFF0001"},
        {"key": "GGGG0002", "itemType": "annotation", "annotationType": "note",
         "parentItem": "FFFF0002"},
        scope=LibraryScope(collections=(name,)),
    )  # fmt: skip
    assert [item.key for item in found.items] == ["AAAA0001"]
    assert found.items[0].citation.collections == ("Thesis", "Thesis/Chapter 2")
    assert [entry.key for entry in found.attachments] == ["FFFF0001"]
    assert [entry.key for entry in found.annotations] == ["GGGG0001"]
    assert [entry.path for entry in found.collections] == ["Thesis", "Thesis/Chapter 2"]


def test_a_name_that_several_collections_have_means_all_of_them() -> None:
    again = {"key": "CAGAIN04", "name": "Chapter 2", "parentCollection": "COTHER03"}
    found = read(
        work("AAAA0001", collections=["CCHAPT02"], citationKey="a"),
        work("AAAA0002", collections=["CAGAIN04"], citationKey="b"),
        collections=(THESIS, CHAPTER, OTHER, again),
        scope=LibraryScope(collections=("chapter 2",)),
    )
    assert len(found.items) == 2
    assert found.warnings == (
        "chapter 2: 2 collections, all meant: Thesis/Chapter 2 (My Library, CCHAPT02), "
        "Other/Chapter 2 (My Library, CAGAIN04)",
    )


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [("Thesi", "did you mean Thesis?"), ("chaptr 2", "did you mean Thesis/Chapter 2?"),
     ("xyz", "there are: Other, Thesis, Thesis/Chapter 2")],
)  # fmt: skip
def test_a_collection_that_is_not_there_is_told_with_those_that_are(wanted: str, hint: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        read(scope=LibraryScope(collections=(wanted,)))
    assert raised.value.message == f"{wanted}: no such collection; {hint}"
    assert raised.value.details["there"] == ["Other", "Thesis", "Thesis/Chapter 2"]


def test_collections_in_the_bin_are_not_there_and_circles_end() -> None:
    found = read(
        work("AAAA0001", collections=["CCHAPT02", "CIRCLE01"]),
        collections=(
            {**THESIS, "deleted": True}, CHAPTER,
            {"key": "CIRCLE01", "name": "X", "parentCollection": "CIRCLE02"},
            {"key": "CIRCLE02", "name": "Y", "parentCollection": "CIRCLE01"},
        ),
    )  # fmt: skip
    assert {entry.key for entry in found.collections} == {"CIRCLE01", "CIRCLE02"}
    assert set(found.items[0].citation.collections) == {"Y/X", "X/Y"}


def test_tags_of_a_scope_select_and_exclude_whatever_their_case() -> None:
    items = (
        work("AAAA0001", tags=[{"tag": "Water"}, {"tag": "read", "type": 1}]),
        work("AAAA0002", tags=[{"tag": "water"}]),
        work("AAAA0003"),
    )
    scope = LibraryScope(tags=("water",), exclude_tags=("read", "ice"))
    found = read(*items, scope=scope)
    assert [item.key for item in found.items] == ["AAAA0002"]
    assert [w for w in found.warnings if w.startswith("ice: no item has this tag")]
    with pytest.raises(InvalidRequest, match="watr: no such tag; did you mean"):
        read(*items, scope=LibraryScope(tags=("water", "watr")))
    without = read(*items, scope=LibraryScope(exclude_tags=("read",)))
    assert [item.key for item in without.items] == ["AAAA0002", "AAAA0003"]


def test_groups_are_chosen_by_name_or_number() -> None:
    everything = (GROUP, OWN)
    assert chosen_libraries(everything, ALL) == (OWN,)
    assert chosen_libraries(everything, LibraryScope(groups=("*",))) == (OWN, GROUP)
    assert chosen_libraries(everything, LibraryScope(groups=("ponds",), user=False)) == (GROUP,)
    assert chosen_libraries(everything, LibraryScope(groups=("7",), user=False)) == (GROUP,)
    with pytest.raises(InvalidRequest, match="no such group library; did you mean Ponds"):
        chosen_libraries((OWN, GROUP), LibraryScope(groups=("Pond",)))
    with pytest.raises(InvalidRequest, match="no library is selected"):
        chosen_libraries(everything, LibraryScope(user=False))


def test_the_digest_is_of_what_an_item_says() -> None:
    def digest(**fields: Any) -> str:
        return read(work("AAAA0001", **fields)).items[0].digest

    same = digest(tags=[{"tag": "a"}, {"tag": "b", "type": 0}], extra="")
    assert same == digest(
        tags=[{"tag": "b"}, {"tag": "a", "type": 0}], version=9, dateModified="x", issue=""
    )
    others = [digest(), digest(title="Lakes"), digest(citationKey="k"), digest(volume="2"),
              digest(collections=["COTHER03"]), digest(tags=[{"tag": "a"}])]  # fmt: skip
    assert len({same, *others}) == 7


def test_a_renamed_collection_changes_the_digest_of_its_items() -> None:
    item = work("AAAA0001", collections=["COTHER03"])
    (before,) = read(item).items
    (after,) = read(item, collections=({**OTHER, "name": "Renamed"},)).items
    assert before.digest != after.digest


def test_an_item_without_a_title_is_an_item_all_the_same() -> None:
    (item,) = read({"key": "AAAA0001", "itemType": "case"}).items
    assert (item.citation.title, item.citation.citekey) == ("[no title]", "anonnd")


def test_entries_without_key_and_broken_characters_harm_nothing() -> None:
    found = read({"itemType": "book"}, work("AAAA0001", title="half \ud83d"))
    assert found.items[0].citation.title == "half \ufffd"
    assert "1 entries have no key" in found.warnings[0]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
_names = st.sampled_from(
    ["key", "itemType", "parentItem", "title", "creators", "tags", "collections", "relations",
     "date", "linkMode", "filename", "path", "note", "annotationType", "annotationPosition",
     "extra", "citationKey", "dateAdded", "version", "deleted", "DOI", "abstractNote"]
)  # fmt: skip
_kinds = st.sampled_from(["book", "attachment", "note", "annotation"])


@given(
    st.lists(
        st.builds(
            lambda fields, kind, number: {**fields, "itemType": kind, "key": f"KEY{number:05}"},
            st.dictionaries(_names, _values, max_size=8),
            _kinds,
            st.integers(0, 4),
        ),
        max_size=4,
    )
)
def test_whatever_stands_in_a_field_the_library_is_read(items: list[dict[str, Any]]) -> None:
    found = read(*items)
    keys = {item["key"] for item in items}
    assert {entry.key for entry in (*found.items, *found.notes)} <= keys


def test_the_collector_works_again_afterwards() -> None:
    with pytest.raises(InvalidRequest):
        read(scope=LibraryScope(collections=("none",)), collections=())
    read(work("AAAA0001"))
    assert gc.isenabled()


def test_an_item_has_its_abstract_and_dates() -> None:
    (item,) = read(
        work(
            "AAAA0001", abstractNote="<p>On ponds.</p>", dateAdded="2021-06-30 14:59:13",
            dateModified="2022-01-02T03:04:05Z",
        )
    ).items  # fmt: skip
    assert (item.abstract, item.added, item.modified) == (
        "On ponds.", "2021-06-30T14:59:13Z", "2022-01-02T03:04:05Z",
    )  # fmt: skip
    assert item.address == "zotero://select/library/items/AAAA0001"


def test_unknown_kinds_are_told_and_pictures_in_notes_are_not() -> None:
    found = read(
        {"key": "FFFF0001", "itemType": "attachment", "linkMode": "imported_file"},
        {"key": "FFFF0002", "itemType": "attachment", "linkMode": "holographic"},
        {"key": "FFFF0003", "itemType": "attachment", "linkMode": "embedded_image"},
        {"key": "GGGG0001", "itemType": "annotation", "annotationType": "smell",
         "parentItem": "FFFF0001"},
    )  # fmt: skip
    assert [entry.key for entry in found.attachments] == ["FFFF0001"]
    assert [warning.split(";")[0] for warning in found.warnings] == [
        "attachment FFFF0002: link mode 'holographic' is not known",
        "annotation GGGG0001: kind 'smell' is not known",
    ]


def test_files_lie_where_the_source_says(tmp_path: Path) -> None:
    raw = RawLibrary(
        OWN,
        [{"key": "FFFF0001", "itemType": "attachment", "linkMode": "imported_file",
          "filename": "a.pdf"}],
        places=AttachmentFolders(data_dir=tmp_path),
    )  # fmt: skip
    (attachment,) = assemble([raw], ALL).attachments
    assert attachment.path == str(tmp_path / "storage" / "FFFF0001" / "a.pdf")
