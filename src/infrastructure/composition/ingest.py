"""Ingest of files and of a library; annotations; the converter."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.ingest.ingest import Annotate, Ingest
from citeloom.application.ingest.plan import ProjectQuota
from citeloom.application.ingest.run import IndexServices, IngestServices
from citeloom.application.ports.ingest import Converter
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter
from citeloom.infrastructure.ingest.conversion.protocol import Limits, Options
from citeloom.infrastructure.plugins import first_of
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.system.files import keep_reserve
from citeloom.infrastructure.system.workspace import upload_folder

from .models import ModelVerbs
from .projects import ProjectVerbs
from .workspace import Stores, lazy, part

if TYPE_CHECKING:
    from citeloom.application.ingest.add import AddWorks
    from citeloom.application.ingest.repair import Repair
    from citeloom.application.library.sync import LibrarySync
    from citeloom.application.ports.ingest import Progress
    from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice


class IngestVerbs:
    """The verbs that bring documents into a project; the converters are those of ``begun`` where
    it is given."""

    def __init__(
        self,
        stores: Stores,
        projects: ProjectVerbs,
        models: ModelVerbs,
        begun: "IngestVerbs | None" = None,
    ) -> None:
        self._stores = stores
        self._projects = projects
        self._models = models
        self._begun = begun

    @lazy
    def files(self) -> Ingest:
        self._keep_reserve()
        return Ingest(self._services)

    @lazy
    def repair(self) -> "Repair":
        from citeloom.application.ingest.repair import Repair
        from citeloom.application.validation.checks import IndexContents

        stores = self._stores
        contents = IndexContents(stores.catalogue, stores.index, stores.bundles)

        def convert_again(project_id: ProjectId, paths: Sequence[str]) -> IngestResult:
            request = IngestRequest(
                project_id=project_id,
                sources=tuple(paths),
                force=True,
                passwords=stores.passwords,
            )
            return self.files(request)

        return Repair(self._services, contents, convert_again, stores.back_up_catalogue)

    def rebuild(self, progress: "Progress | None" = None) -> Iterator[IngestResult]:
        """Fill an empty catalogue from the journal of ingests, for projects whose index is here,
        with stored conversions and vectors. Missing files are skipped. Raises the errors of an
        ingest."""
        from citeloom.application.ingest.repair import requests_of
        from citeloom.infrastructure.storage.database.sqlite_errors import rebuilding

        for request in requests_of(self._stores.journal.entries()):
            collection = request.project_id.collection
            sources = tuple(path for path in request.sources if Path(path).is_file())
            references = tuple(path for path in request.references if Path(path).is_file())
            if sources and (self._stores.workspace.index / collection).is_dir():
                found = {"sources": sources, "references": references}
                yield self.files(request.model_copy(update=found), progress)
        rebuilding(self._stores.workspace.catalogue).unlink(missing_ok=True)

    @lazy
    def library(self) -> "LibrarySync":
        from citeloom.application.library.sync import LibrarySync

        self._keep_reserve()
        return LibrarySync(self._services, self._stores.followed, self.annotate)

    annotate: Annotate = part(
        "ingest.ingest:Annotate", writer="_projects.writer", projects="_projects.opener"
    )

    add: "AddWorks" = part(
        "ingest.add:AddWorks",
        stores="_stores.document_stores",
        writer="_projects.writer",
        remover="_projects.remover",
        projects="_projects.opener",
        ingest="files",
        folder="_folder_of",
    )

    def _folder_of(self, project: Project) -> Path:
        """Where files are kept that are fetched for a project."""
        there = [one for one in project.folders if one.is_dir()]
        return there[0] if there else upload_folder(self._stores.upload_root, project.id)

    @lazy
    def converter(self) -> Converter:
        """The converter of ingests: on the workers of a cluster, if one is configured."""
        if self._begun:
            return self._begun.converter
        settings, stores = self._stores.settings, self._stores
        if stores.overrides.converter or not settings.ingest.scheduler:
            return self.file_converter
        cluster = first_of(lambda plugin: plugin.schedulers(), "ingest.scheduler")
        vectors = stores.vector_cache if settings.embedding.vector_cache_mb else None
        models = self._models.cache_folder
        return cluster(self._pool, settings, models, stores.bundle_folder, vectors)

    @lazy
    def file_converter(self) -> Converter:
        """The converter of single files, always in worker processes of this machine."""
        if self._begun:
            return self._begun.file_converter
        return self._stores.overrides.converter or self._pool

    @lazy
    def _pool(self) -> ProcessConverter:
        settings = self._stores.settings
        return ProcessConverter(
            jobs=settings.ingest.jobs,
            limits=conversion_limits(settings),
            options=conversion_options(settings),
        )

    def _keep_reserve(self) -> None:
        """Keep a reserve of disk space at the end, if there is a workspace."""
        home, megabytes = self._stores.workspace.home, self._stores.settings.ingest.disk_reserve_mb
        self._stores.at_end(lambda: keep_reserve(home, megabytes))

    @property
    def _services(self) -> IngestServices:
        stores, projects = self._stores, self._projects
        quota = stores.settings.quota
        return IngestServices(
            documents=stores.document_stores,
            indexing=IndexServices(
                index=stores.index,
                writer=projects.writer,
                term_weights=projects.term_weights,
                remover=projects.remover,
            ),
            converter=self.converter,
            references=stores.references,
            projects=projects.opener,
            journal=stores.journal,
            clock=stores.clock,
            quota=ProjectQuota(
                documents=quota.project_documents,
                passages=quota.project_passages,
                megabytes=quota.project_megabytes,
            ),
        )


def conversion_limits(settings: Settings) -> Limits:
    """Seconds that a conversion may take, as the settings have them."""
    return Limits(
        document=settings.conversion.timeout_seconds,
        page=settings.conversion.page_seconds,
        ocr_page=settings.ocr.page_seconds,
        stall=settings.conversion.stall_seconds,
    )


def conversion_options(settings: Settings) -> Options:
    """Conversion options as the settings have them."""
    conversion, ocr = settings.conversion, settings.ocr
    by_docling = settings.ingest.pdf_reader == "docling"
    return Options(
        pdf="docling-standard" if by_docling else conversion.pdf,
        artifacts_path=Path(conversion.artifacts_path) if conversion.artifacts_path else None,
        ocr=ocr.engine,
        languages=ocr.languages,
        ocr_page_seconds=ocr.page_seconds,
        memory_mb=settings.ingest.worker_memory_mb,
    )


def ocr_engine(settings: Settings) -> "Choice":
    """The engine that reads scans, or how to get one."""
    from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import choose_engine

    return choose_engine(conversion_options(settings))
