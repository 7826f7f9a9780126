"""The verb *validate*: whether what is stored fits together, and how to mend what does not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

from citeloom.application.alternatives import other_models
from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.embedder import Embedder
from citeloom.application.ports.index import Index
from citeloom.application.ports.references import ReferenceReader
from citeloom.application.project_index import open_collection
from citeloom.application.storing import PassageWriter
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.project import Project, ProjectId
from citeloom.domain.values import Value

_SHOWN = 5


class Status(StrEnum):
    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"


class Check(Value):
    """One finding: what was looked at, how it stands, and what to do."""

    project: str | None = None
    check: str
    status: Status
    message: str
    guidance: str = ""


class Validation(Value):
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.status is not Status.FAIL for check in self.checks)


class Validate:
    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        bundles: BundleStore,
        references: ReferenceReader,
        embedder: Callable[[str], Embedder],
        writer: PassageWriter,
        wait_seconds: float = 30.0,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._bundles = bundles
        self._references = references
        self._embedder = embedder
        self._writer = writer
        self._wait = wait_seconds

    def __call__(self, project_id: ProjectId | None = None) -> Validation:
        """Checks one project, or all. Raises ProjectNotFound."""
        projects: Sequence[Project]
        if project_id is not None:
            projects = [self._catalogue.project(project_id)]
        else:
            projects = self._catalogue.projects()
        checks = [check for project in projects for check in self._checks(project)]
        if not projects:
            checks.append(
                Check(
                    check="projects",
                    status=Status.WARN,
                    message="there are no projects",
                    guidance="create one with `citeloom ingest PATH --project NAME`",
                )
            )
        return Validation(checks=tuple(checks))

    def _checks(self, project: Project) -> Iterator[Check]:
        documents = self._catalogue.documents(project.id)
        steps: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
            ("embedding model", lambda: self._model(project)),
            ("references", lambda: self._reference_file(project, documents)),
            ("bundles", lambda: self._stored(project, documents)),
            ("index", lambda: self._counts(project, documents)),
            ("other models", lambda: self._other_models(project)),
            ("citations", lambda: self._citations(project, documents)),
        )
        for name, step in steps:
            try:
                yield from step()
            except CiteLoomError as error:
                yield Check(
                    project=project.id.value, check=name, status=Status.FAIL, message=error.message
                )

    def _model(self, project: Project) -> Iterator[Check]:
        stored = project.embedding_model
        present = self._embedder(stored.name).model
        if present == stored:
            yield _passed(project, "embedding model", stored.fingerprint)
            return
        yield Check(
            project=project.id.value,
            check="embedding model",
            status=Status.FAIL,
            message=f"the project has {stored.fingerprint}, here is {present.fingerprint}",
            guidance="install the model that the project was made with, "
            f"or run `citeloom project migrate {project.id} --model {present.name}`",
        )

    def _reference_file(
        self, project: Project, documents: Sequence[StoredDocument]
    ) -> Iterator[Check]:
        path = project.references_json
        held = sum(document.held is not None for document in documents)
        if path is None and held:
            yield _passed(project, "references", f"{held} documents of the library it follows")
            return
        if path is None:
            yield Check(
                project=project.id.value,
                check="references",
                status=Status.WARN,
                message="no reference file: passages have no citation keys",
                guidance=f"run `citeloom ingest --references FILE --project {project.id}`",
            )
            return
        library = self._references.read(path)
        yield _passed(project, "references", f"{path}: {len(library.items)} items")
        for warning in library.warnings[:_SHOWN]:
            yield Check(
                project=project.id.value, check="references", status=Status.WARN, message=warning
            )

    def _stored(self, project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
        there = set(self._bundles.ids())
        missing = [d for d in documents if d.document_id not in there]
        if missing:
            yield Check(
                project=project.id.value,
                check="bundles",
                status=Status.FAIL,
                message=f"{len(missing)} documents have no stored conversion: {_names(missing)}",
                guidance="run `citeloom ingest` on their files with --force",
            )
        else:
            yield _passed(project, "bundles", f"{len(documents)} documents")

    def _counts(self, project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
        indexed = self._indexed(project)
        wrong = [d for d in documents if indexed.get(d.document_id, 0) != d.chunks]
        orphans = set(indexed) - {d.document_id for d in documents}
        repair = f"run `citeloom validate --project {project.id} --repair`"
        if wrong:
            yield Check(
                project=project.id.value,
                check="index",
                status=Status.FAIL,
                message=f"{len(wrong)} documents are not wholly in the index: {_names(wrong)}",
                guidance=repair,
            )
        if orphans:
            yield Check(
                project=project.id.value,
                check="index",
                status=Status.FAIL,
                message=f"{len(orphans)} documents in the index are not in the catalogue",
                guidance=repair,
            )
        if not wrong and not orphans:
            yield _passed(project, "index", f"{sum(indexed.values())} passages")

    def _indexed(self, project: Project) -> Mapping[str, int]:
        if not self._index.exists(project.collection):
            return {}
        with open_collection(self._index, project, self._wait) as collection:
            return dict(collection.counts())

    def _other_models(self, project: Project) -> Iterator[Check]:
        """None of them is asked now: one that is behind is no failure."""
        counts = {other.collection: self._indexed(project.on(other)) for other in project.others}
        for other in other_models(self._catalogue, self._writer, project, counts):
            message = f"{other.name}: {other.ready} of {other.documents} documents are ready"
            verb = "use" if other.ready < other.documents else None
            if other.unwanted:
                message, verb = f"{other.name}: is to be deleted", "drop"
            if verb is None:
                yield _passed(project, "other models", message)
                continue
            yield Check(
                project=project.id.value,
                check="other models",
                status=Status.WARN,
                message=message,
                guidance=f"run `citeloom models {verb} {other.name} --project {project.id}`",
            )

    def _citations(self, project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
        without = [d for d in documents if d.citation is None]
        if without:
            yield Check(
                project=project.id.value,
                check="citations",
                status=Status.WARN,
                message=f"{len(without)} documents have no citation: {_names(without)}",
                guidance="add them to the reference file and ingest again",
            )
        else:
            yield _passed(project, "citations", f"{len(documents)} documents are cited")
        silent = [d for d in documents if not d.chunks]
        if silent:
            yield Check(
                project=project.id.value,
                check="text",
                status=Status.WARN,
                message=f"{len(silent)} documents have no text: {_names(silent)}",
                guidance="scanned? make them searchable (OCR) and ingest again",
            )


def _passed(project: Project, check: str, message: str) -> Check:
    return Check(project=project.id.value, check=check, status=Status.PASS, message=message)


def _names(documents: Sequence[StoredDocument]) -> str:
    names = [d.sources[0].path if d.sources else d.document_id[:16] for d in documents[:_SHOWN]]
    more = f" and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else ""
    return ", ".join(names) + more
