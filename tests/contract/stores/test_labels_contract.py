"""Every label store does the same: in memory, on SQLite, through SQLAlchemy, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryLabelStore
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

from citeloom.application.ports.maps import LabelStore
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.storage.stores import SqlLabelStore

BODY = "ndk://file/p/a/$body"


def a_label(name: str = "mood", target: str = BODY, value: str = "good") -> ResourceLabel:
    return ResourceLabel(name=name, target=target, value=value)


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], LabelStore]]:
    yield from reopening(request, tmp_path, InMemoryLabelStore, SqlLabelStore)


def test_labels_come_back_by_target_and_name(reopen: Callable[[], LabelStore]) -> None:
    store = reopen()
    assert store.labels(HERE) == []
    chunk = a_label(target="ndk://file/p/a/$chunk/01")
    tags = ResourceLabel(name="tags", target=BODY, value=("Städte", "x"))
    for label in (chunk, tags, a_label()):
        store.put(HERE, ID_A, label)
    assert reopen().labels(HERE) == [a_label(), tags, chunk]


def test_of_one_name_a_target_has_one_label(reopen: Callable[[], LabelStore]) -> None:
    store = reopen()
    store.put(HERE, ID_A, a_label())
    store.put(HERE, ID_A, a_label(value="better"))
    assert store.labels(HERE) == [a_label(value="better")]


def test_documents_and_projects_have_their_own(reopen: Callable[[], LabelStore]) -> None:
    store = reopen()
    store.put(HERE, ID_A, a_label())
    store.put(HERE, None, a_label("of_all"))
    assert store.labels(HERE, ID_A) == [a_label()]
    assert store.labels(HERE, ID_B) == store.labels(THERE) == []
    assert len(store.labels(HERE)) == 2


def test_a_label_is_taken_away_once(reopen: Callable[[], LabelStore]) -> None:
    store = reopen()
    store.put(HERE, ID_A, a_label())
    assert not store.remove(HERE, BODY, "other")
    assert not store.remove(THERE, BODY, "mood")
    assert store.remove(HERE, BODY, "mood")
    assert not store.remove(HERE, BODY, "mood")


def test_labels_stay_when_a_document_is_written_anew_and_go_with_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalogue.sqlite'}"
    catalogue, store = SqlCatalogue(url), SqlLabelStore(url)
    assert store.labels(HERE) == []
    with pytest.raises(ProjectNotFound):
        store.put(HERE, ID_A, a_label())
    catalogue.add_project(a_project())
    catalogue.put_document(a_document())
    store.put(HERE, ID_A, a_label())
    store.put(HERE, None, a_label("of_all"))
    catalogue.put_document(a_document(title="Renamed"))
    assert len(store.labels(HERE)) == 2
    catalogue.remove_documents(HERE, [ID_A])
    assert store.labels(HERE) == [a_label("of_all")]
    catalogue.delete_project(HERE)
    assert store.labels(HERE) == []
    catalogue.close()
    store.close()
