"""The verb *relations*: relation graph around a resource."""

from collections import defaultdict
from collections.abc import Iterable

from pydantic import Field

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.resources.aliases import Aliases
from citeloom.application.resources.locator import ResourceLocator
from citeloom.application.resources.relation_finder import ProjectRelations
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.metadata import Relation, RelationKind
from citeloom.domain.resources.uris import ObservableUri, document_uri, parse_uri, project_uri
from citeloom.domain.value import Value

MAX_DEPTH = 10
# Who cites whom first.
_KIND_ORDER = (RelationKind.LINK, RelationKind.MISC, RelationKind.PARENT, RelationKind.EMBED)


class GraphNode(Value):
    """A resource, or something seen of one. ``name`` is the citation key of a ``document``,
    or else its title; or that of a section, a collection, a picture."""

    uri: str
    name: str
    title: str | None = None
    year: int | None = None
    document: bool = False


class IdentifiedRelation(Value):
    """A relation with its id; ``ends`` are source and target, or parent and child."""

    id: str
    kind: RelationKind
    ends: tuple[str, str]
    relation: Relation


class RelationGraph(Value):
    """What lies within ``depth`` relations of ``start``, in either direction; the citations
    first."""

    start: str
    depth: int = Field(ge=1)
    nodes: tuple[GraphNode, ...]
    relations: tuple[IdentifiedRelation, ...]


class Relations:
    """Derives relation graphs.

    Raises InvalidUri, InvalidRequest, ProjectNotFound, NothingThere, StorageFailed.
    """

    def __init__(self, *, documents: DocumentFinder, bundles: BundleStore) -> None:
        self._documents = documents
        self._catalogue = catalogue = documents.catalogue
        self._bundles = bundles
        self._locator = ResourceLocator(catalogue)
        self._aliases = Aliases(documents)

    def start(self, name: str, project_id: ProjectId | None = None) -> str:
        """The URI of what ``name`` means: a knowledge URI, a document of the project or of any,
        or a project by its name, which goes before a part of a title. Raises what
        ``DocumentFinder.find`` raises, and InvalidUri."""
        projects = [
            project.id
            for project in self._catalogue.projects()
            if name in (project.id.value, project.id.name)
        ]
        if len(projects) == 1 and self._documents.known(name, project_id) is None:
            return str(project_uri(projects[0]))
        return self._aliases.uri_of(name, project_id)

    def __call__(
        self, text: str, kind: RelationKind | None = None, depth: int = 1
    ) -> RelationGraph:
        """The relations of a knowledge URI, of one ``kind`` or all.

        Of a project or a collection, the links are those among its documents.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidRequest(f"depth {depth}: write 1 to {MAX_DEPTH}", parameter="depth")
        uri = parse_uri(text)
        place = self._locator.locate(uri.resource if isinstance(uri, ObservableUri) else uri)
        known = ProjectRelations(place.project.id, self._catalogue, self._bundles)
        if place.document is None and kind is RelationKind.LINK:
            members = {
                str(document_uri(place.project.id, one.document_id))
                for one in self._locator.members(place)
            }
            links = [one for one in known.links() if set(one.ends) <= members]
            return _graph(str(place.uri), depth, links, known, members)
        start = str(
            place.uri.observable(uri.suffix) if isinstance(uri, ObservableUri) else place.uri
        )
        reached = _around(start, depth, _Touching(known, kind))
        return _graph(start, depth, reached, known, {start})

    def of_document(
        self, project_id: ProjectId, document_id: str, *, citing: bool = False
    ) -> RelationGraph:
        """The documents that a document cites, and those of the same work; with ``citing`` those
        that cite it as well, for which the reference list of every document is read."""
        known = ProjectRelations(project_id, self._catalogue, self._bundles)
        uri = str(document_uri(project_id, document_id))
        links = known.links() if citing else known.cited_by(uri)
        related = [one for one in (*links, *known.same_works()) if uri in one.ends]
        return _graph(uri, 1, related, known, {uri})


class _Touching:
    """The relations that end at a node."""

    def __init__(self, known: ProjectRelations, kind: RelationKind | None) -> None:
        self._known = known
        self._kind = kind
        self._ends: dict[str, list[Relation]] = defaultdict(list)
        self._seen: set[str] = set()
        if kind in (None, RelationKind.PARENT):
            self._note(known.containers())
        if kind in (None, RelationKind.LINK):
            self._note(known.links())
        if kind in (None, RelationKind.MISC):
            self._note(known.same_works())

    def __call__(self, node: str) -> Iterable[Relation]:
        document = self._document_of(node)
        if document is not None and document not in self._seen:
            self._seen.add(document)
            if self._kind in (None, RelationKind.PARENT):
                self._note(self._known.sections(document))
            if self._kind in (None, RelationKind.EMBED):
                self._note(self._known.pictures(document))
        return self._ends.get(node, ())

    def _document_of(self, node: str) -> str | None:
        """The document that a node is, or that contains it (a section, a figure)."""
        whole = "/".join(node.split("/")[:5])
        return whole if whole in self._known.documents else None

    def _note(self, relations: Iterable[Relation]) -> None:
        for relation in relations:
            for end in dict.fromkeys(relation.ends):
                self._ends[end].append(relation)


def _around(start: str, depth: int, touching: _Touching) -> list[Relation]:
    """Relations within ``depth``, in breadth-first order."""
    reached: dict[str, Relation] = {}
    frontier, visited = [start], {start}
    for _ in range(depth):
        next_frontier: list[str] = []
        for node in frontier:
            for relation in touching(node):
                reached.setdefault(relation.id, relation)
                next_frontier += [end for end in relation.ends if end not in visited]
                visited.update(relation.ends)
        frontier = next_frontier
    return list(reached.values())


def _graph(
    start: str,
    depth: int,
    relations: Iterable[Relation],
    known: ProjectRelations,
    nodes: Iterable[str],
) -> RelationGraph:
    all_relations = sorted(relations, key=lambda one: _KIND_ORDER.index(RelationKind(one.kind)))
    uris = dict.fromkeys([*sorted(nodes), *(end for one in all_relations for end in one.ends)])
    return RelationGraph(
        start=start,
        depth=depth,
        nodes=tuple(_node(uri, known) for uri in uris),
        relations=tuple(
            IdentifiedRelation(id=one.id, kind=RelationKind(one.kind), ends=one.ends, relation=one)
            for one in all_relations
        ),
    )


def _node(uri: str, known: ProjectRelations) -> GraphNode:
    document = known.documents.get(uri)
    if document is None:
        return GraphNode(uri=uri, name=known.names.get(uri) or uri.split("/", 4)[-1])
    citation = document.citation
    title = citation.title if citation else document.title
    return GraphNode(
        uri=uri,
        name=citation.citekey if citation else title or uri.rsplit("/", 1)[-1],
        title=title,
        year=citation.year if citation else None,
        document=True,
    )
