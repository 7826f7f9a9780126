"""The plugin of this package."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.plugins import (
    CommandEntry,
    Connections,
    DatabaseServer,
    IndexEngine,
    OpenScheduler,
    Plugin,
    SharedFiles,
)

if TYPE_CHECKING:
    from citeloom.application.ports.index import Index
    from citeloom.application.ports.ingest import Converter, SourceCopies
    from citeloom.application.ports.maps import EvidenceStore
    from citeloom.application.ports.system import ProcessLocks
    from citeloom.domain.projects.project import EmbeddingModel, IndexPlace
    from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
    from citeloom.infrastructure.models.model_catalogue import ModelShare
    from citeloom.infrastructure.models.vectors import VectorCache
    from citeloom.infrastructure.settings.sections import IndexSettings, Settings
    from citeloom.infrastructure.storage.blobs import Blobs
    from citeloom.infrastructure.storage.database.database import Database

_COMMANDS = "citeloom_server.cli"


class ServerPlugin(Plugin):
    """A group's server: principals, operation, servers of index and catalogue, clusters."""

    def commands(self) -> Mapping[str, Mapping[str, CommandEntry]]:
        access = CommandEntry(
            f"{_COMMANDS}.access:app", "Let several people use a server, each with a library."
        )
        audit = CommandEntry(f"{_COMMANDS}.audit:audit", "List who did what over the server.")
        moves = "Move the catalogue to PostgreSQL or SQLite."
        return {
            "Server": {"access": access, "audit": audit},
            "Admin": {
                "plan": CommandEntry(
                    f"{_COMMANDS}.plan:plan", "Estimate time, memory and disk for N papers."
                ),
                "catalogue": CommandEntry(f"{_COMMANDS}.catalogue:app", moves),
            },
        }

    def server(self) -> str:
        return "citeloom_server.infrastructure.server:GroupServer"

    def index_engines(self) -> Mapping[str, IndexEngine]:
        return {"http": _Qdrant(), "https": _Qdrant()}

    def databases(self) -> Mapping[str, DatabaseServer]:
        return {"postgresql": _PostgreSql()}

    def blob_stores(self) -> "Mapping[str, Callable[[str], Blobs]]":
        return {"s3": _object_store}

    def shared_files(self) -> Sequence[SharedFiles]:
        return (_Shared(),)

    def schedulers(self) -> Sequence[OpenScheduler]:
        return (_cluster,)


class _Qdrant:
    def index(
        self,
        place: "IndexPlace",
        model: "EmbeddingModel",
        options: "IndexSettings",
        locks: "ProcessLocks",
    ) -> "Index":
        from citeloom_server.infrastructure.index.index import index_at

        return index_at(place, model, options, locks)

    def check(self, url: str, options: "IndexSettings") -> None:
        from citeloom_server.infrastructure.index.index import check

        check(url, options)


class _PostgreSql:
    def database(self, url: str) -> "Database":
        from citeloom_server.infrastructure.database.postgresql import ServerDatabase

        return ServerDatabase(url)

    def locks(self, url: str, owner: str) -> "ProcessLocks":
        from citeloom_server.infrastructure.database.postgresql import AdvisoryLocks

        return AdvisoryLocks(url, owner)

    def connections(self, url: str) -> Connections:
        from citeloom_server.infrastructure.database.postgresql import connections_of

        return connections_of(url)


def _object_store(url: str) -> "Blobs":
    from citeloom_server.infrastructure.object_store import ObjectBlobs

    return ObjectBlobs(url)


class _Shared:
    def evidence(self, local: "EvidenceStore", shared: "Blobs", max_bytes: int) -> "EvidenceStore":
        from citeloom_server.infrastructure.shared_files import SharedEvidence

        return SharedEvidence(local, shared, max_bytes=max_bytes)

    def models(self, shared: "Blobs") -> "ModelShare":
        from citeloom_server.infrastructure.shared_files import SharedModels

        return SharedModels(shared)

    def papers(self, shared: "Blobs", cache: Path, max_bytes: int) -> "SourceCopies":
        from citeloom_server.infrastructure.shared_files import SharedPapers

        return SharedPapers(shared, cache, max_bytes=max_bytes)


def _cluster(
    pool: "ProcessConverter",
    settings: "Settings",
    models: Path,
    bundles: Path | None,
    vectors: "VectorCache | None",
) -> "Converter":
    from citeloom_server.infrastructure.cluster.converter import on_cluster

    return on_cluster(pool, settings, models, bundles, vectors)
