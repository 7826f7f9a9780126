"""The verb *relations*: relations of a project's resources, and the graph around one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from pydantic import Field

from citeloom.application.documents.conversions import load_conversion, reference_list
from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi, versionless
from citeloom.domain.references.works import LinkTarget, ReferenceLinker
from citeloom.domain.resources.metadata import (
    Relation,
    RelationEmbed,
    RelationKind,
    RelationLink,
    RelationMisc,
    RelationParent,
)
from citeloom.domain.resources.uris import BODY, document_uri, media, passage_uri, project_uri
from citeloom.domain.value import Value

from .observe import group_uri, groups_of, located, members

SAME_WORK = "same_work"


class ProjectRelations:
    """Relations of one project. ``documents`` are by URI; ``names`` are the names of all other
    resources in the relations derived so far."""

    def __init__(self, project_id: ProjectId, catalogue: Catalogue, bundles: BundleStore) -> None:
        self._project = project_id
        self._bundles = bundles
        self.documents: Mapping[str, StoredDocument] = {
            str(document_uri(project_id, one.document_id)): one
            for one in catalogue.documents(project_id)
        }
        self.names: dict[str, str] = {str(project_uri(project_id)): project_id.value}
        self._links: dict[str, tuple[RelationLink, ...]] = {}

    def containers(self) -> Iterator[RelationParent]:
        """Containment: project, collections and tags with their documents."""
        whole = str(project_uri(self._project))
        groups: dict[str, str] = {}
        for uri, document in self.documents.items():
            yield RelationParent(parent=whole, child=uri)
            for group, name in sorted(groups_of(document).items()):
                parent = str(group_uri(self._project, group))
                groups.setdefault(parent, f"{group[0]}: {name}")
                yield RelationParent(parent=parent, child=uri)
        self.names |= groups
        for parent in groups:
            yield RelationParent(parent=whole, child=parent)

    def sections(self, uri: str) -> Iterator[RelationParent]:
        """Containment: a document with its sections, and sections with their subsections."""
        document = self._load(uri)
        above = [(uri, heading) for heading in reversed(document.structure.heading_tree)]
        while above:
            parent, heading = above.pop()
            child = str(passage_uri(self._project, document.doc_id, heading.span))
            if child != parent and len(heading.span):
                self.names[child] = " ".join(heading.title.split())
                yield RelationParent(parent=parent, child=child)
                parent = child
            above += [(parent, below) for below in reversed(heading.children)]

    def pictures(self, uri: str) -> Iterator[RelationEmbed]:
        """Embedding: a document's body with its figures."""
        document = self._load(uri)
        resource = document_uri(self._project, document.doc_id)
        for number in range(1, len(document.figures) + 1):
            picture = resource.observable(media(f"figure-{number}.png"))
            self.names[str(picture)] = f"figure {number}"
            yield RelationEmbed(source=str(resource.observable(BODY)), target=str(picture))

    def cited_by(self, uri: str) -> tuple[RelationLink, ...]:
        """Citation: a document with the documents that its reference list cites, in the order
        of the list, each once."""
        if uri not in self._links:
            links = {
                linked.uri: RelationLink(source=uri, target=linked.uri)
                for work in reference_list(self._bundles, self.documents[uri])
                if (linked := self._linker.link(work)) and linked.uri != uri
            }
            self._links[uri] = tuple(links.values())
        return self._links[uri]

    def links(self) -> Iterator[RelationLink]:
        """The citations among all documents of the project."""
        for uri in self.documents:
            yield from self.cited_by(uri)

    def same_works(self) -> Iterator[RelationMisc]:
        """Documents with the same DOI or arXiv id, versions aside (a preprint and its revision,
        a paper and its supplement): the first of them, by URI, with each other one."""
        documents_of_identifier: dict[str, set[str]] = {}
        for uri, document in self.documents.items():
            citation = document.citation
            for given in (citation.doi, citation.url) if citation else ():
                identifier = given and (normalise_arxiv(given) or normalise_doi(given))
                if identifier:
                    documents_of_identifier.setdefault(versionless(identifier), set()).add(uri)
        relations: dict[str, RelationMisc] = {}
        for uris in documents_of_identifier.values():
            first, *others = sorted(uris)
            for other in others:
                relation = RelationMisc(subkind=SAME_WORK, source=first, target=other)
                relations.setdefault(relation.id, relation)
        yield from relations.values()

    @cached_property
    def _linker(self) -> ReferenceLinker:
        return ReferenceLinker(_target(uri, document) for uri, document in self.documents.items())

    def _load(self, uri: str) -> ConversionResult:
        return load_conversion(self._bundles, self.documents[uri])


def _target(uri: str, document: StoredDocument) -> LinkTarget:
    """The link target of a document. Identifiers of its citation are certain; those read from
    the file may be another work's and are used only without a citation."""
    citation = document.citation
    if citation is None:
        return LinkTarget(uri=uri, identifiers=document.identifiers[:1], title=document.title)
    given = [citation.doi, citation.url]
    return LinkTarget(
        uri=uri,
        identifiers=tuple(one for one in given if one),
        title=citation.title,
        year=citation.year,
        authors=citation.authors,
    )


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
        self._catalogue = documents.catalogue
        self._bundles = bundles

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
        return self._documents.uri_of(name, project_id)

    def __call__(
        self, text: str, kind: RelationKind | None = None, depth: int = 1
    ) -> RelationGraph:
        """The relations of a knowledge URI, of one ``kind`` or all.

        Of a project or a collection, the links are those among its documents.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidRequest(f"depth {depth}: write 1 to {MAX_DEPTH}", parameter="depth")
        place, uri = located(self._catalogue, text)
        known = ProjectRelations(place.project.id, self._catalogue, self._bundles)
        if place.document is None and kind is RelationKind.LINK:
            uris = {
                str(document_uri(place.project.id, one.document_id))
                for one in members(self._catalogue, place)
            }
            links = [one for one in known.links() if set(one.ends) <= uris]
            return _graph(str(place.uri), depth, links, known, uris)
        start = str(uri)
        reached = _around(start, depth, _Touching(known, kind))
        return _graph(start, depth, reached, known, {start})

    def of_document(
        self, project_id: ProjectId, document_id: str, *, citing: bool = False
    ) -> RelationGraph:
        """The documents that a document cites, and those of the same work; with ``citing`` also
        those that cite it, which reads the reference list of every document."""
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
