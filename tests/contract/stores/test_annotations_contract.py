"""Every store of annotations does the same: in memory, on SQLite, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.in_memory.stores import InMemoryAnnotationStore
from support.stores.catalogues import (
    HERE,
    ID_A,
    ID_B,
    STORES,
    THERE,
    a_document,
    a_project,
    reopening,
)

from citeloom.application.ports.library import AnnotationStore
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library import AnnotationKind, LibraryAnnotation, LibraryKind, LibraryRef
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.stores import SqlAnnotationStore


def an_annotation(key: str = "KEY", **more: Any) -> LibraryAnnotation:
    values: dict[str, Any] = {
        "key": key,
        "attachment_key": "ATT",
        "library": LibraryRef(kind=LibraryKind.GROUP, id=7, name="Städte", version=12),
        "version": 3,
        "kind": AnnotationKind.UNDERLINE,
        "text": 'Ponds "cool"',
        "comment": "東京?",
        "page": 3,
        "rects": ((1.0, 2.5, 3.0, 4.0),),
        "tags": ("a", "b"),
    }
    return LibraryAnnotation(**values | more)


@pytest.fixture(params=STORES)
def reopen(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], AnnotationStore]]:
    yield from reopening(request, tmp_path, InMemoryAnnotationStore, SqlAnnotationStore)


def test_annotations_come_back_equal_and_in_order(reopen: Callable[[], AnnotationStore]) -> None:
    store = reopen()
    assert list(store.annotations(HERE, ID_A)) == []
    put = [an_annotation("Z"), an_annotation("A", page=None, rects=())]
    store.put(HERE, ID_A, put)
    assert list(reopen().annotations(HERE, ID_A)) == put
    assert list(store.annotations(HERE, ID_B)) == list(store.annotations(THERE, ID_A)) == []
    assert store.counts(HERE) == {ID_A: 2}


def test_what_is_put_is_not_settled_until_it_is_said(
    reopen: Callable[[], AnnotationStore],
) -> None:
    store = reopen()
    assert ID_A not in store.digests(HERE)
    store.record_digest(HERE, ID_A, "never put")
    assert ID_A not in store.digests(HERE)
    store.put(HERE, ID_A, [an_annotation()])
    assert store.digests(HERE)[ID_A] == ""
    store.record_digest(HERE, ID_A, "one")
    assert reopen().digests(HERE) == {ID_A: "one"}
    store.put(HERE, ID_A, [])
    assert (store.digests(HERE)[ID_A], list(store.annotations(HERE, ID_A))) == ("", [])
    assert store.counts(HERE) == {}


def test_they_stay_when_a_document_is_written_anew_and_go_with_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalogue.sqlite'}"
    catalogue, store = SqlCatalogue(url), SqlAnnotationStore(url)
    assert list(store.annotations(HERE, ID_A)) == []
    with pytest.raises(ProjectNotFound):
        store.put(HERE, ID_A, [an_annotation()])
    catalogue.add_project(a_project())
    catalogue.put_document(a_document())
    for document in (ID_A, ID_B):
        store.put(HERE, document, [an_annotation()])
    catalogue.put_document(a_document(title="Renamed"))
    assert store.counts(HERE) == {ID_A: 1, ID_B: 1}
    catalogue.remove_documents(HERE, [ID_A])
    assert store.counts(HERE) == {ID_B: 1}
    catalogue.delete_project(HERE)
    assert ID_B not in store.digests(HERE)
    catalogue.close()
    store.close()
