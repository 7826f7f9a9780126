"""Every bundle store does the same, on disk and in memory."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from support.in_memory.stores import InMemoryBundleStore

from citeloom.application.ports.ingest import BundleStore, Refusal
from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    ConversionResult,
    Figure,
    Heading,
    PageEntry,
    Structure,
)
from citeloom.domain.documents.spans import CharSpan, Line
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.storage.blobs import FolderBlobs
from citeloom_server.infrastructure.object_store import ObjectBlobs

ID = "5e" * 32


@pytest.fixture(params=["memory", "files", "objects", pytest.param("s3", marks=pytest.mark.server)])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], BundleStore]:
    if request.param == "memory":
        memory = InMemoryBundleStore()
        return lambda: memory
    if request.param == "files":
        folders = FolderBlobs(tmp_path / "bundles"), FolderBlobs(tmp_path / "maps")
        return lambda: FileBundleStore(*folders)
    url = f"memory://{uuid4().hex}"
    if request.param == "s3":
        url = request.getfixturevalue("bucket")
    return lambda: FileBundleStore(ObjectBlobs(f"{url}/bundles"), ObjectBlobs(f"{url}/maps"))


@pytest.fixture
def store(reopen: Callable[[], BundleStore]) -> BundleStore:
    return reopen()


def a_result(document_id: str = ID, text: str = "Ünï 法 🜚 text") -> ConversionResult:
    span = CharSpan(start=0, end=len(text))
    return ConversionResult(
        doc_id=document_id,
        structure=Structure(
            heading_tree=(
                Heading(
                    title="1",
                    level=1,
                    span=span,
                    page=1,
                    children=(Heading(title="1.1", level=2, span=span),),
                ),
            ),
            page_map=(PageEntry(page=1, label="xii", width=595.276, height=841.89, spans=(span,)),),
        ),
        plain_text=text,
        blocks=(
            Block(
                label=BlockLabel.TEXT,
                span=span,
                lines=(Line(0, len(text), 1, (1.1, 2.2, 3.3, 1 / 3)),),
            ),
        ),
        figures=(Figure(page=1, bbox=(0.0, 0.0, 1.0, 1.0), caption="A\u2028B"),),
        title="T",
        identifiers=("10.1/x",),
        warnings=("w",),
    )


def a_map(title: str = "T") -> ResourceMap:
    node = Node(id="s1", type="section", location=Location(modality="document", pages=(1, 2)))
    return ResourceMap(
        resource_id=ID[:16],
        type="document",
        title=title,
        source_path="/a.pdf",
        nodes=(node.model_copy(update={"children": (node.model_copy(update={"id": "s1.1"}),)}),),
        metadata={"source_hash": ID, "source_size": 7},
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_nothing_was_written_yet(store: BundleStore) -> None:
    assert store.load(ID) is None
    assert store.load_map(ID) is None
    assert list(store.ids()) == []
    store.delete(ID)


def test_a_result_comes_back_as_it_was_saved(reopen: Callable[[], BundleStore]) -> None:
    reopen().save(a_result(), "docling 1")
    assert reopen().load(ID) == a_result()
    assert reopen().load(ID, "docling 1") == a_result()


def test_another_converter_s_result_is_none(store: BundleStore) -> None:
    store.save(a_result(), "docling 1")
    assert store.load(ID, "docling 2") is None


def test_saving_again_replaces(store: BundleStore) -> None:
    store.save(a_result(), "docling 1")
    store.save(a_result(text="new"), "docling 2")
    assert store.load(ID, "docling 1") is None
    assert store.load(ID, "docling 2") == a_result(text="new")
    assert list(store.ids()) == [ID]


def test_ids_are_listed_in_ascending_order(store: BundleStore) -> None:
    for one in ("ff" * 32, "00" * 32, "0f" * 32):
        store.save(a_result(one), "f")
    assert list(store.ids()) == ["00" * 32, "0f" * 32, "ff" * 32]


def test_a_map_comes_back_as_it_was_saved(reopen: Callable[[], BundleStore]) -> None:
    reopen().save_map(ID, a_map())
    assert reopen().load_map(ID) == a_map()
    assert list(reopen().ids()) == []
    reopen().save_map(ID, bare := a_map("U").model_copy(update={"metadata": None}))
    assert reopen().load_map(ID) == bare


def test_a_reference_list_comes_back_until_another_reader_makes_it(
    reopen: Callable[[], BundleStore],
) -> None:
    works = (CitedWork(text="Ponds. 2022.", span=CharSpan(start=3, end=15), year=2022),)
    reopen().save_works(ID, "docling 1 list-1", works)
    assert reopen().load_works(ID, "docling 1 list-1") == works
    assert reopen().load_works(ID, "docling 2 list-1") is None
    reopen().save_works(ID, "docling 2 list-1", ())
    assert reopen().load_works(ID, "docling 2 list-1") == ()
    for forget in (lambda: reopen().save(a_result(), "docling 2"), lambda: reopen().delete(ID)):
        reopen().save_works(ID, "docling 2 list-1", works)
        forget()
        assert reopen().load_works(ID, "docling 2 list-1") is None


def test_a_damaged_reference_list_is_none(tmp_path: Path) -> None:
    store = FileBundleStore(FolderBlobs(tmp_path / "bundles"), FolderBlobs(tmp_path / "maps"))
    store.save_works(ID, "f", ())
    (tmp_path / "bundles" / ID[:2] / f"{ID}.references.json").write_text("[")
    assert store.load_works(ID, "f") is None


def test_delete_takes_bundle_and_map(store: BundleStore) -> None:
    store.save(a_result(), "f")
    store.save_map(ID, a_map())
    store.save(a_result("aa" * 32), "f")
    store.delete(ID)
    assert store.load(ID) is None
    assert store.load_map(ID) is None
    assert list(store.ids()) == ["aa" * 32]


@pytest.mark.parametrize("document_id", ["", "..", "../x", "a/b", "a\\b", ".hidden", "a\0"])
def test_an_id_that_is_no_file_name_is_refused(store: BundleStore, document_id: str) -> None:
    for ask in (store.load, store.load_map, store.delete):
        with pytest.raises(ValueError, match="not a document id"):
            ask(document_id)


def test_maps_of_documents_and_of_others_are_listed_by_resource_id(store: BundleStore) -> None:
    assert list(store.map_ids()) == []
    for one in (ID, "lecture_01-a-name-that-is-longer", "0123456789abcdef"):
        made = ResourceMap(resource_id=one, type="text", title=one, source_path="/t")
        store.save_map(one, made)
        assert store.load_map(one) == made
    ids = [ID[:16], "0123456789abcdef", "lecture_01-a-name-that-is-longer"]
    assert list(store.map_ids()) == sorted(ids)
    assert store.load_map(ID[:16]) == store.load_map(ID)
    for one in ("../x", "", "a/b", "nul\0"):
        with pytest.raises(ValueError, match="is not a document id"):
            store.save_map(one, a_map_of(one))


def a_map_of(title: str) -> ResourceMap:
    return ResourceMap(resource_id="r", type="text", title=title, source_path="/t")


def test_a_stored_conversion_is_verified(store: BundleStore) -> None:
    assert not store.verify(ID)
    store.save(a_result(), "f")
    assert store.verify(ID)


def test_a_refusal_is_remembered_until_the_document_is_stored_or_deleted(
    reopen: Callable[[], BundleStore],
) -> None:
    store, refusal = reopen(), Refusal(reason="needs more than 2 GB", capacity="2048 MB")
    assert store.refusal(ID) is None
    store.refuse(ID, refusal)
    assert reopen().refusal(ID) == refusal
    assert list(store.ids()) == []
    store.save(a_result(), "f")
    assert reopen().refusal(ID) is None
    store.refuse(ID, refusal)
    store.delete(ID)
    assert reopen().refusal(ID) is None
