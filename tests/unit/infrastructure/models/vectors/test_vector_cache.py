"""The cache of vectors: known texts are not embedded again, and no failure of it stops anything."""

import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from support.in_memory.embedder import HashingEmbedder

from citeloom.domain.progress import Cancelled
from citeloom.infrastructure.models import vectors as vector_cache
from citeloom.infrastructure.models.vectors import CachingEmbedder, VectorCache, key_of

MEGABYTE = 2**20


class CountingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        seen = list(texts)
        self.texts += seen
        return iter(list(super().embed(seen)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".citeloom" / "cache" / "vectors.sqlite"


def cached(path: Path, max_bytes: int = MEGABYTE) -> tuple[CachingEmbedder, CountingEmbedder]:
    inner = CountingEmbedder()
    return CachingEmbedder(inner, VectorCache(path, max_bytes=max_bytes)), inner


def floats32(vectors: Iterable[Sequence[float]]) -> list[Sequence[float]]:
    return [pytest.approx(list(vector), rel=1e-6) for vector in vectors]


def test_a_known_text_is_embedded_once_by_all_that_use_the_file(path: Path) -> None:
    texts = [f"pond {n % 700}" for n in range(1500)]
    embedder, inner = cached(path)
    first = list(embedder.embed(texts))
    assert len(inner.texts) == 700
    other, second_inner = cached(path)
    assert list(other.embed([*texts, "new"]))[:-1] == floats32(first)
    assert second_inner.texts == ["new"]


def test_vectors_of_another_model_are_not_taken(path: Path) -> None:
    cache = VectorCache(path, max_bytes=MEGABYTE)
    cache.add({key_of("one@2:ab", "pond"): [1.0, 0.0]})
    assert cache.vectors([key_of("two@2:ab", "pond")], 2) == {}
    assert cache.vectors([key_of("one@2:ab", "pond")], 2) == {key_of("one@2:ab", "pond"): [1, 0]}


def test_a_changed_byte_is_not_a_vector(path: Path) -> None:
    cache, key = VectorCache(path, max_bytes=MEGABYTE), key_of("m", "pond")
    cache.add({key: [1.0, 0.0]})
    with sqlite3.connect(path) as connection:
        ((blob,),) = connection.execute("SELECT vector FROM vectors")
        changed = blob[:3] + bytes([blob[3] ^ 1]) + blob[4:]
        connection.execute("UPDATE vectors SET vector = ?", (changed,))
    assert cache.vectors([key], 2) == {}
    cache.add({key: [1.0, 0.0]})
    assert cache.vectors([key], 2) == {key: [1.0, 0.0]}


def test_the_longest_unused_are_removed_when_it_is_full(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = 300_000
    cache = VectorCache(path, max_bytes=limit)
    first = key_of("m", "kept")
    batches = [[key_of("m", f"{n}-{m}") for m in range(50)] for n in range(12)]
    for day, keys in enumerate(batches):
        monkeypatch.setattr(vector_cache, "_today", lambda day=day: day)
        cache.add({key: [1.0] * 300 for key in [*keys, *([] if day else [first])]})
        assert first in cache.vectors([first], 300)
    assert not cache.vectors(batches[0], 300)
    assert len(cache.vectors(batches[-1], 300)) == 50
    cache.close()
    assert path.stat().st_size < 1.5 * limit


@pytest.mark.parametrize("kind", ["damaged", "folder", "no folder"])
def test_a_file_that_cannot_be_used_is_told_once(
    path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.parent.mkdir()
    if kind == "no folder":
        path.parent.write_text("")
    elif kind == "folder":
        path.mkdir(parents=True)
    else:
        path.parent.mkdir()
        path.write_bytes(b"no database" * 1000)
    embedder, inner = cached(path)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert len(list(embedder.embed(["pond", "grid"]))) == 2
    assert inner.texts == ["pond", "grid"] * 2
    (record,) = caplog.records
    assert "vectors.sqlite: vectors cannot be cached" in record.message


def test_a_full_disk_costs_the_cache_alone(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = VectorCache(path, max_bytes=MEGABYTE)
    cache.add({key_of("m", "pond"): [1.0]})
    assert cache._connection is not None
    cache._connection.execute("PRAGMA max_page_count = 8")
    inner = CountingEmbedder()
    embedder = CachingEmbedder(inner, cache)
    texts = [f"pond {n}" for n in range(200)]
    assert len(list(embedder.embed(texts))) == 200
    assert "full" in caplog.text
    assert len(VectorCache(path, max_bytes=MEGABYTE).vectors([key_of("m", "pond")], 1)) == 1


def test_threads_and_processes_share_it(path: Path) -> None:
    caches = [VectorCache(path, max_bytes=MEGABYTE) for _ in range(4)]
    keys = [key_of("m", str(n)) for n in range(100)]

    def work(cache: VectorCache) -> None:
        for start in range(0, 100, 10):
            cache.add({key: [1.0, 0.0] for key in keys[start : start + 10]})

    threads = [threading.Thread(target=work, args=(cache,)) for cache in [*caches, caches[0]]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(cache.vectors(keys, 2)) == 100 for cache in caches)


class StoppedEmbedder(HashingEmbedder):
    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        for number, text in enumerate(texts):
            if number == 3:
                raise Cancelled
            yield self.embed_query(text)


def test_vectors_made_before_a_cancellation_are_kept(path: Path) -> None:
    texts = [f"pond {n}" for n in range(6)]
    with pytest.raises(Cancelled):
        list(CachingEmbedder(StoppedEmbedder(), VectorCache(path, max_bytes=MEGABYTE)).embed(texts))

    embedder, inner = cached(path)
    list(embedder.embed(texts))
    assert inner.texts == texts[3:]
