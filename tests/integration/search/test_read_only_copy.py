"""A collection that may not be written is read from a copy, and nothing is written to either."""

import pytest
from support.workers.index_worker import COLLECTION, DIMENSION, document

from citeloom.domain.errors import ShardBusy, StorageFailed
from citeloom.infrastructure.search.edge import index as edge_index
from citeloom.infrastructure.search.edge.copies import copy_to_temporary
from citeloom.infrastructure.system.locks import OsLock, ReadLock


def files(folder):
    return {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def written(index, root):
    """The folder of a closed collection of one document."""
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        opened.replace_document("paper", document("paper", 3))
    index.close()
    return root / COLLECTION


def test_a_copy_is_asked_and_deleted(written, monkeypatch, tmp_path_factory):
    index = edge_index.EdgeIndex(written.parent)
    place = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setattr(edge_index, "is_read_only", lambda folder: True)
    before = files(written)
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        assert opened.counts() == {"paper": 3}
        with pytest.raises(StorageFailed, match=rf"{written}.* make the folder writable"):
            opened.replace_document("other", document("other", 2))
        with pytest.raises(StorageFailed):
            opened.compact()
    with index.held(COLLECTION) as held:
        assert held.parent.parent == place
    assert len(list(place.iterdir())) == 1
    index.close()
    assert not list(place.iterdir())
    assert files(written) == before


def test_nothing_is_copied_while_another_process_writes(written):
    holder = OsLock(written / "lock")
    assert holder.acquire()
    with pytest.raises(ShardBusy, match="held by another process"):
        copy_to_temporary(written, 0.1)
    holder.release()


def test_a_reader_holds_off_writers(written):
    (written / "lock").chmod(0o444)
    reader, writer = ReadLock(written / "lock"), OsLock(written / "lock")
    assert reader.acquire()
    assert not writer.acquire()
    reader.release()
    assert writer.acquire()
    writer.release()


def test_a_copy_without_room_is_refused(written, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda place: type("Usage", (), {"free": 0}))
    with pytest.raises(StorageFailed, match=r"no room for a copy .* set TMPDIR"):
        copy_to_temporary(written, 0.1)
