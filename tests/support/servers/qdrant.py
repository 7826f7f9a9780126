"""Qdrant servers of the tests: the double, and a real one that CITELOOM_TEST_QDRANT_URL names."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from qdrant_client import QdrantClient
from support.servers.qdrant_double import QdrantDouble

from citeloom.domain.projects.project import IndexLayout
from citeloom_server.infrastructure.index.index import (
    DEFAULT_STORAGE,
    CollectionStorage,
    ServerIndex,
)
from citeloom_server.infrastructure.index.server import OLDEST_SHARED, Server

REAL_URL = os.environ.get("CITELOOM_TEST_QDRANT_URL", "").rstrip("/")
REAL_KEY = os.environ.get("CITELOOM_TEST_QDRANT_API_KEY", "")
KINDS = ("double", "real") if REAL_URL else ("double",)
needs_real = pytest.mark.skipif(not REAL_URL, reason="CITELOOM_TEST_QDRANT_URL names no server")


@dataclass(frozen=True)
class QdrantServer:
    """A running server. ``double`` is None for a real one."""

    url: str
    api_key: str = ""
    double: QdrantDouble | None = None

    def index(
        self,
        layout: IndexLayout = IndexLayout.PROJECT,
        model: str = "tiny@2:00",
        storage: CollectionStorage = DEFAULT_STORAGE,
    ) -> ServerIndex:
        """Skips the test where the server is too old for the layout."""
        self.require(layout)
        server = Server(self.url, self.api_key or None)
        return ServerIndex(server, layout=layout, model=model, storage=storage)

    def require(self, layout: IndexLayout) -> None:
        """Skip the test where the server is too old for the layout."""
        if layout is IndexLayout.SHARED and self.version < OLDEST_SHARED:
            pytest.skip(f"Qdrant {self.version} cannot count terms by tenant")

    @property
    def version(self) -> tuple[int, ...]:
        return tuple(int(part) for part in self.client().info().version.split(".")[:2])

    def client(self) -> QdrantClient:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a key over plain HTTP
            return QdrantClient(
                url=self.url, api_key=self.api_key or None, check_compatibility=False, timeout=60
            )

    def snapshots(self, collection: str) -> list[str]:
        return [each.name for each in self.client().list_snapshots(collection)]

    def collections(self) -> set[str]:
        return {each.name for each in self.client().get_collections().collections}


@contextmanager
def qdrant_server(kind: str, api_key: str = "") -> Iterator[QdrantServer]:
    """``double``, which wants ``api_key``, or ``real``, which has its own. A real server is for
    tests alone: it must be empty, and is emptied."""
    if kind == "double":
        with QdrantDouble(api_key=api_key or None) as double:
            yield QdrantServer(double.url, api_key, double)
        return
    server = QdrantServer(REAL_URL, REAL_KEY)
    if found := server.collections():
        pytest.exit(f"{REAL_URL}: has collections ({', '.join(sorted(found)[:3])}); tests need an "
                    "empty server of their own", returncode=2)  # fmt: skip
    try:
        yield server
    finally:
        for name in server.collections():
            server.client().delete_collection(name)
