"""Resolution of knowledge URIs to projects, collections, documents and passages."""

from collections.abc import Sequence

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidUri, NothingThere, ProjectNotFound
from citeloom.domain.maps.address import short_id
from citeloom.domain.naming.names import ELSEWHERE
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.uris import (
    FILE,
    WHOLE,
    ResourceUri,
    document_uri,
    is_short_name_of,
    normalize_name,
    span_of,
    subrealm_of,
)
from citeloom.domain.value import Value

COLLECTION, TAG = "collection", "tag"
_GROUPS = (COLLECTION, TAG)


class ResourcePlace(Value):
    """What a resource URI names: a project; a collection or tag of it (``group``); a document;
    or a passage of a document (``span``)."""

    uri: ResourceUri
    project: Project
    group: tuple[str, str] | None = None
    document: StoredDocument | None = None
    span: CharSpan | None = None


class ResourceLocator:
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def locate(self, uri: ResourceUri) -> ResourcePlace:
        """The resource of a URI, with its canonical URI. Raises NothingThere, ProjectNotFound,
        and InvalidUri for a path of another shape."""
        project = self._project(uri)
        if uri.realm != FILE:
            return self._elsewhere(uri, project)
        uri = uri.model_copy(update={"subrealm": subrealm_of(project.id)})
        first, *rest = uri.path
        if first == WHOLE and not rest:
            return ResourcePlace(uri=uri, project=project)
        if first in _GROUPS and len(rest) == 1:
            return ResourcePlace(uri=uri, project=project, group=(first, rest[0]))
        span = span_of(rest[0]) if len(rest) == 1 else None
        if rest and span is None:
            raise InvalidUri(
                str(uri), "its path is a document's id, - for the project, or collection/NAME"
            )
        matches = [
            document
            for document in self._catalogue.documents_beginning(project.id, first)
            if short_id(document.document_id) == first
        ]
        if len(matches) != 1:
            raise NothingThere(
                f"{uri}: {project.id} has no document {first}; "
                f"see ndk://{uri.realm}/{uri.subrealm}/{WHOLE}/$collection",
                uri=str(uri),
            )
        return ResourcePlace(uri=uri, project=project, document=matches[0], span=span)

    def members(self, place: ResourcePlace) -> Sequence[StoredDocument]:
        """The documents of a project, or of a collection or tag. Raises NothingThere for an
        unknown group."""
        documents = self._catalogue.documents(place.project.id)
        if place.group is None:
            return documents
        members = [d for d in documents if place.group in groups_of(d)]
        if not members:
            kind, name = place.group
            raise NothingThere(f"{place.uri}: no document has the {kind} {name}")
        return members

    def _elsewhere(self, uri: ResourceUri, project: Project) -> ResourcePlace:
        """The document with this external name, under its canonical URI."""
        document = DocumentFinder(self._catalogue).known(str(uri), project.id)
        if document is None:
            raise NothingThere(f"{uri}: no document of {project.id} has this name")
        canonical = document_uri(project.id, document.document_id)
        return ResourcePlace(uri=canonical, project=project, document=document)

    def _project(self, uri: ResourceUri) -> Project:
        projects = self._catalogue.projects()
        if uri.realm != FILE and uri.realm not in ELSEWHERE:
            raise NothingThere(f"{uri}: nothing here handles the realm {uri.realm}")
        for project in projects:
            if subrealm_of(project.id) == uri.subrealm:
                return project
        for project in projects:
            if is_short_name_of(project.id, uri.subrealm):
                return project
        raise ProjectNotFound(uri.subrealm, [subrealm_of(project.id) for project in projects])


def groups_of(document: StoredDocument) -> dict[tuple[str, str], str]:
    """The collections and tags of its citation: names by their normalised form in paths."""
    if document.citation is None:
        return {}
    groups: dict[tuple[str, str], str] = {}
    for kind, names in (
        (COLLECTION, document.citation.collections),
        (TAG, document.citation.tags),
    ):
        for name in names:
            try:
                groups.setdefault((kind, normalize_name(name)), name)
            except ValueError:
                continue
    return groups


def group_uri(project_id: ProjectId, group: tuple[str, str]) -> ResourceUri:
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=group)
