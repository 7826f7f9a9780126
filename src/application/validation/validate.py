"""The verb *validate*: consistency of models, references, bundles, index and citations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.citation.references import read_references
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import open_collection
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.models import other_models
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceLibrary, ReferenceReader, RetractionReader
from citeloom.application.ports.index import Index
from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import CiteLoomError, ReferencesUnreadable
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.text.phrasing import counted, listed
from citeloom.domain.value import Value

from .checks import (
    Check,
    IndexContents,
    Status,
    Validation,
    catalogue_integrity,
    failed,
    index_contents,
    named,
    passed,
    scanned_documents,
    server_condition,
    stored_conversions,
    text_fidelity,
)
from .works import (
    dois_that_disagree,
    items_without_files,
    keys_that_clash,
    retracted_works,
    works_of,
)

_SHOWN = 5
#: Checks that read no document.
_QUICK = frozenset({"embedding model", "server", "index"})


class ValidateRequest(Value):
    """One project, or all; ``deep`` reads everything that is stored, not only a sample."""

    project_id: ProjectId | None = None
    deep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Runs the checks of one project or of all."""

    documents: DocumentStores
    index: Index
    references: ReferenceReader
    retractions: RetractionReader
    embedder: Callable[[str], Embedder]
    writer: PassageWriter
    wait_seconds: float = 30.0

    def __call__(
        self,
        project_id: ProjectId | None = None,
        *,
        retractions: Path | None = None,
        deep: bool = False,
        quick: bool = False,
        told: Callable[[int, int], None] = lambda *_: None,
    ) -> Validation:
        """Check one project, or all; with a list of ``retractions`` their works too. ``deep``
        reads everything that is stored, not only a sample; ``quick`` reads no document. ``told``
        hears how many projects are done, and of how many. Raises ProjectNotFound, and
        InvalidSource for a list that cannot be read."""
        projects: Sequence[Project]
        if project_id is not None:
            projects = [self.documents.catalogue.project(project_id)]
        else:
            projects = self.documents.catalogue.projects()
        checks = [] if quick else [catalogue_integrity(self.documents.catalogue, deep=deep)]
        for number, project in enumerate(projects):
            told(number, len(projects))
            checks += self._checks(project, retractions, deep=deep, quick=quick)
        if not projects:
            checks.append(
                Check(
                    check="projects",
                    status=Status.WARN,
                    message="there are no projects",
                    guidance=UserMessage("", NextStep(Action.CREATE_PROJECT)),
                )
            )
        return Validation(checks=tuple(checks))

    def _checks(
        self, project: Project, retractions: Path | None, *, deep: bool, quick: bool
    ) -> Iterator[Check]:
        bundles = self.documents.bundles
        documents = self.documents.catalogue.documents(project.id)
        read: list[ReferenceLibrary] = []
        contents = IndexContents(self.documents.catalogue, self.index, bundles, self.wait_seconds)

        def library() -> ReferenceLibrary | None:
            return read[0] if read else None

        steps: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
            ("embedding model", lambda: self._model(project)),
            ("references", lambda: self._reference_file(project, documents, read)),
            ("bundles", lambda: stored_conversions(project, documents, bundles, deep=deep)),
            ("server", lambda: server_condition(project, self.index)),
            ("index", lambda: index_contents(project, documents, contents, deep=deep)),
            ("other models", lambda: self._other_models(project)),
            ("citations", lambda: self._citations(project, documents)),
            (
                "items without files",
                lambda: items_without_files(
                    project, documents, library(), self.documents.files.exists
                ),
            ),
            ("citation keys", lambda: keys_that_clash(project, documents, library())),
            ("DOIs", lambda: dois_that_disagree(project, documents)),
            ("text", lambda: scanned_documents(project, documents, bundles)),
            ("text fidelity", lambda: text_fidelity(project, documents)),
        )
        for name, step in steps:
            if quick and name not in _QUICK:
                continue
            checkpoint()
            try:
                yield from step()
            except Cancelled:
                raise
            except CiteLoomError as error:
                yield failed(project, name, error.message)
        if retractions is not None:
            works = works_of(documents, library())
            yield from retracted_works(project, works, retractions, self.retractions)

    def _model(self, project: Project) -> Iterator[Check]:
        stored = project.embedding_model
        present = self.embedder(stored.name).model
        if present == stored:
            yield passed(project, "embedding model", stored.fingerprint)
            return
        yield failed(
            project,
            "embedding model",
            f"the project has {stored.fingerprint}, here is {present.fingerprint}",
            UserMessage(
                "install the model that the project was made with",
                NextStep(Action.MIGRATE_MODEL, project=project.id.value, model=present.name),
            ),
        )

    def _reference_file(
        self, project: Project, documents: Sequence[StoredDocument], read: list[ReferenceLibrary]
    ) -> Iterator[Check]:
        """Check the reference files; their library is appended to ``read``."""
        paths = project.reference_files
        held = sum(document.held is not None for document in documents)
        if not paths and held:
            yield passed(project, "references", f"{held} documents of the library it follows")
            return
        if not paths:
            yield passed(project, "references", "no reference file")
            return
        references = read_references(self.references, paths)
        library = references.library
        if library is None:
            raise ReferencesUnreadable(references.unread[0])
        for reason in references.unread:
            yield failed(project, "references", reason, "or drop the file from the project")
        read.append(library)
        yield passed(project, "references", f"{library.source}: {len(library.items)} items")
        for warning in library.warnings[:_SHOWN]:
            yield Check(
                project=project.id.value, check="references", status=Status.WARN, message=warning
            )
        if len(library.warnings) > _SHOWN:
            yield Check(
                project=project.id.value,
                check="references",
                status=Status.WARN,
                message=f"{len(library.warnings) - _SHOWN} more warnings of this kind",
                guidance="as JSON this names them all",
                items=library.warnings,
            )

    def _indexed(self, project: Project) -> Mapping[str, int]:
        if not self.index.exists(project.collection):
            return {}
        with open_collection(self.index, project, self.wait_seconds) as collection:
            return dict(collection.counts())

    def _other_models(self, project: Project) -> Iterator[Check]:
        """State of models that are not in use: an incomplete one is only a warning."""
        counts = {other.collection: self._indexed(project.on(other)) for other in project.others}
        for other in other_models(self.documents.catalogue, self.writer, project, counts):
            message = f"{other.name}: {other.ready} of {other.documents} documents are ready"
            action = Action.USE_MODEL if other.ready < other.documents else None
            if other.unwanted:
                message, action = f"{other.name}: is to be deleted", Action.DROP_MODEL
            if action is None:
                yield passed(project, "other models", message)
                continue
            yield Check(
                project=project.id.value,
                check="other models",
                status=Status.WARN,
                message=message,
                guidance=UserMessage("", NextStep(action, project.id.value, model=other.name)),
            )

    def _citations(self, project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
        without = [document for document in documents if not document.is_cited]
        if without:
            names = [one.citation.citekey if one.citation else named(one) for one in without]
            has = "has" if len(without) == 1 else "have"
            yield Check(
                project=project.id.value,
                check="citations",
                status=Status.WARN,
                message=f"{len(without)} of {counted(len(documents), 'document')} {has} a "
                f"provisional citation: {listed(names)}",
                guidance=UserMessage("", NextStep(Action.IDENTIFY, project.id.value)),
                items=tuple(names),
            )
        else:
            yield passed(project, "citations", f"{len(documents)} documents are cited")


def _names(documents: Sequence[StoredDocument]) -> str:
    return listed([named(document) for document in documents])
