"""The one lookup of documents by whatever names them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import PurePath

from citeloom.application.documents.lookup import main_documents
from citeloom.application.documents.names import own_identifiers
from citeloom.application.documents.near_documents import (
    is_part_of_name,
    is_whole_name,
    no_document,
    several,
)
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.naming.names import IDENTIFIERS, Name, Spelling, parse_spelling
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.uris import is_short_name_of, subrealm_of
from citeloom.domain.search.filters import Clause, Field, Filter

_Rule = Callable[[ProjectId], Sequence[StoredDocument]]


class DocumentFinder:
    """Finds documents by citation key, title, file, DOI, arXiv id, id, address or citation.

    The first rule that fits any document decides: exact names, whole titles and file names,
    beginnings of ids, parts of titles and file names. ``base`` is the working directory of whoever
    asks, for relative paths. Methods raise what ``parse_spelling`` raises, and ProjectNotFound.
    """

    def __init__(self, catalogue: Catalogue, *, base: PurePath | None = None) -> None:
        self.catalogue = catalogue
        self._base = base

    def spelling(self, name: str) -> Spelling:
        return parse_spelling(name, self._base)

    def find(self, name: str | Spelling, project_id: ProjectId | None = None) -> StoredDocument:
        """The document of the project, or of any, that is named so.

        Raises DocumentNotFound: for none, with the nearest names, and for several, with
        ``options`` in its details.
        """
        return self.named(name, project_id)[0]

    def named(
        self, name: str | Spelling, project_id: ProjectId | None = None
    ) -> Sequence[StoredDocument]:
        """The same document once for each project that has it."""
        spelling = self._spelled(name)
        projects = self._projects(spelling, project_id)
        found = self._found(projects, spelling)
        _refuse_several(spelling, found, project_id)
        return found

    def among(
        self, name: str | Spelling, projects: Sequence[ProjectId]
    ) -> Sequence[StoredDocument]:
        """The document that is named so in each of ``projects`` that has one. Raises as ``find``,
        if no project has one, or one has several."""
        spelling = self._spelled(name)
        found = self._found(projects, spelling)
        for project_id in projects:
            own = [one for one in found if one.project_id == project_id]
            _refuse_several(spelling, own, project_id)
        return found

    def with_ids(self, filter: Filter, projects: Sequence[ProjectId]) -> Mapping[ProjectId, Filter]:
        """The filter for each project: each ``doc=NAME`` replaced by the id of its document, if it
        has one. Raises DocumentNotFound for a name that is unknown in all, or ambiguous in one."""
        found = {
            name: self.among(name, projects)
            for clause in filter.clauses
            if clause.field is Field.DOC
            for name in clause.values
        }

        def resolved(clause: Clause, project_id: ProjectId) -> Clause:
            if clause.field is not Field.DOC:
                return clause
            documents = [one for name in clause.values for one in found[name]]
            values = [one.document_id for one in documents if one.project_id == project_id]
            return clause.model_copy(update={"values": tuple(values)})

        return {
            id: Filter(clauses=tuple(resolved(one, id) for one in filter.clauses))
            for id in projects
        }

    def known(
        self, name: str | Spelling, project_id: ProjectId | None = None
    ) -> StoredDocument | None:
        """The document that has exactly this name; None if there is none. Raises
        DocumentNotFound if there are several."""
        spelling = self._spelled(name)
        found = self._first(self._projects(spelling, project_id), self._exact(spelling))
        _refuse_several(spelling, found, project_id)
        return found[0] if found else None

    def _spelled(self, name: str | Spelling) -> Spelling:
        return name if isinstance(name, Spelling) else self.spelling(name)

    def _projects(self, spelling: Spelling, project_id: ProjectId | None) -> Sequence[ProjectId]:
        """The project asked for, else that of a knowledge URI, else all."""
        if project_id is not None:
            return (self.catalogue.project(project_id).id,)
        projects = [project.id for project in self.catalogue.projects()]
        if (name := spelling.project) is None:
            return projects
        full = [one for one in projects if subrealm_of(one) == name]
        chosen = full or [one for one in projects if is_short_name_of(one, name)]
        if not chosen:
            raise ProjectNotFound(name, [subrealm_of(one) for one in projects])
        return chosen

    def _found(self, projects: Sequence[ProjectId], spelling: Spelling) -> Sequence[StoredDocument]:
        found = self._first(projects, chain(self._exact(spelling), self._loose(spelling)))
        if not found:
            where = projects[0] if len(projects) == 1 else None
            documents = [one for id in projects for one in self.catalogue.documents(id)]
            raise no_document(spelling.text, where, documents)
        return found

    def _first(
        self, projects: Sequence[ProjectId], rules: Iterable[_Rule]
    ) -> Sequence[StoredDocument]:
        """What the first rule finds that finds anything."""
        for rule in rules:
            found = [one for project_id in projects for one in main_documents(rule(project_id))]
            if found:
                return found
        return ()

    def _exact(self, spelling: Spelling) -> Iterator[_Rule]:
        def named(names: tuple[Name, ...]) -> _Rule:
            return lambda project_id: [
                document
                for document in self.catalogue.find_documents(project_id, names)
                if not IDENTIFIERS.issuperset(kind for kind, _ in names)
                or not own_identifiers(document).isdisjoint(names)
            ]

        yield from map(named, spelling.readings)
        if spelling.has_whole_id or spelling.address or spelling.uri:
            yield from self._beginning(spelling)

    def _beginning(self, spelling: Spelling) -> Iterator[_Rule]:
        if (prefix := spelling.document_id) is not None:
            yield lambda project_id: self.catalogue.documents_beginning(project_id, prefix)

    def _loose(self, spelling: Spelling) -> Iterator[_Rule]:
        documents = cache(self.catalogue.documents)

        def fitting(fits: Callable[[Spelling, StoredDocument], bool]) -> _Rule:
            return lambda project_id: [one for one in documents(project_id) if fits(spelling, one)]

        yield fitting(is_whole_name)
        yield from self._beginning(spelling)
        yield fitting(is_part_of_name)


def _refuse_several(
    spelling: Spelling, found: Sequence[StoredDocument], project_id: ProjectId | None
) -> None:
    documents = list({document.document_id: document for document in found}.values())
    if len(documents) > 1:
        raise several(spelling.text, project_id, documents)
