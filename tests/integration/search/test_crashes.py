"""kill -9, damage, full disks: what was acknowledged is there, or the user hears why not."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from support.workers.index_worker import COLLECTION, DIMENSION, PASSAGES, document

from citeloom.application.ports.index import SparseVector
from citeloom.domain.errors import IndexUnavailable, StorageFailed, WorkspaceTooNew
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.search.edge.shard import FORMAT


def fill(index, *docs):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        for doc in docs:
            opened.replace_document(doc, document(doc))
        opened.flush()
    index.close()


def versions(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        found = {}
        for passage in opened.passages():
            version = passage.chunk.section_path[0]
            of_document = found.setdefault(passage.chunk.doc_id, {})
            of_document[version] = of_document.get(version, 0) + 1
        return found


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.faults)])
def test_no_acknowledged_document_is_lost_or_half_there_after_kill_9(index, worker, kills):
    chance = random.Random(7)
    acknowledged = {}
    for first in range(0, 1000 * kills, 1000):
        writer = worker("citeloom ingest")
        writer.tell(f"ingest {first}")
        while not (said := writer.hear()):
            pass
        time.sleep(chance.uniform(0.0, 0.5))
        for each in [said, *writer.kill()]:
            acknowledged[each["stored"]] = each["version"]
        found = versions(index)
        for doc, version in acknowledged.items():
            assert found[doc].get(version) == PASSAGES or found[doc].get("v2") == PASSAGES, doc
        for doc, passages in found.items():
            assert set(passages.values()) == {PASSAGES}, f"{doc} is half there"
        index.close()
    assert len(acknowledged) >= kills


def test_a_document_replaced_after_a_kill_holds_its_new_passages_only(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.replace_document("a", document("a", version="v1"))
        opened.replace_document("a", document("a", 5, version="v2"))
    assert versions(index) == {"a": {"v2": 5}}


def test_what_a_killed_optimize_or_repair_left_behind_is_removed(index, root):
    fill(index, "a")
    leftover = root / COLLECTION / "shard" / "temp_segments" / "half"
    leftover.mkdir(parents=True)
    (leftover / "page.dat").write_bytes(b"x" * 1000)
    unfinished = root / COLLECTION / "renewal" / COLLECTION / "shard"
    unfinished.mkdir(parents=True)
    assert versions(index) == {"a": {"v1": PASSAGES}}
    assert not leftover.exists()
    assert not unfinished.exists()


def test_a_creation_that_was_killed_is_begun_again(index, root):
    (root / COLLECTION / "shard.new").mkdir(parents=True)
    (root / COLLECTION / "shard.new" / "edge_config.json").write_text("{")
    assert not index.exists(COLLECTION)
    fill(index, "a")
    assert versions(index) == {"a": {"v1": PASSAGES}}


def one(root, pattern):
    return next((root / COLLECTION / "shard").rglob(pattern))


def garble(path):
    content = bytearray(path.read_bytes())
    content[100:300] = random.Random(1).randbytes(200)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("pattern", "damage", "clean"),
    [
        # The engine would end the process: its own allocation fails.
        ("mutable_id_tracker.mappings", garble, False),
        ("mutable_id_tracker.mappings", garble, True),
        ("segment.json", lambda path: path.write_text("{"), True),
        ("edge_config.json", lambda path: path.write_bytes(b"\x00\xff"), False),
        ("first-index", lambda path: path.write_bytes(b""), False),
        ("payload_storage/page_0.dat", lambda path: path.unlink(), True),
        ("vector_storage-dense/deleted/status.dat", lambda path: os.truncate(path, 3), True),
        ("vector_storage-dense/vectors/status.dat", lambda path: path.unlink(), True),
    ],
)
def test_a_damaged_shard_is_reported_with_the_way_to_mend_it(index, root, pattern, damage, clean):
    fill(index, "a")
    if not clean:
        (root / COLLECTION / "sums.json").unlink()
    damage(one(root, pattern))
    with pytest.raises(IndexUnavailable, match=r"damaged|failed") as caught:
        versions(index)
    assert caught.value.next_step == NextStep(Action.REPAIR)
    assert caught.value.message.startswith(COLLECTION)
    if damage is garble:
        index.drop(COLLECTION)
        fill(index, "b")
        assert versions(index) == {"b": {"v1": PASSAGES}}


@pytest.mark.parametrize(
    "patterns",
    [
        [
            "payload_storage/page_0.dat",
            "vector_storage-sentences/offsets/chunk_0.mmap",
            "vector_storage-dense/vectors/chunk_0.mmap",
            "vector_storage-sentences/vectors/chunk_0.mmap",
            "vector_storage-bm25/store/page_0.dat",
            "payload_index/*-document-map/page_0.dat",
        ],
        ["wal/open-1"],
    ],
    ids=["stored", "wal"],
)
def test_any_change_since_the_last_clean_end_is_seen(index, root, patterns):
    fill(index, "a")
    for pattern in patterns:
        changed = one(root, pattern)
        whole, times = changed.read_bytes(), changed.stat()
        with open(changed, "rb+") as file:
            file.seek(50)
            file.write(b"\xa5" * 64)
        os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))  # as a bad sector would look
        for _ in "asked", "asked again":
            with pytest.raises(
                IndexUnavailable, match=f"{changed.name} changed or gone since it was"
            ):
                versions(index)
        changed.write_bytes(whole)
    assert versions(index) == {"a": {"v1": PASSAGES}}


def test_a_shard_that_was_copied_or_whose_user_was_killed_is_opened(index, root):
    fill(index, "a")
    copied = root.parent / "copied"
    shutil.copytree(root, copied, copy_function=shutil.copyfile)
    assert versions(type(index)(copied)) == {"a": {"v1": PASSAGES}}
    assert versions(index) == {"a": {"v1": PASSAGES}}
    index.close()
    (root / COLLECTION / "sums.json").unlink()
    assert versions(index) == {"a": {"v1": PASSAGES}}


def test_a_trial_that_does_not_start_says_nothing_of_the_shard(index, root, monkeypatch):
    fill(index, "one")
    (root / COLLECTION / "sums.json").unlink()
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(IndexUnavailable, match=r"did not start.*try again") as raised:
        fill(index, "two")
    assert raised.value.next_step is None
    monkeypatch.undo()
    fill(index, "two")
    assert set(versions(index)) == {"one", "two"}


def test_a_damaged_shard_is_renewed_whatever_state_it_is_in(index, root):
    fill(index, "a")
    garble(one(root, "mutable_id_tracker.mappings"))
    (root / COLLECTION / "format.json").write_text("{")
    with index.renewal(COLLECTION, dimension=DIMENSION) as beside:
        fill(beside, "b")
    assert versions(index) == {"b": {"v1": PASSAGES}}
    assert not (root / COLLECTION / "renewal").exists()


def test_a_folder_of_another_collection_is_refused(index, root):
    fill(index, "a")
    shutil.copytree(root / COLLECTION, root / "proj-other")
    with (
        pytest.raises(IndexUnavailable, match=f"it belongs to {COLLECTION}"),
        index.open("proj-other", dimension=DIMENSION),
    ):
        pass


def test_an_index_of_a_later_version_is_left_alone(index, root):
    fill(index, "a")
    written = root / COLLECTION / "format.json"
    written.write_text(json.dumps({**json.loads(written.read_text()), "version": FORMAT + 1}))
    with pytest.raises(WorkspaceTooNew, match=f"format {FORMAT + 1}"):
        versions(index)


def test_a_full_disk_is_an_error_before_the_engine_dies_of_it(index, root, monkeypatch):
    fill(index, "a")
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=90 * 2**20))
        with pytest.raises(StorageFailed, match="the disk is full") as caught:
            opened.replace_document("b", document("b"))
        assert str(root / COLLECTION) in str(caught.value)
    assert versions(index) == {"a": {"v1": PASSAGES}}
    index.close()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2**20))
    with pytest.raises(StorageFailed, match="the disk is full"):
        versions(index)


def test_an_index_is_not_opened_without_room_for_the_files_that_it_fills(index, root, monkeypatch):
    fill(index, "a")
    index.close()
    for path in root.glob("*/shard/segments/*/vector_storage-dense/vectors/chunk_0*"):
        size = path.stat().st_size
        os.truncate(path, 4096)
        os.truncate(path, size)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=20 * 2**20))
    with pytest.raises(StorageFailed, match=r"the index needs 4[78] MB of room"):
        versions(index)


def test_a_folder_that_cannot_be_written_is_named(index, root):
    root.write_text("a file where the folder should be")
    with pytest.raises(StorageFailed, match="cannot be locked") as caught:
        versions(index)
    assert str(root) in str(caught.value)


def test_the_engine_is_imported_when_a_shard_is_opened_and_not_before():
    check = (
        "import sys, citeloom.infrastructure.search.edge.index;"
        "sys.exit(bool({'qdrant_edge', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("name", ["", "..", "a/b", "/etc"])
def test_a_collection_name_is_no_path(index, name):
    with (
        pytest.raises(ValueError, match="not a collection name"),
        index.open(name, dimension=DIMENSION),
    ):
        pass


def test_scores_by_terms_do_not_know_what_was_removed(index):
    fill(index, *"abcde")

    def scores():
        with index.open(COLLECTION, dimension=DIMENSION) as opened:
            words = SparseVector([1, 12], [1.0, 1.0])
            hits = opened.search(dense=None, sparse=words, filter=Filter(), limit=300)
            return {hit.id: hit.sparse for hit in hits}

    before = scores()
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.replace_document("f", document("f", 1))  # one of 201, too few to compact
        opened.flush()
        assert scores().items() - before.items()
        opened.delete_documents(["f"])
        opened.flush()
    assert scores() == before
