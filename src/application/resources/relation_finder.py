"""Relations of a project's resources, derived on request."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.reference_list import StoredReferenceLists
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.resources.locator import group_uri, groups_of
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi, versionless
from citeloom.domain.references.reference_links import LinkTarget, ReferenceLinker
from citeloom.domain.resources.metadata import (
    RelationEmbed,
    RelationLink,
    RelationMisc,
    RelationParent,
)
from citeloom.domain.resources.uris import BODY, document_uri, media, passage_uri, project_uri

SAME_WORK = "same_work"


class ProjectRelations:
    """Relations of one project. ``documents`` are by URI; ``names`` are the names of all other
    resources in the relations derived so far."""

    def __init__(self, project_id: ProjectId, catalogue: Catalogue, bundles: BundleStore) -> None:
        self._project = project_id
        self._bundles = bundles
        self._lists = StoredReferenceLists(bundles)
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
                for work in self._lists.works(self.documents[uri])
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
