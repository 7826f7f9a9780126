"""Bundles and maps as files: same bytes, damage and newer versions told."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.domain.documents.conversion import ConversionResult, Structure
from citeloom.domain.errors import StorageFailed, WorkspaceTooNew
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.storage.blobs import FolderBlobs

ID = "5e" * 32


@pytest.fixture
def store(tmp_path: Path) -> FileBundleStore:
    return FileBundleStore(FolderBlobs(tmp_path / "bundles"), FolderBlobs(tmp_path / "maps"))


@pytest.fixture
def bundle(store: FileBundleStore, tmp_path: Path) -> Path:
    result = ConversionResult(
        doc_id=ID,
        structure=Structure(heading_tree=(), page_map=()),
        plain_text="the text of a paper, " * 50,
    )
    store.save(result, "f1")
    return tmp_path / "bundles" / "5e" / f"{ID}.json.gz"


def test_reading_creates_nothing(store: FileBundleStore, tmp_path: Path) -> None:
    assert store.load(ID) is None
    assert list(store.ids()) == []
    assert list(tmp_path.iterdir()) == []


def test_the_same_result_gives_the_same_bytes(
    store: FileBundleStore, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bundle.read_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    result = store.load(ID)
    assert result is not None
    store.save(result, "f1")
    assert bundle.read_bytes() == first


def cut_in_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flip_a_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def change_the_text(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content).replace(b"paper", b"PAPER"))


def drop_the_body(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content).partition(b"\n")[0])


def name_another_document(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content).replace(ID.encode(), b"ab" * 32))


@pytest.mark.parametrize(
    "damage",
    [
        cut_in_half,
        flip_a_bit,
        change_the_text,
        drop_the_body,
        name_another_document,
        lambda _: b"",
        lambda _: b"\0" * 500,
        lambda _: b"not gzip",
        lambda _: gzip.compress(b"not json\nat all"),
        lambda _: gzip.compress(b"[]\n{}"),
        lambda _: gzip.compress(b'{"format": "other", "version": 1}\n{}'),
    ],
)
def test_damage_is_told_with_the_file_and_the_next_step(
    store: FileBundleStore, bundle: Path, damage: Callable[[bytes], bytes]
) -> None:
    bundle.write_bytes(damage(bundle.read_bytes()))
    with pytest.raises(StorageFailed, match="damaged") as raised:
        store.verify(ID)
    with pytest.raises(StorageFailed, match="damaged") as raised:
        store.load(ID)
    assert raised.value.next_step == NextStep(Action.REPAIR)
    assert str(bundle) in raised.value.message
    assert "\n" not in raised.value.message


def test_a_newer_bundle_is_refused(store: FileBundleStore, bundle: Path) -> None:
    newer = gzip.decompress(bundle.read_bytes()).replace(b'"version": 1', b'"version": 2')
    bundle.write_bytes(gzip.compress(newer))
    with pytest.raises(WorkspaceTooNew, match=r"newer CiteLoom \(format 2\); upgrade CiteLoom"):
        store.load(ID)


def test_other_files_are_no_bundles(store: FileBundleStore, bundle: Path) -> None:
    bundle.with_name(f".{bundle.name}.0123abcd-1-0.tmp").touch()
    bundle.with_name("notes.txt").touch()
    assert list(store.ids()) == [ID]


@pytest.fixture
def map_file(store: FileBundleStore, tmp_path: Path) -> Path:
    node = Node(id="s1", type="section", location=Location(modality="document", pages=(1,)))
    store.save_map(
        ID,
        ResourceMap(
            resource_id=ID[:16], type="document", title="Ünï", source_path="/a", nodes=(node,)
        ),
    )
    return tmp_path / "maps" / f"{ID[:16]}.json"


def test_a_map_is_json_for_people_without_nulls(map_file: Path) -> None:
    text = map_file.read_text(encoding="utf-8")
    found = json.loads(text)
    assert "null" not in text
    assert "Ünï" in text
    assert text.count("\n") > 10
    assert found["nodes"][0]["location"] == {"modality": "document", "pages": [1]}
    assert found["metadata"].keys() == {"map_version", "content_sha256"}


def test_a_damaged_map_is_told(store: FileBundleStore, map_file: Path) -> None:
    map_file.write_text("{", encoding="utf-8")
    with pytest.raises(StorageFailed, match="damaged"):
        store.load_map(ID)


def test_a_map_with_another_word_is_damaged_and_one_without_digest_is_not(
    store: FileBundleStore, map_file: Path
) -> None:
    text = map_file.read_text(encoding="utf-8")
    map_file.write_text(text.replace('"/a"', '"/q.pdf"'), encoding="utf-8")
    with pytest.raises(StorageFailed, match="its digest differs"):
        store.load_map(ID)
    edited = json.loads(text)
    del edited["metadata"]["content_sha256"]
    edited["source_path"] = "/q.pdf"
    map_file.write_text(json.dumps(edited), encoding="utf-8")
    loaded = store.load_map(ID)
    assert loaded is not None
    assert loaded.source_path == "/q.pdf"


def test_a_newer_map_is_refused(store: FileBundleStore, map_file: Path) -> None:
    text = map_file.read_text(encoding="utf-8")
    map_file.write_text(text.replace('"map_version": 1', '"map_version": 9'), encoding="utf-8")
    with pytest.raises(WorkspaceTooNew, match="format 9"):
        store.load_map(ID)


def a_map(title: str) -> ResourceMap:
    node = Node(id="n", type="page", location=Location(modality="document", pages=(1,)))
    return ResourceMap(
        resource_id=ID[:16], type="document", title=title, source_path="/p.pdf", nodes=(node,)
    )


def test_an_unchanged_map_is_parsed_once(
    store: FileBundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save_map(ID, a_map("one"))
    first = store.load_map(ID)
    monkeypatch.setattr(Path, "read_bytes", lambda _: b"never")
    assert store.load_map(ID) is first


def test_a_map_that_another_process_replaced_is_read_again(
    store: FileBundleStore, tmp_path: Path
) -> None:
    other = FileBundleStore(FolderBlobs(tmp_path / "bundles"), FolderBlobs(tmp_path / "maps"))
    for title in ("one", "two", "six"):
        other.save_map(ID, a_map(title))
        found = store.load_map(ID)
        assert found is not None
        assert found.title == title
    store.delete(ID)
    assert store.load_map(ID) is None
