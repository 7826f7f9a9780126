"""Looking around in a library: what is listed, in which order, and what is said with it."""

from support.in_memory.library import InMemoryLibrarySource
from support.zotero.library import annotation, attachment, key, note, work

from citeloom.application.library.browse import LibraryBrowser
from citeloom.domain.library import LibraryRef, LibraryScope
from citeloom.infrastructure.library.snapshot import RawLibrary

OWN = LibraryScope()


def look() -> LibraryBrowser:
    items = [
        work(1, title="ponds", dateAdded="2024-03-01T00:00:00Z", tags=[{"tag": "b"}],
             collections=[key(1, "C")]),
        work(2, title="Lakes", dateAdded="2024-01-01T00:00:00Z", tags=[{"tag": "a"}]),
        work(3, title="Rivers", dateAdded="2024-02-01T00:00:00Z", tags=[{"tag": "a"}]),
        attachment(1, key(1, "W")), attachment(2, key(1, "W")), attachment(3, None),
        annotation(1, key(1, "F")), annotation(2, key(3, "F")), note(1, key(2, "W"), "<p>x</p>"),
    ]  # fmt: skip
    collections = [{"key": key(1, "C"), "name": "Thesis", "parentCollection": False}]
    return LibraryBrowser(InMemoryLibrarySource([RawLibrary(LibraryRef(), items, collections)]))


def test_items_by_title_with_what_they_have() -> None:
    found = look().items(OWN)
    assert [(item.title, item.files, item.notes, item.annotations) for item in found.items] == [
        ("Lakes", 0, 1, 0), ("ponds", 2, 0, 1), ("Rivers", 0, 0, 0),
    ]  # fmt: skip
    assert (found.source, found.libraries, found.total, found.complete) == (
        "memory", ("My Library",), 3, True,
    )  # fmt: skip
    assert found.warnings[0].startswith("3 of 3 items have no citation key")


def test_recent_items_are_those_added_last() -> None:
    found = look().recent(OWN, 2)
    assert [item.title for item in found.items] == ["ponds", "Rivers"]
    assert found.total == 3


def test_collections_and_tags_with_their_counts() -> None:
    assert [(c.path, c.items) for c in look().collections(OWN).collections] == [("Thesis", 1)]
    found = look().tags(OWN, 1)
    assert [(tag.tag, tag.items) for tag in found.tags] == [("a", 2)]
    assert found.total == 2
    assert [tag.tag for tag in look().tags(LibraryScope(collections=("thesis",))).tags] == ["b"]


def test_a_look_says_which_source_it_asks() -> None:
    assert (look().source_name, look().asks_network) == ("memory", False)
    assert look().status().items == 3
