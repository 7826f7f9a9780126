"""Kinds of files in a workspace, and ways to damage one whose time stays: as a bad sector does."""

import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path

_SHARD = "index/*/shard"
_SEGMENT = f"{_SHARD}/segments/*"
_FIELD = f"{_SEGMENT}/payload_index/*-document-map"

#: 26 kinds, by the place of one such file below ``.citeloom``; of several the first is taken.
KINDS: Mapping[str, str] = {
    "catalogue": "catalogue.sqlite",
    "bundle": "bundles/*/*.json.gz",
    "map": "maps/*.json",
    "index format": "index/*/format.json",
    "shard configuration": f"{_SHARD}/edge_config.json",
    "log": f"{_SHARD}/wal/open-1",
    "log index": f"{_SHARD}/wal/first-index",
    "segment state": f"{_SEGMENT}/segment.json",
    "segment version": f"{_SEGMENT}/version.info",
    "id mappings": f"{_SEGMENT}/mutable_id_tracker.mappings",
    "id versions": f"{_SEGMENT}/mutable_id_tracker.versions",
    "payload page": f"{_SEGMENT}/payload_storage/page_0.dat",
    "payload tracker": f"{_SEGMENT}/payload_storage/tracker.dat",
    "payload bitmask": f"{_SEGMENT}/payload_storage/bitmask.dat",
    "payload gaps": f"{_SEGMENT}/payload_storage/gaps.dat",
    "payload configuration": f"{_SEGMENT}/payload_storage/config.json",
    "dense vectors": f"{_SEGMENT}/vector_storage-dense/vectors/chunk_0.mmap",
    "dense status": f"{_SEGMENT}/vector_storage-dense/vectors/status.dat",
    "dense deletions": f"{_SEGMENT}/vector_storage-dense/deleted/flags_a.dat",
    "term vectors": f"{_SEGMENT}/vector_storage-bm25/store/page_0.dat",
    "term tracker": f"{_SEGMENT}/vector_storage-bm25/store/tracker.dat",
    "sentence vectors": f"{_SEGMENT}/vector_storage-sentences/vectors/chunk_0.mmap",
    "sentence offsets": f"{_SEGMENT}/vector_storage-sentences/offsets/chunk_0.mmap",
    "field index": f"{_FIELD}/page_0.dat",
    "field tracker": f"{_FIELD}/tracker.dat",
    "field configuration": f"{_SEGMENT}/payload_index/config.json",
}


def delete(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    os.truncate(file, 0)


def half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def garble(file: Path) -> None:
    """Random bytes over the middle third of what is written, holes apart."""
    with open(file, "rb+") as opened:
        start, end = 0, file.stat().st_size
        if hasattr(os, "SEEK_DATA"):
            try:
                start = os.lseek(opened.fileno(), 0, os.SEEK_DATA)
                end = min(end, os.lseek(opened.fileno(), start, os.SEEK_HOLE))
            except OSError:  # nothing but a hole
                end = min(end, 4096)
        third = max(1, (end - start) // 3)
        opened.seek(start + (end - start - third) // 2)
        opened.write(random.Random(26).randbytes(third))


WAYS: Mapping[str, Callable[[Path], None]] = {
    way.__name__: way for way in (delete, empty, half, garble)
}


def damage(file: Path, way: str) -> None:
    """Damage a file; its modification time stays."""
    times = file.stat()
    WAYS[way](file)
    if file.exists():
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def damaged_file(workspace: Path, kind: str) -> Path:
    """The file of that kind."""
    return min((workspace / ".citeloom").glob(KINDS[kind]))
