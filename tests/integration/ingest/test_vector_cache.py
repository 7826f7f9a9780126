"""The same paper in a second project is not embedded again; questions are not cached."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from support.world import CountingConverter

from citeloom.domain.ingest import IngestRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.composition.workspace import Overrides
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []
    embed = BundledEmbedder.embed

    def counting(self: BundledEmbedder, some: Iterable[str]) -> Iterator[Sequence[float]]:
        seen = list(some)
        texts.extend(seen)
        return embed(self, seen)

    monkeypatch.setattr(BundledEmbedder, "embed", counting)
    return texts


def ingest(application: Application, project: str, file: Path) -> int:
    request = IngestRequest(project_id=ProjectId.parse(project), sources=(str(file),), force=True)
    return application.ingest.files(request).chunks_written


def test_a_text_is_embedded_once_a_workspace(tmp_path: Path, embedded: list[str]) -> None:
    file = tmp_path / "pond.txt"
    file.write_text("Ponds cool the street on summer evenings. The effect ends at midnight.")
    for settings in ({}, {"embedding": {"vector_cache_mb": 0}}):
        embedded.clear()
        application = open_application(
            tmp_path, settings, start=tmp_path, overrides=Overrides(converter=CountingConverter())
        )
        try:
            assert ingest(application, "one", file) == 1
            count = len(embedded)
            assert ingest(application, "two", file) == ingest(application, "one", file) == 1
            assert len(embedded) == (3 * count if settings else count)
            assert count > 0
            application.models.embedder("all-MiniLM-L6-v2").embed_query("ponds")
        finally:
            application.close()
    with sqlite3.connect(application.workspace.vector_cache) as connection:
        assert connection.execute("SELECT count(*) FROM keys").fetchone() == (count,)
