"""The plugin of this package."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from citeloom.infrastructure.plugins import (
    CommandEntry,
    DatabaseServer,
    IndexEngine,
    OpenScheduler,
    Plugin,
    SharedFiles,
)

if TYPE_CHECKING:
    from citeloom.infrastructure.storage.blobs import Blobs

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
        from .infrastructure.index.index import check, index_at

        engine = IndexEngine(index_at, check)
        return {"http": engine, "https": engine}

    def databases(self) -> Mapping[str, DatabaseServer]:
        from .infrastructure.database.postgresql import (
            AdvisoryLocks,
            ServerDatabase,
            connections_of,
        )

        return {"postgresql": DatabaseServer(ServerDatabase, AdvisoryLocks, connections_of)}

    def blob_stores(self) -> "Mapping[str, Callable[[str], Blobs]]":
        from .infrastructure.object_store import ObjectBlobs

        return {"s3": ObjectBlobs}

    def shared_files(self) -> Sequence[SharedFiles]:
        from .infrastructure.shared_files import SharedEvidence, SharedModels, SharedPapers

        return (SharedFiles(SharedEvidence, SharedModels, SharedPapers),)

    def schedulers(self) -> Sequence[OpenScheduler]:
        from .infrastructure.cluster.converter import on_cluster

        return (on_cluster,)
