"""The composition root: the only module that knows every adapter.

Nothing is made before it is asked for, so that a query never loads what only an ingest
needs.
"""

from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.config import Configuration, Settings, load_configuration
from citeloom.infrastructure.storage.workspace import SETTINGS, Workspace, find_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from citeloom.application.ingest import Ingest
    from citeloom.application.inspect import Inspect
    from citeloom.application.opening import ProjectOpener
    from citeloom.application.ports.bundles import BundleStore
    from citeloom.application.ports.catalogue import Catalogue
    from citeloom.application.ports.embedder import Embedder, SparseEmbedder
    from citeloom.application.ports.index import Index
    from citeloom.application.projects import Projects
    from citeloom.application.query import Query
    from citeloom.application.removing import Remover
    from citeloom.application.repair import Repair
    from citeloom.application.storing import PassageWriter
    from citeloom.application.structure import Structure
    from citeloom.application.validate import Validate


class Application:
    """The verbs of one workspace, wired. ``owner`` names this process to others that wait."""

    def __init__(
        self, workspace: Workspace, configuration: Configuration, *, owner: str = "citeloom"
    ) -> None:
        self.workspace = workspace
        self.configuration = configuration
        self._owner = owner

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @cached_property
    def catalogue(self) -> "Catalogue":
        from citeloom.infrastructure.storage.catalogue import SqlCatalogue

        return SqlCatalogue(self.workspace.catalogue_url)

    @cached_property
    def index(self) -> "Index":
        from citeloom.infrastructure.index.edge import EdgeIndex

        return EdgeIndex(self.workspace.index, owner=self._owner)

    @cached_property
    def bundles(self) -> "BundleStore":
        from citeloom.infrastructure.storage.bundles import FileBundleStore

        return FileBundleStore(self.workspace.bundles, self.workspace.maps)

    @cached_property
    def embedder(self) -> "Callable[[str], Embedder]":
        from citeloom.infrastructure.embedding.dense import FastEmbedEmbedder

        threads = self.settings.embedding.threads

        @cache
        def load(name: str) -> FastEmbedEmbedder:
            return FastEmbedEmbedder(name, threads=threads)

        return load

    @cached_property
    def sparse(self) -> "SparseEmbedder":
        from citeloom.infrastructure.embedding.sparse import Bm25Embedder

        return Bm25Embedder()

    @cached_property
    def projects_opener(self) -> "ProjectOpener":
        from citeloom.application.opening import ProjectOpener
        from citeloom.infrastructure.clock import SystemClock

        return ProjectOpener(
            catalogue=self.catalogue,
            embedder=self.embedder,
            sparse=self.sparse,
            clock=SystemClock(),
            default_model=self.settings.embedding.model,
        )

    @cached_property
    def query(self) -> "Query":
        from citeloom.application.query import Query
        from citeloom.domain.fusion import FusionPolicy

        wanted = self.settings.query
        return Query(
            catalogue=self.catalogue,
            index=self.index,
            embedder=self.embedder,
            sparse=self.sparse,
            fusion=FusionPolicy(
                dense_weight=wanted.dense_weight, sparse_weight=wanted.sparse_weight
            ),
            wait_seconds=self._wait,
        )

    @cached_property
    def ingest(self) -> "Ingest":
        from citeloom.application.ingest import Ingest
        from citeloom.application.ingest_parts import IngestParts
        from citeloom.infrastructure.clock import SystemClock
        from citeloom.infrastructure.conversion.pool import ProcessConverter
        from citeloom.infrastructure.references.file import FileReferenceReader
        from citeloom.infrastructure.storage.audit import FileAuditLog
        from citeloom.infrastructure.storage.files import LocalFiles

        return Ingest(
            IngestParts(
                catalogue=self.catalogue,
                bundles=self.bundles,
                index=self.index,
                converter=ProcessConverter(
                    jobs=self.settings.ingest.jobs,
                    timeout_seconds=self.settings.conversion.timeout_seconds,
                ),
                files=LocalFiles(),
                references=FileReferenceReader(),
                writer=self.writer,
                remover=self.remover,
                projects=self.projects_opener,
                audit=FileAuditLog(self.workspace.audit_log),
                clock=SystemClock(),
                wait_seconds=self._wait,
            )
        )

    @cached_property
    def writer(self) -> "PassageWriter":
        from citeloom.application.storing import PassageWriter
        from citeloom.infrastructure.chunking.structural import StructuralChunker
        from citeloom.infrastructure.clock import SystemClock

        return PassageWriter(
            index=self.index,
            bundles=self.bundles,
            chunker=StructuralChunker(),
            sparse=self.sparse,
            clock=SystemClock(),
            wait_seconds=self._wait,
        )

    @cached_property
    def remover(self) -> "Remover":
        from citeloom.application.removing import Remover

        return Remover(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            wait_seconds=self._wait,
        )

    @cached_property
    def repair(self) -> "Repair":
        from citeloom.application.repair import Repair

        return Repair(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            projects=self.projects_opener,
        )

    @cached_property
    def projects(self) -> "Projects":
        from citeloom.application.projects import Projects

        return Projects(catalogue=self.catalogue, remover=self.remover, repair=self.repair)

    @cached_property
    def inspect(self) -> "Inspect":
        from citeloom.application.inspect import Inspect

        return Inspect(catalogue=self.catalogue, index=self.index, wait_seconds=self._wait)

    @cached_property
    def structure(self) -> "Structure":
        from citeloom.application.structure import Structure

        return Structure(catalogue=self.catalogue, bundles=self.bundles)

    @cached_property
    def validate(self) -> "Validate":
        from citeloom.application.validate import Validate
        from citeloom.infrastructure.references.file import FileReferenceReader

        return Validate(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            references=FileReferenceReader(),
            embedder=self.embedder,
            wait_seconds=self._wait,
        )

    @property
    def _wait(self) -> float:
        return self.settings.index.wait_seconds

    def close(self) -> None:
        """Give up shards and connections."""
        for name in ("index", "catalogue"):
            if name in self.__dict__:
                getattr(self, name).close()


def open_application(
    workspace: Path | None = None,
    flags: "Mapping[str, Mapping[str, Any]] | None" = None,
    *,
    owner: str = "citeloom",
) -> Application:
    """The application of the workspace named, or of the one found from the current folder.

    Raises ConfigurationError.
    """
    place = find_workspace(Path.cwd(), workspace)
    return Application(place, load_configuration(place.root / SETTINGS, flags), owner=owner)
