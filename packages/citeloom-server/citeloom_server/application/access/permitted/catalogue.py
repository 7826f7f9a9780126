"""The catalogue as a principal sees it: projects that it may not read do not exist."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Generic, TypeVar, cast

from citeloom.application.ports.catalogue import (
    Catalogue,
    CatalogueAmounts,
    IndexedDocument,
    ProjectState,
    StoredDocument,
)
from citeloom.domain.errors import ProjectExists, ProjectNotFound
from citeloom.domain.projects.project import Project, ProjectId
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.application.access.ports import PrincipalStore
from citeloom_server.domain.access import Role, name_is_taken, only_in_own_namespace, only_owners

S = TypeVar("S")
M = TypeVar("M", bound=Callable[..., Any])


class Guarded(Generic[S]):
    """A store whose methods are those of ``store``, behind ``seen`` or ``checked``, by their first
    parameter."""

    def __init__(self, store: S, rights: CurrentRights) -> None:
        self._store = store
        self._rights = rights

    def _may_read(self, thing: Any) -> bool:
        raise NotImplementedError

    def _check(self, thing: Any) -> None:
        """Raises the error of a call that is refused."""
        raise NotImplementedError


def seen(method: M, otherwise: Callable[[], object] = lambda: None) -> M:
    """``otherwise`` makes the answer for what may not be read: that for what does not exist."""
    return _behind(method, lambda self, thing: self._may_read(thing), otherwise)


def checked(method: M) -> M:
    """Raises what ``_check`` does."""

    def admits(self: Guarded[Any], thing: object) -> bool:
        self._check(thing)
        return True

    return _behind(method, admits)


def passed_on(method: M) -> M:
    return _behind(method, lambda *_: True)


def _behind(
    method: M,
    guard: Callable[[Guarded[Any], Any], bool],
    otherwise: Callable[[], object] = lambda: None,
) -> M:
    first = list(signature(method).parameters)[1]

    @wraps(method)
    def guarded(self: Guarded[Any], *given: object, **named: object) -> object:
        if not guard(self, given[0] if given else named[first]):
            return otherwise()
        return getattr(self._store, method.__name__)(*given, **named)

    return cast(M, guarded)


class OfProjects(Guarded[S]):
    """A store of things of projects: nothing is there of one that may not be read. ``checked`` are
    the changes."""

    def _may_read(self, project_id: ProjectId) -> bool:
        return self._rights.may_read(project_id)

    def _reading(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound."""
        if not self._may_read(project_id):
            raise ProjectNotFound(project_id.value)

    def _check(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, NotPermitted."""
        self._reading(project_id)
        rights = self._rights()
        if not rights.may_change(project_id):
            raise only_owners(rights, project_id)


class PermittedCatalogue(OfProjects[Catalogue]):
    """``catalogue`` within ``rights``. A project that the principal may not read looks like an
    unknown one; a change of a project that it may only read is NotPermitted. The creator of a
    project owns it."""

    def __init__(
        self, catalogue: Catalogue, rights: CurrentRights, principals: PrincipalStore
    ) -> None:
        super().__init__(catalogue, rights)
        self._principals = principals

    delete_project = checked(Catalogue.delete_project)
    documents = seen(Catalogue.documents, list)
    version = seen(Catalogue.version, str)
    document = seen(Catalogue.document)
    languages = seen(Catalogue.languages, list)
    passages = seen(Catalogue.passages, int)
    find_documents = seen(Catalogue.find_documents, list)
    documents_beginning = seen(Catalogue.documents_beginning, list)
    remove_documents = checked(Catalogue.remove_documents)
    unfinish_documents = checked(Catalogue.unfinish_documents)
    put_other = checked(Catalogue.put_other)
    remove_other = checked(Catalogue.remove_other)
    indexed = seen(Catalogue.indexed, dict)
    put_indexed = checked(Catalogue.put_indexed)
    forget_indexed = checked(Catalogue.forget_indexed)
    # Whether any project has the text, also one that the principal does not see: such a text must
    # not be deleted. The answer is not shown.
    used_elsewhere = checked(Catalogue.used_elsewhere)

    def add_project(self, project: Project) -> None:
        """Raises NotPermitted outside the principal's own namespace, whatever there is."""
        rights = self._rights()
        if not rights.may_create(project.id):
            raise only_in_own_namespace(rights, project.id)
        try:
            self._store.add_project(project)
        except ProjectExists:
            if not rights.is_administrator and not self._may_read(project.id):
                raise name_is_taken(project.id) from None
            raise
        self._principals.grant(rights.name, project.id, Role.OWNER)
        self._rights.read_again()

    def check_filling(self, project_id: ProjectId) -> None:
        """Raises NotPermitted where the principal may not add documents to a project, or create it
        for them; the error does not reveal whether it exists."""
        rights = self._rights()
        if rights.may_read(project_id):
            if not rights.may_change(project_id):
                raise only_owners(rights, project_id)
        elif not rights.may_create(project_id):
            raise only_in_own_namespace(rights, project_id)

    def update_project(self, project: Project) -> None:
        self._check(project.id)
        self._store.update_project(project)

    def project(self, project_id: ProjectId) -> Project:
        self._reading(project_id)
        try:
            return self._store.project(project_id)
        except ProjectNotFound:
            raise self._not_found(project_id) from None

    def projects(self) -> Sequence[Project]:
        rights = self._rights()
        return [one for one in self._store.projects() if rights.may_read(one.id)]

    def holder(self, collection: str) -> Project | None:
        project = self._store.holder(collection)
        return project if project is not None and self._may_read(project.id) else None

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        self._check(document.project_id)
        self._store.put_document(document, collection)

    def amounts(self, project_id: ProjectId | None = None) -> CatalogueAmounts:
        """Amounts of the projects that the principal may read; a document of several projects
        counts in each."""
        if project_id is not None:
            ids = [project_id] if self._may_read(project_id) else []
        else:
            ids = [one.id for one in self.projects()]
        found = [self._store.amounts(id) for id in ids]
        return CatalogueAmounts(
            projects=sum(one.projects for one in found),
            documents=sum(one.documents for one in found),
            passages=sum(one.passages for one in found),
            file_bytes=sum(one.file_bytes for one in found),
        )

    def state(self, project_id: ProjectId) -> ProjectState:
        self._reading(project_id)
        return self._store.state(project_id)

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        self._check(before.project.id)
        return self._store.switch(before, after, left)

    def verify(self, *, deep: bool = False) -> None:
        self._store.verify(deep=deep)

    def _reading(self, project_id: ProjectId) -> None:
        """Raises ProjectNotFound, which names the projects that the principal sees."""
        if not self._may_read(project_id):
            raise self._not_found(project_id)

    def _not_found(self, project_id: ProjectId) -> ProjectNotFound:
        return ProjectNotFound(project_id.value, [one.id.value for one in self.projects()])
