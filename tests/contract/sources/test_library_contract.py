"""What every LibrarySource promises, run against Zotero's database, its two APIs, and memory.

To run it against another source, add a class like ``DatabaseKept`` that keeps raw libraries
where the source reads them, and name it in ``KINDS``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
from support.in_memory.library import InMemoryLibrarySource
from support.zotero.api_double import API_KEY, ZoteroDouble
from support.zotero.library import Raw, annotation, attachment, key, note, work, write_database

from citeloom.application.ports.library import LibrarySource
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library import (
    AnnotationKind,
    KeySource,
    LibraryKind,
    LibraryRef,
    LibraryScope,
    LinkMode,
)
from citeloom.infrastructure.library.api import ApiAccess, ZoteroLocalApi, ZoteroWebApi
from citeloom.infrastructure.library.better_bibtex import BetterBibTeX, addresses_beside
from citeloom.infrastructure.library.database import ZoteroDatabase, ZoteroLocation
from citeloom.infrastructure.library.raw_items import AttachmentFolders
from citeloom.infrastructure.library.snapshot import RawLibrary
from citeloom.infrastructure.system.http_client import ClientClock

ALL = LibraryScope(groups=("*",))
OWN = LibraryScope()


class Kept(Protocol):
    """A source, and the place that it reads. Stored files lie in ``files``/storage/KEY."""

    source: LibrarySource
    files: Path

    def put(self, libraries: Sequence[RawLibrary]) -> None:
        """Make ``libraries`` what the source has from now on; the last call counts."""

    def stop(self) -> None: ...


class MemoryKept:
    def __init__(self, folder: Path) -> None:
        self.files = folder
        self.source = self._library = InMemoryLibrarySource()

    def put(self, libraries: Sequence[RawLibrary]) -> None:
        places = AttachmentFolders(data_dir=self.files)
        self._library.libraries = [replace(raw, places=places) for raw in libraries]

    def stop(self) -> None:
        """Nothing runs."""


class DatabaseKept:
    def __init__(self, folder: Path) -> None:
        self.files = folder
        self._path = folder / "zotero.sqlite"
        self.source = ZoteroDatabase(ZoteroLocation(self._path, AttachmentFolders(data_dir=folder)))

    def put(self, libraries: Sequence[RawLibrary]) -> None:
        write_database(self._path, libraries)

    def stop(self) -> None:
        """Nothing runs."""


class ApiKept:
    """Behind Zotero's local API (before Zotero 10, or since) or its web API."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.files = folder
        self._zotero = ZoteroDouble(server_id=None if kind == "older" else "sPMHtLD6HHBd").start()
        self._zotero.data_dir = folder
        rpc = BetterBibTeX(addresses_beside(self._zotero.local_url))
        access = ApiAccess(folder / "kept", rpc, clock=ClientClock(sleep=lambda _: None))
        self.source: LibrarySource = (
            ZoteroWebApi(access, api_key=API_KEY, place=self._zotero.web_url)
            if kind == "web"
            else ZoteroLocalApi(access, self._zotero.local_url)
        )

    def put(self, libraries: Sequence[RawLibrary]) -> None:
        for raw in libraries:
            own, group = self._zotero.user, self._zotero.group
            library = (
                own
                if raw.library.kind is LibraryKind.USER
                else group(raw.library.id, raw.library.name)
            )
            library.hold(raw.items, raw.collections, raw.library.version)

    def stop(self) -> None:
        self._zotero.stop()


KINDS: dict[str, Callable[[Path], Kept]] = {
    "memory": MemoryKept,
    "database": DatabaseKept,
    "local API": lambda folder: ApiKept(folder, "local"),
    "older local API": lambda folder: ApiKept(folder, "older"),
    "web API": lambda folder: ApiKept(folder, "web"),
}


@pytest.fixture(params=list(KINDS))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    keeper = KINDS[request.param](tmp_path)
    yield keeper
    keeper.source.close()
    keeper.stop()


THESIS, CHAPTER, OTHER = key(1, "C"), key(2, "C"), key(3, "C")
COLLECTIONS: list[Raw] = [
    {"key": THESIS, "name": "Thesis", "parentCollection": False},
    {"key": CHAPTER, "name": "Chapter 2", "parentCollection": THESIS},
    {"key": OTHER, "name": "Other", "parentCollection": False},
]
GROUP = LibraryRef(kind=LibraryKind.GROUP, id=4355231, name="Ponds", version=4)


def library(*more: Raw) -> list[RawLibrary]:
    ponds = work(
        1, title="Ponds", citationKey="ponds1", abstractNote="On ponds.", collections=[CHAPTER],
        tags=[{"tag": "water"}, {"tag": "read", "type": 1}], date="2020-05-17", language="en",
        relations={"dc:relation": [f"http://zotero.org/users/1/items/{key(2, 'W')}"]},
    )  # fmt: skip
    lakes = work(
        2, itemType="book", title="Lakes", date="March 1999", collections=[OTHER],
        extra="Citation Key: lakes99\nPMID: 3", accessDate="2021-06-30T14:59:13Z",
    )  # fmt: skip
    rivers = work(3, title="Rivers and <i>Salmo</i> trutta", date="2001")
    pdf = attachment(1, ponds["key"], md5="0f" * 16, tags=[{"tag": "scan"}])
    own = [
        ponds, lakes, rivers, pdf,
        attachment(2, ponds["key"], linkMode="imported_url", filename="page.html",
                   contentType="text/html", url="https://example.org/p"),
        attachment(3, lakes["key"], linkMode="linked_file", path="/papers/lakes.pdf",
                   filename=""),
        attachment(4, lakes["key"], linkMode="linked_url", url="https://example.org/l",
                   filename="", contentType=""),
        attachment(5, None, title="Alone", collections=[OTHER]),
        annotation(1, pdf["key"], annotationComment="Really?", tags=[{"tag": "doubt"}]),
        annotation(2, pdf["key"], annotationType="ink", annotationText="",
                   annotationPosition='{"pageIndex":3,"paths":[[1,2,3,4]]}'),
        note(1, ponds["key"], "<h1>Idea</h1><p>Ask her.</p>", tags=[{"tag": "todo"}]),
        note(2, None, "<p>Alone</p>"),
        work(8, title="In the bin", deleted=1),
        attachment(8, key(8, "W")),
        *more,
    ]  # fmt: skip
    shared = [work(1, title="Ponds", citationKey="ponds1"), work(9, title="Shared")]
    return [
        RawLibrary(LibraryRef(version=12), own, COLLECTIONS),
        RawLibrary(GROUP, shared),
    ]


def test_the_items_of_her_own_library(kept: Kept) -> None:
    kept.put(library())
    snapshot = kept.source.snapshot(OWN)
    assert (snapshot.complete, snapshot.scope, snapshot.source) == (True, OWN, kept.source.name)
    assert [ref.name for ref in snapshot.libraries] == ["My Library"]
    items = {item.key: item for item in snapshot.items}
    assert {key: item.citation.citekey for key, item in items.items()} == {
        key(1, "W"): "ponds1", key(2, "W"): "lakes99", key(3, "W"): "smith32001Rivers",
    }  # fmt: skip
    ponds, lakes = items[key(1, "W")], items[key(2, "W")]
    assert [item.key_source for item in (ponds, lakes, items[key(3, "W")])] == [
        KeySource.NATIVE, KeySource.EXTRA, KeySource.GENERATED,
    ]  # fmt: skip
    assert ponds.citation.authors == ("Ann Smith1", "Institute of Ponds")
    assert (ponds.citation.year, ponds.citation.doi) == (2020, "10.1234/ponds.1")
    assert ponds.citation.collections == ("Thesis", "Thesis/Chapter 2")
    assert set(ponds.citation.tags) == {"water", "read"}
    assert (ponds.abstract, ponds.version) == ("On ponds.", 1)
    assert ponds.citation.csl["issued"] == {"date-parts": [[2020, 5, 17]]}
    assert ponds.added == "2011-01-01T00:00:00Z"
    assert (lakes.citation.year, lakes.citation.type) == (1999, "book")
    assert lakes.citation.csl["accessed"] == {"date-parts": [[2021, 6, 30]]}


def test_attachments_have_their_link_mode_path_and_address(kept: Kept) -> None:
    kept.put(library())
    found = {entry.key: entry for entry in kept.source.snapshot(OWN).attachments}
    assert {key: entry.link_mode for key, entry in found.items()} == {
        key(1, "F"): LinkMode.IMPORTED_FILE, key(2, "F"): LinkMode.IMPORTED_URL,
        key(3, "F"): LinkMode.LINKED_FILE, key(4, "F"): LinkMode.LINKED_URL,
        key(5, "F"): LinkMode.IMPORTED_FILE,
    }  # fmt: skip
    pdf, page, linked, link, alone = found.values()
    assert (pdf.file_name, pdf.md5, pdf.item_key) == ("paper 1.pdf", "0f" * 16, key(1, "W"))
    assert (page.url, page.content_type) == ("https://example.org/p", "text/html")
    assert (linked.path, linked.file_name) == ("/papers/lakes.pdf", "lakes.pdf")
    assert (link.path, link.url) == (None, "https://example.org/l")
    assert (alone.item_key, alone.title) == (None, "Alone")


def test_a_file_is_given_if_there_is_one(kept: Kept) -> None:
    kept.put(library())
    pdf, page, linked, link, _ = kept.source.snapshot(OWN).attachments
    stored = kept.files / "storage" / pdf.key / "paper 1.pdf"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"%PDF-1.7")
    opened = kept.source.file(pdf)
    assert opened is not None
    assert opened.read_bytes() == b"%PDF-1.7"
    assert [kept.source.file(entry) for entry in (page, linked, link)] == [None, None, None]


def test_notes_and_annotations(kept: Kept) -> None:
    kept.put(library())
    snapshot = kept.source.snapshot(OWN)
    assert [(n.key, n.item_key, n.title, n.html, n.tags) for n in snapshot.notes] == [
        (key(1, "N"), key(1, "W"), "Idea", "<h1>Idea</h1><p>Ask her.</p>", ("todo",)),
        (key(2, "N"), None, "Alone", "<p>Alone</p>", ()),
    ]
    mark, ink = snapshot.annotations
    assert (mark.kind, mark.attachment_key) == (AnnotationKind.HIGHLIGHT, key(1, "F"))
    assert (mark.text, mark.comment, mark.tags) == ("what stands on page 2", "Really?", ("doubt",))
    assert (mark.page, mark.page_label, mark.color) == (2, "2", "#ffd400")
    assert mark.rects == ((50, 700, 300, 712),)
    assert (ink.kind, ink.page, ink.rects) == (AnnotationKind.INK, 4, ((1, 2, 3, 4),))


def test_groups_only_if_they_are_named(kept: Kept) -> None:
    kept.put(library())
    both = kept.source.snapshot(ALL)
    assert [ref.name for ref in both.libraries] == ["My Library", "Ponds"]
    assert {item.library.name for item in both.items} == {"My Library", "Ponds"}
    only = kept.source.snapshot(LibraryScope(groups=("ponds",), user=False))
    assert {item.citation.title for item in only.items} == {"Ponds", "Shared"}
    assert only.items[0].address.startswith("zotero://select/groups/4355231/items/")
    with pytest.raises(InvalidRequest, match="Ponds"):
        kept.source.snapshot(LibraryScope(groups=("Lakes",)))


def test_a_collection_with_what_is_below(kept: Kept) -> None:
    kept.put(library())
    snapshot = kept.source.snapshot(LibraryScope(collections=("thesis",)))
    assert [item.citation.title for item in snapshot.items] == ["Ponds"]
    assert {entry.key for entry in snapshot.attachments} == {key(1, "F"), key(2, "F")}
    assert {entry.key for entry in snapshot.annotations} == {key(1, "A"), key(2, "A")}
    assert [entry.key for entry in snapshot.notes] == [key(1, "N")]
    assert [(c.path, c.parent, c.items) for c in snapshot.collections] == [
        ("Thesis", None, 0), ("Thesis/Chapter 2", THESIS, 1),
    ]  # fmt: skip
    other = kept.source.snapshot(LibraryScope(collections=(OTHER,)))
    assert key(5, "F") in {entry.key for entry in other.attachments}
    with pytest.raises(InvalidRequest, match="Thesis/Chapter 2"):
        kept.source.snapshot(LibraryScope(collections=("Chaptr 2",)))


def test_tags_select_and_exclude_items(kept: Kept) -> None:
    kept.put(library())
    scope = LibraryScope(tags=("water",))
    assert [i.citation.title for i in kept.source.snapshot(scope).items] == ["Ponds"]
    scope = LibraryScope(exclude_tags=("water",))
    assert len(kept.source.snapshot(scope).items) == 2


def test_the_status_counts_all_libraries(kept: Kept) -> None:
    kept.put(library())
    snapshot, status = kept.source.snapshot(ALL), kept.source.status()
    assert (status.items, status.attachments, status.notes, status.annotations) == (
        len(snapshot.items), len(snapshot.attachments), len(snapshot.notes),
        len(snapshot.annotations),
    ) == (5, 5, 2, 2)  # fmt: skip
    assert status.state == snapshot.state
    assert [ref.version for ref in status.libraries] == [12, 4]
    assert status.name == kept.source.name


def test_nothing_changed_is_seen_as_such(kept: Kept) -> None:
    kept.put(library())
    first = kept.source.snapshot(ALL)
    assert kept.source.snapshot(ALL) == first


def test_each_change_changes_the_state(kept: Kept) -> None:
    def with_items(change: object) -> list[RawLibrary]:
        own, group = library()
        items = [change(dict(item)) for item in own.items]  # type: ignore[operator]
        return [replace(own, items=[item for item in items if item]), group]

    changes = {
        "nothing": lambda item: item,
        "title": lambda item: {**item, "title": "New"} if item["key"] == key(1, "W") else item,
        "mark": lambda item: (
            {**item, "annotationComment": "No"} if item["itemType"] == "annotation" else item
        ),
        "gone": lambda item: None if item["key"] == key(3, "W") else item,
        "bin": lambda item: {**item, "deleted": 1} if item["key"] == key(3, "W") else item,
    }
    states = set()
    for change in changes.values():
        kept.put(with_items(change))
        states.add(kept.source.status().state)
    own, group = library()
    kept.put([replace(own, collections=[*COLLECTIONS[:2], {**COLLECTIONS[2], "name": "New"}]),
              group])  # fmt: skip
    states.add(kept.source.status().state)
    assert len(states) == len(changes) + 1


def test_a_digest_changes_with_its_entry_only(kept: Kept) -> None:
    kept.put(library())
    before = kept.source.snapshot(OWN)
    own, group = library()
    changed = [
        {**item, "title": "Renamed", "version": 99} if item["key"] == key(1, "W") else item
        for item in own.items
    ]
    kept.put([replace(own, items=changed), group])
    after = kept.source.snapshot(OWN)
    differ = [
        item.key
        for item, other in zip(before.items, after.items, strict=True)
        if item.digest != other.digest
    ]
    assert differ == [key(1, "W")]
    assert [one.digest for one in before.annotations] == [one.digest for one in after.annotations]


def test_each_source_says_the_same(kept: Kept, tmp_path: Path) -> None:
    other = MemoryKept(tmp_path)
    for keeper in (kept, other):
        keeper.put(library())
    mine, theirs = kept.source.snapshot(ALL), other.source.snapshot(ALL)
    for part in ("items", "notes", "annotations", "collections", "warnings"):
        assert getattr(mine, part) == getattr(theirs, part), part
    assert [
        found if found.path else found.model_copy(update={"path": known.path})  # not fetched yet
        for found, known in zip(mine.attachments, theirs.attachments, strict=True)
    ] == list(theirs.attachments)


def test_an_empty_library_is_one(kept: Kept) -> None:
    kept.put([RawLibrary(LibraryRef(), [])])
    snapshot = kept.source.snapshot(OWN)
    assert (snapshot.items, snapshot.complete) == ((), True)
    kept.source.close()
