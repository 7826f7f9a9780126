"""The composition root: the only module that knows every adapter.

Nothing is made before it is asked for, so that a query never loads what only an ingest
needs.
"""

import os
from functools import cache, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from citeloom.infrastructure.config import Configuration, Settings, load_configuration
from citeloom.infrastructure.storage.workspace import (
    SETTINGS,
    Workspace,
    find_workspace,
    user_cache_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from citeloom.application.bibliography import Bibliography
    from citeloom.application.evaluate import Evaluate
    from citeloom.application.ingest import Ingest
    from citeloom.application.inspect import Inspect
    from citeloom.application.migrating import Migration
    from citeloom.application.models import Models
    from citeloom.application.moving import Mover
    from citeloom.application.opening import ProjectOpener
    from citeloom.application.placing import PlacedIndex
    from citeloom.application.ports.bundles import BundleStore
    from citeloom.application.ports.catalogue import Catalogue
    from citeloom.application.ports.converter import Converter
    from citeloom.application.ports.embedder import Embedder, SparseEmbedder
    from citeloom.application.ports.files import SourceFiles
    from citeloom.application.ports.index import Index
    from citeloom.application.projects import Projects
    from citeloom.application.query import Query
    from citeloom.application.removing import Remover
    from citeloom.application.rendering import Rendering
    from citeloom.application.repair import Repair
    from citeloom.application.searching import Searcher
    from citeloom.application.storing import PassageWriter
    from citeloom.application.structure import Structure
    from citeloom.application.validate import Validate
    from citeloom.application.weighing import Weigher
    from citeloom.domain.project import EmbeddingModel, IndexPlace


_T = TypeVar("_T")
_wiring = RLock()


class Wired(Generic[_T]):
    """A property that is made on first use and kept, once, whichever thread asks first."""

    def __init__(self, make: "Callable[[Application], _T]") -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, application: "Application", owner: type) -> _T:
        with _wiring:
            if self._name not in application.made:
                application.made[self._name] = self._make(application)
            made: _T = application.made[self._name]
            return made


class Application:
    """The verbs of one workspace, wired. ``owner`` names this process to others that wait.

    What is put into ``made`` before it is asked for is used as it is.
    """

    def __init__(
        self, workspace: Workspace, configuration: Configuration, *, owner: str = "citeloom"
    ) -> None:
        self.workspace = workspace
        self.configuration = configuration
        self._owner = owner
        self.made: dict[str, Any] = {}

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @Wired
    def catalogue(self) -> "Catalogue":
        from citeloom.infrastructure.storage.catalogue import SqlCatalogue

        return SqlCatalogue(self.workspace.catalogue_url)

    @Wired
    def index(self) -> "PlacedIndex":
        from citeloom.application.placing import PlacedIndex
        from citeloom.infrastructure.index.edge import EdgeIndex

        return PlacedIndex(
            catalogue=self.catalogue,
            local=EdgeIndex(self.workspace.index, owner=self._owner),
            server=self.server_index,
        )

    @Wired
    def server_index(self) -> "Callable[[IndexPlace, EmbeddingModel], Index]":
        """The index at a server, connected once a place and model. The API key goes to the
        configured server only; where none is configured, to the one that a project names."""
        from citeloom.infrastructure.index.server import ServerIndex
        from citeloom.infrastructure.index.server_calls import Server

        wanted = self.settings.index
        key = wanted.api_key.get_secret_value()

        @cache
        def make(place: "IndexPlace", model: "EmbeddingModel") -> ServerIndex:
            known = key if wanted.url in ("", place.url) else None
            server = Server(place.url, known or None, timeout_seconds=wanted.timeout_seconds)
            return ServerIndex(server, layout=place.layout, model=model.fingerprint)

        def connect(place: "IndexPlace", model: "EmbeddingModel") -> ServerIndex:
            with _wiring:
                return make(place, model)

        return connect

    @Wired
    def bundles(self) -> "BundleStore":
        from citeloom.infrastructure.storage.bundles import FileBundleStore

        return FileBundleStore(self.workspace.bundles, self.workspace.maps)

    @Wired
    def embedder(self) -> "Callable[[str], Embedder]":
        from citeloom.infrastructure.embedding.dense import FastEmbedEmbedder

        threads, fetched = self.settings.embedding.threads, self._model_cache

        @cache
        def make(name: str) -> FastEmbedEmbedder:
            return FastEmbedEmbedder(name, threads=threads, cache=fetched)

        def load(name: str) -> FastEmbedEmbedder:
            with _wiring:
                return make(name)

        return load

    @Wired
    def sparse(self) -> "SparseEmbedder":
        from citeloom.infrastructure.embedding.sparse import Bm25Embedder

        return Bm25Embedder()

    @Wired
    def projects_opener(self) -> "ProjectOpener":
        from citeloom.application.opening import ProjectOpener
        from citeloom.infrastructure.clock import SystemClock

        return ProjectOpener(
            catalogue=self.catalogue,
            embedder=self.embedder,
            sparse=self.sparse,
            clock=SystemClock(),
            default_model=self.settings.embedding.model,
            place=self.settings.index.place,
            taken=lambda project: self.index.holds(project),
        )

    @Wired
    def searcher(self) -> "Searcher":
        from citeloom.application.searching import Searcher
        from citeloom.domain.fusion import FusionPolicy

        wanted = self.settings.query
        return Searcher(
            catalogue=self.catalogue,
            index=self.index,
            embedder=self.embedder,
            sparse=self.sparse,
            fusion=FusionPolicy(
                method=wanted.fusion,
                dense_weight=wanted.dense_weight,
                sentence_weight=wanted.sentence_weight,
                sparse_weight=wanted.sparse_weight,
            ),
            wait_seconds=self._wait,
        )

    @Wired
    def query(self) -> "Query":
        from citeloom.application.query import Query

        return Query(catalogue=self.catalogue, searcher=self.searcher)

    @Wired
    def ingest(self) -> "Ingest":
        from citeloom.application.ingest import Ingest
        from citeloom.application.ingest_parts import IngestParts
        from citeloom.infrastructure.clock import SystemClock
        from citeloom.infrastructure.references.file import FileReferenceReader
        from citeloom.infrastructure.storage.audit import FileAuditLog

        return Ingest(
            IngestParts(
                catalogue=self.catalogue,
                bundles=self.bundles,
                index=self.index,
                converter=self.converter,
                files=self.files,
                references=FileReferenceReader(),
                writer=self.writer,
                weigher=self.weigher,
                remover=self.remover,
                projects=self.projects_opener,
                audit=FileAuditLog(self.workspace.audit_log),
                clock=SystemClock(),
                wait_seconds=self._wait,
            )
        )

    @Wired
    def converter(self) -> "Converter":
        from citeloom.infrastructure.conversion.limits import Limits
        from citeloom.infrastructure.conversion.options import Options
        from citeloom.infrastructure.conversion.pool import ProcessConverter

        wanted, ocr = self.settings.conversion, self.settings.ocr
        return ProcessConverter(
            jobs=self.settings.ingest.jobs,
            limits=Limits(
                document=wanted.timeout_seconds,
                page=wanted.page_seconds,
                ocr_page=ocr.page_seconds,
                stall=wanted.stall_seconds,
            ),
            options=Options(
                pdf=wanted.pdf,
                artifacts_path=Path(wanted.artifacts_path) if wanted.artifacts_path else None,
                ocr=ocr.engine,
                languages=ocr.languages,
                ocr_page_seconds=ocr.page_seconds,
            ),
        )

    @Wired
    def files(self) -> "SourceFiles":
        from citeloom.infrastructure.storage.files import LocalFiles

        return LocalFiles()

    @Wired
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

    @Wired
    def weigher(self) -> "Weigher":
        from citeloom.application.weighing import Weigher

        return Weigher(
            catalogue=self.catalogue,
            index=self.index,
            sparse=self.sparse,
            wait_seconds=self._wait,
        )

    @Wired
    def remover(self) -> "Remover":
        from citeloom.application.removing import Remover

        return Remover(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            wait_seconds=self._wait,
        )

    @Wired
    def repair(self) -> "Repair":
        from citeloom.application.repair import Repair

        return Repair(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            projects=self.projects_opener,
        )

    @Wired
    def projects(self) -> "Projects":
        from citeloom.application.projects import Projects

        return Projects(
            catalogue=self.catalogue, remover=self.remover, writer=self.writer, mover=self.mover
        )

    @Wired
    def mover(self) -> "Mover":
        from citeloom.application.moving import Mover

        return Mover(catalogue=self.catalogue, index=self.index, wait_seconds=self._wait)

    @Wired
    def migration(self) -> "Migration":
        from citeloom.application.migrating import Migration
        from citeloom.application.reembedding import ReembeddingParts
        from citeloom.infrastructure.clock import SystemClock

        parts = ReembeddingParts(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            clock=SystemClock(),
            wait_seconds=self._wait,
        )
        return Migration(
            catalogue=self.catalogue, remover=self.remover, parts=parts, weigher=self.weigher
        )

    @Wired
    def models(self) -> "Models":
        from citeloom.application.models import Models
        from citeloom.infrastructure.embedding.catalogue import EmbeddingCatalogue

        return Models(catalogue=self.catalogue, catalogues=[EmbeddingCatalogue(self._model_cache)])

    @Wired
    def inspect(self) -> "Inspect":
        from citeloom.application.inspect import Inspect

        return Inspect(catalogue=self.catalogue, index=self.index, wait_seconds=self._wait)

    @Wired
    def structure(self) -> "Structure":
        from citeloom.application.structure import Structure

        return Structure(catalogue=self.catalogue, bundles=self.bundles)

    @Wired
    def bibliography(self) -> "Bibliography":
        from citeloom.application.bibliography import Bibliography

        return Bibliography(catalogue=self.catalogue, bundles=self.bundles)

    @Wired
    def rendering(self) -> "Rendering":
        from citeloom.application.rendering import Rendering
        from citeloom.infrastructure.media.pdf_pages import PdfPageRenderer
        from citeloom.infrastructure.storage.files import LocalFiles

        return Rendering(
            catalogue=self.catalogue,
            bundles=self.bundles,
            files=LocalFiles(),
            renderer=PdfPageRenderer(),
            passwords={
                name: secret.get_secret_value()
                for name, secret in self.settings.pdf.passwords.items()
            },
        )

    @Wired
    def validate(self) -> "Validate":
        from citeloom.application.validate import Validate
        from citeloom.infrastructure.references.file import FileReferenceReader

        return Validate(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            references=FileReferenceReader(),
            embedder=self.embedder,
            writer=self.writer,
            wait_seconds=self._wait,
        )

    @Wired
    def evaluate(self) -> "Evaluate":
        from citeloom.application.evaluate import Evaluate
        from citeloom.infrastructure.clock import SystemClock
        from citeloom.infrastructure.evaluation.beir import BeirReader
        from citeloom.infrastructure.evaluation.measures import IrMeasures
        from citeloom.infrastructure.trial import open_trial

        return Evaluate(
            reader=BeirReader(),
            measures=IrMeasures(),
            clock=SystemClock(),
            trial=partial(open_trial, self),
        )

    @property
    def _model_cache(self) -> Path:
        named = self.settings.embedding.cache or os.environ.get("FASTEMBED_CACHE_PATH", "")
        return Path(named).expanduser() if named else user_cache_folder() / "models"

    @property
    def _wait(self) -> float:
        return self.settings.index.wait_seconds

    def close(self) -> None:
        """Give up shards and connections."""
        for name in ("index", "catalogue"):
            if name in self.made:
                self.made[name].close()


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
