"""The verbs *project* and *remove*, and the project of a request."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.index.collection import Remover, require_index
from citeloom.application.index.passage_writer import PassageWriter, TermWeights
from citeloom.application.index.relocation import IndexMover, place_name
from citeloom.application.models import OtherModel, other_models
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import SourceFiles
from citeloom.application.ports.models import Embedder, SparseEmbedder
from citeloom.application.ports.system import Clock, Trash
from citeloom.domain.errors import (
    EmbeddingModelMismatch,
    IndexUnavailable,
    InvalidRequest,
    ProjectExists,
    ProjectNotFound,
    UsageError,
)
from citeloom.domain.messages import Action, MessageText, NextStep
from citeloom.domain.projects.project import IndexPlace, Project, ProjectId, RetrievalSettings
from citeloom.domain.text.phrasing import counted
from citeloom.domain.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOpener:
    """Opens projects with the embedder of their model, and with no other. ``place`` is the place of
    the index of new projects; ``taken`` says whether it already has passages of that name."""

    catalogue: Catalogue
    embedder: Callable[[str], Embedder]
    sparse: SparseEmbedder
    clock: Clock
    default_model: str
    place: IndexPlace | None = None
    taken: Callable[[Project], bool] = lambda _: False

    def open(self, project_id: ProjectId, model: str | None = None) -> tuple[Project, Embedder]:
        """Raises ProjectNotFound, EmbeddingModelMismatch, ModelUnavailable."""
        project = self.catalogue.project(project_id)
        embedder = self.embedder(model or project.embedding_model.name)
        if embedder.model != project.embedding_model:
            raise EmbeddingModelMismatch(
                project_id.value, project.embedding_model.fingerprint, embedder.model.fingerprint
            )
        return project, embedder

    def create(
        self,
        project_id: ProjectId,
        model: str | None = None,
        *,
        references: Path | None = None,
        hybrid: bool = True,
        sentences: bool = True,
    ) -> tuple[Project, Embedder]:
        """Raises ProjectExists (here or on the index server), ModelUnavailable,
        IndexUnavailable."""
        embedder = self.embedder(model or self.default_model)
        project = Project(
            id=project_id,
            collection=project_id.collection,
            embedding_model=embedder.model,
            sparse_model=self.sparse.name,
            references_json=references,
            hybrid_enabled=hybrid,
            retrieval=RetrievalSettings(sentences=sentences, place=self.place),
            created_at=self.clock.now(),
        )
        if self.place is not None and self.taken(project):
            raise ProjectExists(
                f"{project_id}: {self.place.url} has an index of this name already, of another "
                f"workspace perhaps; choose another name, or write NAMESPACE/{project_id.name}",
                project_id=project_id.value,
            )
        self.catalogue.add_project(project)
        return project, embedder

    def open_or_create(
        self, project_id: ProjectId, model: str | None, *, sentences: bool | None = None
    ) -> tuple[Project, Embedder, bool]:
        """Returns also whether the project is new. ``sentences`` changes the project's setting;
        None leaves it."""
        try:
            return *self._reopen(project_id, model, sentences), False
        except ProjectNotFound:
            pass
        try:
            return *self.create(project_id, model, sentences=sentences is not False), True
        except ProjectExists:  # another process was quicker
            return *self._reopen(project_id, model, sentences), False

    def _reopen(
        self, project_id: ProjectId, model: str | None, sentences: bool | None
    ) -> tuple[Project, Embedder]:
        project, embedder = self.open(project_id, model)
        if sentences is not None and sentences != project.retrieval.sentences:
            retrieval = project.retrieval.model_copy(update={"sentences": sentences})
            project = project.model_copy(update={"retrieval": retrieval})
            self.catalogue.update_project(project)
        return project, embedder


class ProjectSummary(Value):
    """A project as lists show it. Counts are those of the catalogue; ``warning`` is set where
    its index is gone."""

    id: str
    collection: str
    dense_model: str
    other_models: tuple[OtherModel, ...]
    sparse_model: str
    hybrid_enabled: bool
    references: str | None
    index: str
    documents: int
    chunks: int
    created_at: datetime
    warning: MessageText | None = None


class ProjectStanding(Value):
    """How far a project is: its documents, and those whose citation is that of an item, not a
    provisional one."""

    id: str
    documents: int
    cited: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Projects:
    """Lists, shows and deletes projects."""

    catalogue: Catalogue
    index: Index
    remover: Remover
    writer: PassageWriter
    move: IndexMover

    def list(self) -> Sequence[ProjectSummary]:
        return [self._summary(project) for project in self.catalogue.projects()]

    def standings(self) -> Sequence[ProjectStanding]:
        """All projects by id."""
        found = []
        for project in self.catalogue.projects():
            documents = self.catalogue.documents(project.id)
            cited = sum(document.is_cited for document in documents)
            found.append(
                ProjectStanding(id=project.id.value, documents=len(documents), cited=cited)
            )
        return sorted(found, key=lambda one: one.id)

    def show(self, project_id: ProjectId) -> ProjectSummary:
        return self._summary(self.catalogue.project(project_id))

    def delete(self, project_id: ProjectId) -> ProjectSummary:
        """Delete index, documents, unshared bundles, and copies of the index that relocations
        left."""
        summary = self._summary(self.catalogue.project(project_id))
        self.move.drop_copies(project_id)
        project = self.catalogue.project(project_id)
        self.remover.project(project)
        return summary

    def _summary(self, project: Project) -> ProjectSummary:
        documents = self.catalogue.documents(project.id)
        return ProjectSummary(
            id=project.id.value,
            collection=project.collection,
            dense_model=project.embedding_model.name,
            other_models=other_models(self.catalogue, self.writer, project),
            sparse_model=project.sparse_model,
            hybrid_enabled=project.hybrid_enabled,
            references=project.named_references,
            index=place_name(project.retrieval.place),
            documents=len(documents),
            chunks=sum(d.chunks for d in documents),
            created_at=project.created_at,
            warning=self._warning(project),
        )

    def _warning(self, project: Project) -> str | None:
        """Whether the index is gone; servers are not asked."""
        if project.retrieval.place is None:
            try:
                require_index(self.index, self.catalogue, project)
            except IndexUnavailable as error:
                return error.message
        return None


_DIGEST = 8  # hex digits


class Removal(Value):
    """What is removed: these documents of a project, with ``whole`` also the project."""

    project_id: ProjectId
    documents: tuple[StoredDocument, ...]
    whole: bool

    @property
    def passages(self) -> int:
        return sum(document.chunks for document in self.documents)

    @property
    def name(self) -> str:
        """Another one for other documents."""
        ids = " ".join(sorted(document.document_id for document in self.documents))
        digest = hashlib.sha256(f"{self.whole} {ids}".encode()).hexdigest()[:_DIGEST]
        number = counted(len(self.documents), "document")
        what = f"the whole project, {number}" if self.whole else number
        return f"{self.project_id} ({what}, {digest})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDocuments:
    """Removes documents with their passages and stored texts; the user's own files stay, or go to
    the trash first."""

    documents: DocumentFinder
    projects: Projects
    remover: Remover
    term_weights: TermWeights
    files: SourceFiles
    trash: Trash

    def plan(self, project_id: ProjectId, names: Sequence[str]) -> Removal:
        """What will be removed; the whole project without ``names``. Raises ProjectNotFound,
        DocumentNotFound, and the errors of a malformed name."""
        catalogue = self.documents.catalogue
        project = catalogue.project(project_id)
        if not names:
            every = tuple(catalogue.documents(project.id))
            return Removal(project_id=project.id, documents=every, whole=True)
        found = [self.documents.find(name, project.id) for name in names]
        chosen = {document.document_id: document for document in found}
        return Removal(project_id=project.id, documents=tuple(chosen.values()), whole=False)

    def sources(self, removal: Removal) -> Sequence[Path]:
        """The files to be removed, which may go to the trash. Raises InvalidRequest for a file of a
        library or of another project, StorageFailed without a trash."""
        found: dict[Path, None] = {}
        for document in removal.documents:
            name = document.path or document.document_id
            if document.held is not None:
                raise InvalidRequest(
                    f"{name}: belongs to a Zotero library; delete it there", parameter="delete_file"
                )
            if self.documents.catalogue.used_elsewhere(removal.project_id, document.document_id):
                raise InvalidRequest(
                    f"{name}: another project has it too, so that the file stays",
                    parameter="delete_file",
                )
            there = [one.path for one in document.sources if self.files.exists(one.path)]
            found |= dict.fromkeys(map(Path, there))
        for path in found:
            self.trash.check(path)
        return tuple(found)

    def returning(self, removal: Removal) -> Sequence[Path]:
        """Files that the next ingest would read again: they lie in folders of the project."""
        folders = self.documents.catalogue.project(removal.project_id).folders
        paths = (Path(one.path) for document in removal.documents for one in document.sources)
        return [
            path
            for path in paths
            if any(path.is_relative_to(folder) for folder in folders)
            and self.files.exists(str(path))
        ]

    def __call__(self, removal: Removal, confirmed: str, trashed: Sequence[Path] = ()) -> None:
        """``confirmed`` is the name of the removal, ``trashed`` are files that go to the trash
        before anything else. Raises InvalidRequest for another name, ShardBusy, IndexUnavailable,
        StorageFailed."""
        if confirmed != removal.name:
            raise InvalidRequest(
                f"confirm: {confirmed!r} no longer matches; this call would remove "
                f"{removal.name!r}",
                parameter="confirm",
            )
        for path in trashed:
            self.trash.put(path)
        if removal.whole:
            self.projects.delete(removal.project_id)
            return
        project = self.documents.catalogue.project(removal.project_id)
        self.remover.documents(project, [one.document_id for one in removal.documents])
        self.term_weights.update_average(project)


class ProjectNotChosen(UsageError):
    """A request names no project, none is configured, and there is not exactly one."""

    code = "MISSING_PARAMETER"

    def __init__(self, available_projects: Sequence[str]) -> None:
        known = ", ".join(available_projects)
        super().__init__(
            f"which project? there are {known}" if known else "there are no projects yet",
            NextStep(Action.CHOOSE_PROJECT if known else Action.CREATE_PROJECT),
            parameter="project",
            available_projects=list(available_projects),
        )


class DefaultProject(NamedTuple):
    """The configured project; ``origin`` says which setting names it, for messages."""

    project_id: ProjectId
    origin: str


class ProjectToFill(NamedTuple):
    """The target project of documents. ``made_up``: the first project, under a name that nobody
    chose."""

    project_id: ProjectId
    made_up: bool = False


class ProjectChoice:
    def __init__(self, *, catalogue: Catalogue, default: DefaultProject | None = None) -> None:
        self._catalogue = catalogue
        self._default = default

    def __call__(self, named: str | None) -> ProjectId:
        """``named`` is the user's text. Raises InvalidRequest; if it is None, ProjectNotChosen, and
        ProjectNotFound for a missing default."""
        if named is not None:
            return ProjectId.parse(named)
        chosen = self.default()
        if chosen is None:
            raise ProjectNotChosen(self._known())
        return chosen

    def named(self, name: str | None) -> ProjectId | None:
        """None for a request about all projects. Raises InvalidRequest."""
        return ProjectId.parse(name) if name else None

    def default(self) -> ProjectId | None:
        """The configured project, else the only one; None if there are several or none. Raises
        ProjectNotFound."""
        known = self._known()
        if self._default is not None:
            project_id, origin = self._default
            if project_id.value not in known:
                raise ProjectNotFound(project_id.value, known, named_by=origin)
            return project_id
        return ProjectId(value=known[0]) if len(known) == 1 else None

    def to_fill(self, named: str | None, title: str) -> ProjectToFill:
        """The project that documents are added to; it need not exist. In a workspace without
        projects it is called after ``title``. Raises InvalidRequest, ProjectNotChosen."""
        if named is not None:
            return ProjectToFill(ProjectId.parse(named))
        if self._default is not None:
            return ProjectToFill(self._default.project_id)
        match self._known():
            case []:
                return ProjectToFill(ProjectId.from_title(title), made_up=True)
            case [only]:
                return ProjectToFill(ProjectId(value=only))
            case known:
                raise ProjectNotChosen(known)

    def _known(self) -> list[str]:
        return sorted(project.id.value for project in self._catalogue.projects())
