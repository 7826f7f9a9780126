"""Files by name do the same in a folder and in object stores."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from citeloom.infrastructure.storage.blobs import Blobs, FolderBlobs
from citeloom_server.infrastructure.object_store import ObjectBlobs

NAME = "5e/5e5e.json.gz"


@pytest.fixture(params=["folder", "objects", pytest.param("s3", marks=pytest.mark.server)])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Blobs]:
    """Opens the same files as another machine would."""
    if request.param == "folder":
        return lambda: FolderBlobs(tmp_path / "shared")
    url = f"memory://{uuid4().hex}"
    if request.param == "s3":
        url = request.getfixturevalue("bucket")
    return lambda: ObjectBlobs(f"{url}/shared")


@pytest.fixture
def blobs(reopen: Callable[[], Blobs]) -> Blobs:
    return reopen()


def test_nothing_is_there_before_it_was_written(blobs: Blobs) -> None:
    assert blobs.read(NAME) is None
    assert blobs.stamp(NAME) is None
    assert list(blobs.names(".gz")) == []
    blobs.delete(NAME)


def test_what_was_written_is_read_by_others(reopen: Callable[[], Blobs]) -> None:
    writer, reader = reopen(), reopen()
    for content in (b"one", b"", b"\0\xff" * 300_000):
        writer.write(NAME, content)
        assert reader.read(NAME) == content
    assert reader.place(NAME).endswith(f"shared/{NAME}")


def test_a_stamp_changes_with_the_content_and_not_without(reopen: Callable[[], Blobs]) -> None:
    writer, reader = reopen(), reopen()
    writer.write(NAME, b"one")
    first = reader.stamp(NAME)
    assert reader.stamp(NAME) == first
    writer.write(NAME, b"two")
    assert reader.stamp(NAME) != first


def test_names_are_listed_in_order_below_all_folders(reopen: Callable[[], Blobs]) -> None:
    writer, reader = reopen(), reopen()
    names = ["ff/ff.gz", "00/00.gz", "00/00.json", "a.gz"]
    for name in names:
        writer.write(name, b"x")
    assert list(reader.names(".gz")) == ["00/00.gz", "a.gz", "ff/ff.gz"]
    writer.delete("a.gz")
    assert list(reader.names(".gz")) == ["00/00.gz", "ff/ff.gz"]
    assert reader.read("a.gz") is None


def test_of_many_who_write_one_name_readers_see_whole_contents(
    reopen: Callable[[], Blobs],
) -> None:
    contents = [bytes([letter]) * 200_000 for letter in b"abcd"]
    writers = [
        threading.Thread(target=lambda one=one: [reopen().write(NAME, one) for _ in range(5)])
        for one in contents
    ]
    reader = reopen()
    for writer in writers:
        writer.start()
    seen = [reader.read(NAME) for _ in range(40)]
    for writer in writers:
        writer.join()
    assert {one for one in seen if one is not None} <= set(contents)
    assert reader.read(NAME) in contents


@pytest.mark.parametrize("size", [0, 5, 2**20])
def test_a_file_is_kept_once_and_taken_by_others(
    reopen: Callable[[], Blobs], tmp_path: Path, size: int
) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"\0\xff7" * size)
    reopen().keep(NAME, source)
    before = reopen().stamp(NAME)
    target.write_bytes(b"what was here before" * 7)
    assert reopen().take(NAME, target)
    assert target.read_bytes() == source.read_bytes()
    source.write_bytes(b"another content, which has another name")
    reopen().keep(NAME, source)
    assert reopen().stamp(NAME) == before


def test_what_is_not_there_is_not_taken(blobs: Blobs, tmp_path: Path) -> None:
    assert not blobs.take(NAME, tmp_path / "target")
    assert not (tmp_path / "target").exists()
    with pytest.raises(FileNotFoundError):
        blobs.keep(NAME, tmp_path / "nothing")
    assert list(blobs.stored()) == []


def test_sizes_and_times_are_listed_by_name(blobs: Blobs) -> None:
    begun = time.time()
    blobs.write("b/b.pdf", b"12345")
    blobs.write("a.pdf", b"")
    listed = list(blobs.stored())
    assert [(one.name, one.size) for one in listed] == [("a.pdf", 0), ("b/b.pdf", 5)]
    assert all(begun - 5 <= one.written <= time.time() + 5 for one in listed)
