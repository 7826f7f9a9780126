"""The verb *ingest*: files to converted, indexed and cited documents.

The catalogue entry of a document is written last: an interrupted ingest is completed by running
it again.
"""

from collections.abc import Sequence
from pathlib import Path

from citeloom.application.citation.assignment import ReferenceAssigner
from citeloom.application.ingest.confined_files import confined, left_out_warning
from citeloom.application.ingest.known_folders import known_folders
from citeloom.application.ingest.report import IngestLog
from citeloom.application.ingest.run import ingest_run
from citeloom.application.ingest.services import IngestServices
from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.application.ports.ingest import FoundFiles, Progress, SilentProgress
from citeloom.domain.errors import CiteLoomError, NoDocuments
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.messages import prefixed
from citeloom.domain.projects.project import Project
from citeloom.domain.text.phrasing import counted

_MOST_LINKS = 5


class Ingest:
    """Finds changed files, converts, chunks, embeds, stores and cites them."""

    def __init__(self, services: IngestServices) -> None:
        self._services = services

    def __call__(self, request: IngestRequest, progress: Progress | None = None) -> IngestResult:
        """A bad document is a failed report; errors of the whole run are raised:
        InvalidSource, NoDocuments, ReferencesUnreadable, EmbeddingModelMismatch,
        ModelUnavailable, ShardBusy, StorageFailed.
        """
        progress = progress or SilentProgress()
        log = IngestLog(self._services.journal, self._services.clock, progress)
        request = self._with_known_folders(request, log)
        files = self._find(request, log)
        library_file = self._read(request.references)
        project, embedder, created = self._services.projects.open_or_create(
            request.project_id, request.model, sentences=request.sentences
        )
        if created:
            progress.notice(f"created project {project.id} with {embedder.model.name}")
        if missing := self._services.missing_passages(project):
            log.warn(missing)
        project, library = self._library(project, library_file, log)
        project = self._remembered(project, files.folders)
        today = self._services.indexing.writer.embedding_fingerprint(project, embedder)
        project = self._services.indexing.term_weights.recompute_stale(project, today)
        run = ingest_run(
            self._services, project, embedder, ReferenceAssigner(library), log, request
        )
        if files.links:
            log.warn(_not_entered(files.links))
        run.process(files.files)
        run.reassign_remaining()
        gone = [*map(Path, request.gone), *(files.folders if request.prune else ())]
        if gone:
            run.prune(gone)
        self._services.indexing.term_weights.update_average(project)
        run.optimize()
        stored = self._services.documents.catalogue.documents(project.id)
        if created and log.failed and not stored:
            self._services.indexing.remover.project(project)
            log.warn(f"project {project.id} was not kept: no document could be ingested")
        return log.result(project, sum(document.chunks for document in stored))

    def _with_known_folders(self, request: IngestRequest, log: IngestLog) -> IngestRequest:
        """A request that names nothing is for the folders that were ingested before."""
        if request.sources or request.gone or request.references is not None:
            return request
        known = known_folders(self._services.documents.catalogue, request.project_id)
        there = [one for one in known if self._services.documents.files.exists(str(one))]
        for folder in known:
            if folder not in there:
                log.warn(f"{folder}: the folder is not there; its documents stay as they are")
        return request.model_copy(update={"sources": tuple(map(str, there))})

    def _remembered(self, project: Project, folders: Sequence[Path]) -> Project:
        named = dict.fromkeys((*project.folders, *folders))
        outermost = tuple(
            one for one in named if not any(one != o and one.is_relative_to(o) for o in named)
        )
        if outermost != project.folders:
            project = project.model_copy(update={"folders": outermost})
            self._services.documents.catalogue.update_project(project)
        return project

    def _find(self, request: IngestRequest, log: IngestLog) -> FoundFiles:
        if not request.sources:
            if request.references is None and not request.gone:
                raise NoDocuments(
                    "nothing to ingest, and no folder that was ingested before: name files or "
                    "folders, or a reference file to cite anew"
                )
            return FoundFiles(files=())
        files = self._services.documents.files.find(
            request.sources, self._services.converter.supports
        )
        left_out: Sequence[Path] = ()
        if request.within is not None:
            files, left_out = confined(files, request.within, self._services.documents.files)
            if left_out:
                log.warn(left_out_warning(left_out))
        if not files.files and not (request.prune and files.folders):
            other = ", ".join(f"{count} {suffix}" for suffix, count in files.skipped[:5])
            formats = ", ".join(self._services.converter.formats)
            raise NoDocuments(
                f"{', '.join(request.sources)}: no file that can be ingested"
                + (f" (passed over: {other})" if other else "")
                + (f"; {_not_entered(files.links)}" if files.links else "")
                + (f"; {left_out_warning(left_out)}" if left_out else "")
                + f"; what can: {formats}"
            )
        return files

    def _read(self, references: str | None) -> ReferenceLibrary | None:
        if references is None:
            return None
        return self._services.references.read(Path(references).expanduser().absolute())

    def _library(
        self, project: Project, given: ReferenceLibrary | None, log: IngestLog
    ) -> tuple[Project, ReferenceLibrary | None]:
        """The reference library given, which becomes the project's, else the project's own."""
        library, remembered = given, project.references_json
        if given is not None and remembered != Path(given.source):
            project = project.model_copy(update={"references_json": Path(given.source)})
            self._services.documents.catalogue.update_project(project)
        elif given is None and remembered is not None:
            try:
                library = self._services.references.read(remembered)
            except CiteLoomError as error:
                log.warn(prefixed("citations stay as they are: ", error.message))
        for warning in library.warnings if library else ():
            log.warn(warning)
        return project, library


def _not_entered(links: Sequence[Path]) -> str:
    """Links to folders are not followed, which could lead in circles or to the whole disk."""
    named = ", ".join(map(str, links[:_MOST_LINKS]))
    more = f" and {len(links) - _MOST_LINKS} more" if len(links) > _MOST_LINKS else ""
    is_one = len(links) == 1
    return (
        f"{counted(len(links), 'linked folder')} {'was' if is_one else 'were'} not entered: "
        f"{named}{more}; to include {'it' if is_one else 'them'}, name "
        f"{'it' if is_one else 'them'} beside the folder"
    )
