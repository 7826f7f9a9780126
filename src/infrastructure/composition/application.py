"""The composition root: with ``resources`` and ``libraries`` alone in knowing every adapter.

Nothing is made before it is asked for, so that a query never loads what only an ingest
needs.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.infrastructure.composition import (
    annotated,
    checking,
    handing_over,
    recording,
    reviewing,
    verifying,
)
from citeloom.infrastructure.composition.asking import ModelVerbs
from citeloom.infrastructure.composition.citable import Citable
from citeloom.infrastructure.composition.libraries import Libraries
from citeloom.infrastructure.composition.wiring import Wired
from citeloom.infrastructure.settings.settings import load_configuration
from citeloom.infrastructure.system.workspace import SETTINGS, find_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citeloom.application.documents.page_images import Rendering
    from citeloom.application.documents.reference_list import Bibliography
    from citeloom.application.evaluation.evaluate import Evaluate
    from citeloom.application.index.optimization import Optimize
    from citeloom.application.index.passage_writer import PassageWriter
    from citeloom.application.index.relocation import Mover
    from citeloom.application.index.removal import Remover
    from citeloom.application.index.term_weights import Weigher
    from citeloom.application.ingest.ingest import Ingest
    from citeloom.application.library.sync import LibrarySync
    from citeloom.application.maps.file_maps import FileMaps
    from citeloom.application.maps.map_lookup import MapLookup
    from citeloom.application.maps.resolve import Resolve
    from citeloom.application.models.catalogue import Models
    from citeloom.application.models.migration import Migration
    from citeloom.application.ports.ingest import Converter, SourceFiles
    from citeloom.application.ports.maps import MapAdapter
    from citeloom.application.projects.inspection import Inspect
    from citeloom.application.projects.opener import ProjectOpener
    from citeloom.application.projects.projects import Projects
    from citeloom.application.projects.repair import Repair
    from citeloom.application.resources.aliases import Aliases
    from citeloom.application.resources.label import Labelling
    from citeloom.application.resources.observe import Observe
    from citeloom.application.resources.relations import Relations
    from citeloom.application.search.query import Query
    from citeloom.application.search.searcher import Searcher
    from citeloom.application.watch.watch import Watch
    from citeloom.infrastructure.ingest.conversion.options import Options


class Application(ModelVerbs, Libraries, Citable):
    """The verbs of one workspace, wired."""

    @Wired
    def projects_opener(self) -> "ProjectOpener":
        from citeloom.application.projects.opener import ProjectOpener
        from citeloom.infrastructure.system.clock import SystemClock

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
        from citeloom.application.search.reranking import Reranking
        from citeloom.application.search.searcher import Searcher
        from citeloom.domain.projects.fusion_policy import FusionPolicy

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
                rerank_weight=wanted.rerank_weight,
            ),
            reranking=lambda: Reranking(self.reranker, candidates=wanted.rerank_candidates),
            rerank=wanted.rerank,
            wait_seconds=self.wait_seconds,
        )

    @Wired
    def query(self) -> "Query":
        from citeloom.application.search.query import Query

        return Query(catalogue=self.catalogue, searcher=self.searcher)

    @Wired
    def ingest(self) -> "Ingest":
        from citeloom.infrastructure.composition.ingesting import ingest

        return ingest(self)

    @Wired
    def library_sync(self) -> "LibrarySync":
        from citeloom.infrastructure.composition.ingesting import library_sync

        return library_sync(self)

    @Wired
    def watch(self) -> "Watch":
        from citeloom.infrastructure.composition.keeping import watch

        return watch(self)

    @Wired
    def converter(self) -> "Converter":
        from citeloom.infrastructure.ingest.conversion.limits import Limits
        from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter

        wanted, ocr = self.settings.conversion, self.settings.ocr
        return ProcessConverter(
            jobs=self.settings.ingest.jobs,
            limits=Limits(
                document=wanted.timeout_seconds,
                page=wanted.page_seconds,
                ocr_page=ocr.page_seconds,
                stall=wanted.stall_seconds,
            ),
            options=self.conversion_options,
        )

    @property
    def conversion_options(self) -> "Options":
        from citeloom.infrastructure.ingest.conversion.options import Options

        wanted, ocr = self.settings.conversion, self.settings.ocr
        return Options(
            pdf=wanted.pdf,
            artifacts_path=Path(wanted.artifacts_path) if wanted.artifacts_path else None,
            ocr=ocr.engine,
            languages=ocr.languages,
            ocr_page_seconds=ocr.page_seconds,
        )

    @Wired
    def files(self) -> "SourceFiles":
        from citeloom.infrastructure.ingest.source_files import LocalFiles

        return LocalFiles()

    @Wired
    def writer(self) -> "PassageWriter":
        from citeloom.application.index.passage_writer import PassageWriter
        from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
        from citeloom.infrastructure.system.clock import SystemClock

        return PassageWriter(
            index=self.index,
            bundles=self.bundles,
            annotations=self.annotations,
            chunker=StructuralChunker(),
            sparse=self.sparse,
            clock=SystemClock(),
            wait_seconds=self.wait_seconds,
        )

    @Wired
    def weigher(self) -> "Weigher":
        from citeloom.application.index.term_weights import Weigher

        return Weigher(
            catalogue=self.catalogue,
            index=self.index,
            sparse=self.sparse,
            wait_seconds=self.wait_seconds,
        )

    @Wired
    def remover(self) -> "Remover":
        from citeloom.application.index.removal import Remover

        return Remover(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            wait_seconds=self.wait_seconds,
        )

    @Wired
    def repair(self) -> "Repair":
        from citeloom.application.projects.repair import Repair

        return Repair(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            projects=self.projects_opener,
            wait_seconds=self.wait_seconds,
        )

    annotate = Wired(annotated.annotate)

    @Wired
    def optimize(self) -> "Optimize":
        from citeloom.application.index.optimization import Optimize

        return Optimize(catalogue=self.catalogue, index=self.index, wait_seconds=self.wait_seconds)

    @Wired
    def projects(self) -> "Projects":
        from citeloom.application.projects.projects import Projects

        return Projects(
            catalogue=self.catalogue, remover=self.remover, writer=self.writer, mover=self.mover
        )

    @Wired
    def mover(self) -> "Mover":
        from citeloom.application.index.relocation import Mover

        return Mover(catalogue=self.catalogue, index=self.index, wait_seconds=self.wait_seconds)

    @Wired
    def migration(self) -> "Migration":
        from citeloom.application.models.migration import Migration
        from citeloom.application.models.reembedding import ReembeddingParts
        from citeloom.infrastructure.system.clock import SystemClock

        parts = ReembeddingParts(
            catalogue=self.catalogue,
            index=self.index,
            bundles=self.bundles,
            writer=self.writer,
            clock=SystemClock(),
            wait_seconds=self.wait_seconds,
        )
        return Migration(
            catalogue=self.catalogue, remover=self.remover, parts=parts, weigher=self.weigher
        )

    @Wired
    def models(self) -> "Models":
        from citeloom.application.models.catalogue import Models
        from citeloom.infrastructure.models.embedding.catalogue import EmbeddingCatalogue
        from citeloom.infrastructure.models.reranking.catalogue import RerankerCatalogue

        # Rerankers first: they tell a folder of theirs, where the others take any.
        return Models(
            catalogue=self.catalogue,
            catalogues=[RerankerCatalogue(self.model_cache), EmbeddingCatalogue(self.model_cache)],
        )

    @Wired
    def inspect(self) -> "Inspect":
        from citeloom.application.projects.inspection import Inspect

        return Inspect(catalogue=self.catalogue, index=self.index, wait_seconds=self.wait_seconds)

    @Wired
    def structure(self) -> "MapLookup":
        from citeloom.application.maps.map_lookup import MapLookup

        return MapLookup(catalogue=self.catalogue, bundles=self.bundles)

    @Wired
    def file_maps(self) -> "FileMaps":
        from citeloom.infrastructure.composition.mapped import file_maps

        return file_maps(self)

    def adapter(self, name: str) -> "MapAdapter":
        """By name, or the Python file at this path. Raises InvalidRequest."""
        from citeloom.infrastructure.maps.adapters import adapter_of

        return adapter_of(name)

    @Wired
    def bibliography(self) -> "Bibliography":
        from citeloom.application.documents.reference_list import Bibliography

        return Bibliography(catalogue=self.catalogue, bundles=self.bundles)

    @Wired
    def observe(self) -> "Observe":
        from citeloom.application.resources.observe import Observe

        stores = (self.catalogue, self.bundles, self.labels)
        return Observe(*stores, rendering=self.rendering)

    @Wired
    def aliases(self) -> "Aliases":
        from citeloom.application.resources.aliases import Aliases

        return Aliases(self.catalogue)

    @Wired
    def labelling(self) -> "Labelling":
        from citeloom.application.resources.label import Labelling

        return Labelling(catalogue=self.catalogue, labels=self.labels, observe=self.observe)

    @Wired
    def relations(self) -> "Relations":
        from citeloom.application.resources.relations import Relations

        return Relations(catalogue=self.catalogue, bundles=self.bundles)

    @Wired
    def rendering(self) -> "Rendering":
        from citeloom.application.documents.page_images import Rendering
        from citeloom.infrastructure.ingest.source_files import LocalFiles
        from citeloom.infrastructure.maps.evidence.pdf_pages import PdfPageRenderer

        return Rendering(
            catalogue=self.catalogue,
            bundles=self.bundles,
            files=LocalFiles(),
            renderer=PdfPageRenderer(),
            passwords=self._passwords,
        )

    @Wired
    def resolve(self) -> "Resolve":
        from citeloom.infrastructure.composition.resolving import resolve

        return resolve(self)

    validate = Wired(checking.validate)
    verify = Wired(verifying.verify)
    review = Wired(reviewing.review)
    research_lifecycle = Wired(recording.research_lifecycle)
    sessions = Wired(recording.sessions)
    users = Wired(recording.users)
    export_review = Wired(handing_over.export_review)
    compare_reviews = Wired(handing_over.compare_reviews)

    @property
    def _passwords(self) -> "Mapping[str, str]":
        secrets = self.settings.pdf.passwords
        return {name: secret.get_secret_value() for name, secret in secrets.items()}

    @Wired
    def evaluate(self) -> "Evaluate":
        from citeloom.application.evaluation.evaluate import Evaluate
        from citeloom.infrastructure.composition.trial import open_trial
        from citeloom.infrastructure.evaluation.beir import BeirReader
        from citeloom.infrastructure.evaluation.measures import IrMeasures
        from citeloom.infrastructure.system.clock import SystemClock

        return Evaluate(
            reader=BeirReader(),
            measures=IrMeasures(),
            clock=SystemClock(),
            trial=partial(open_trial, self),
        )


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
