"""Every store of followed libraries does the same: in memory, on SQLite, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryFollowedLibraries
from support.stores.catalogues import HERE, ID_A, STORES, THERE, a_project, reopening

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.library import EntryKind, FollowedLibraries, Following, LibraryEntry
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library import LibraryScope
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.stores import SqlFollowedLibraries

ITEM = LibraryEntry(
    key="library/ABCD2345", kind=EntryKind.ITEM, scope="{}", item="library/ABCD2345"
)
FILE = LibraryEntry(
    key="groups/7/WXYZ2345",
    kind=EntryKind.ATTACHMENT,
    scope='{"tags":["Städte"]}',
    item="groups/7/ABCD2345",
    digest="0f",
    document_id=ID_A,
    stamp=SourceStamp(path="/papers/ß.pdf", size=2**40, mtime_ns=2**61),
    annotations="1e",
)


def a_following(**changes: object) -> Following:
    values: dict[str, object] = {
        "source": "zotero.sqlite",
        "place": "/home/ann/Zotero",
        "scope": LibraryScope(collections=("Thesis",), groups=("*",), user=False),
        "synced_at": "2026-03-01T12:00:00Z",
    }
    return Following.model_validate(values | changes)


@pytest.fixture(params=STORES)
def reopen(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], FollowedLibraries]]:
    yield from reopening(request, tmp_path, InMemoryFollowedLibraries, SqlFollowedLibraries)


def test_the_last_library_that_was_followed_is_stored_by_project(
    reopen: Callable[[], FollowedLibraries],
) -> None:
    store = reopen()
    assert store.following(HERE) is None
    store.follow(HERE, a_following())
    store.follow(HERE, a_following(state="5", items=3))
    assert reopen().following(HERE) == a_following(state="5", items=3)
    assert reopen().following(THERE) is None


def test_entries_come_back_by_key(reopen: Callable[[], FollowedLibraries]) -> None:
    store = reopen()
    assert store.entries(HERE) == {}
    store.put_entries(HERE, [ITEM, FILE])
    store.put_entries(HERE, [])
    store.put_entries(THERE, [ITEM])
    assert reopen().entries(HERE) == {ITEM.key: ITEM, FILE.key: FILE}


def test_an_entry_is_replaced_and_removed(reopen: Callable[[], FollowedLibraries]) -> None:
    store = reopen()
    store.put_entries(HERE, [ITEM, FILE])
    moved = LibraryEntry(key=ITEM.key, kind=EntryKind.ITEM, scope="{}", digest="2")
    store.put_entries(HERE, [moved])
    store.remove_entries(HERE, [FILE.key, "library/NOSUCHXX"])
    assert reopen().entries(HERE) == {ITEM.key: moved}


def test_an_unknown_project_has_no_library(
    reopen: Callable[[], FollowedLibraries], request: pytest.FixtureRequest
) -> None:
    if "memory" in request.node.name:
        pytest.skip("knows no projects")
    store, unknown = reopen(), ProjectId.parse("nobody")
    with pytest.raises(ProjectNotFound):
        store.follow(unknown, a_following())
    with pytest.raises(ProjectNotFound):
        store.put_entries(unknown, [ITEM])


def test_deleting_a_project_deletes_what_it_followed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalogue.sqlite'}"
    catalogue, store = SqlCatalogue(url), SqlFollowedLibraries(url)
    catalogue.add_project(a_project())
    store.follow(HERE, a_following())
    store.put_entries(HERE, [ITEM])
    catalogue.delete_project(HERE)
    assert store.following(HERE) is None
    assert store.entries(HERE) == {}
    store.close()
    catalogue.close()
