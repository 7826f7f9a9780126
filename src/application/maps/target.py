"""Targets: the node of a resource, or the place in it, that a name denotes."""

from collections.abc import Iterator
from typing import NamedTuple

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.printed_pages import PrintedPages
from citeloom.application.maps.map_lookup import MapLookup, node_of
from citeloom.domain.citation.citation_locators import Locator, parse_page
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import Address, format_address
from citeloom.domain.maps.evidence import place_node
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.naming.names import Spelling
from citeloom.domain.projects.project_id import ProjectId


class NodeTarget(NamedTuple):
    """A node with its map; ``known`` is False for a location that is no node of the map."""

    map: ResourceMap
    node: Node
    known: bool = True

    @property
    def address(self) -> str:
        return format_address(
            Address(resource_id=self.map.resource_id, location=self.node.location)
        )


class TargetFinder:
    """Finds targets. ``pages`` finds the pages of printed numbers."""

    def __init__(
        self, *, documents: DocumentFinder, structure: MapLookup, pages: PrintedPages
    ) -> None:
        self._documents = documents
        self._lookup = structure
        self._pages = pages

    def find(
        self,
        project_id: ProjectId | None,
        name: str,
        node_id: str | None = None,
        page: str | None = None,
    ) -> NodeTarget:
        """``name`` is a document, if ``node_id`` or ``page`` (printed) is given; else an address, a
        document or a citation with its pages, ``DOCUMENT NODE`` or ``DOCUMENT.NODE``.

        Raises what ``MapLookup.map`` raises; NodeNotFound, which names the nearest nodes;
        InvalidAddress, and InvalidRequest for pages that are not there, or for an ambiguous name.
        """
        if node_id is not None:
            return _target(self._lookup.map(project_id, name), node_id)
        if page is not None:
            spelling = self._documents.spelling(name)
            return self._cited(project_id, spelling, parse_page(page))
        name = name.strip()
        spelling = self._documents.spelling(name)
        if spelling.address is not None:
            return self._place(project_id, spelling, spelling.address)
        if spelling.locator is not None:
            return self._cited(project_id, spelling, spelling.locator)
        if spelling.uri is not None:
            return self._seen(project_id, spelling)
        if (resource := self._lookup.known(project_id, spelling)) is not None:
            return _whole(resource)
        return self._node(project_id, name) or _whole(self._lookup.map(project_id, spelling))

    def _place(
        self, project_id: ProjectId | None, spelling: Spelling, address: Address
    ) -> NodeTarget:
        """The one node at a location, else a node made for the location."""
        resource_map = self._lookup.map(project_id, spelling)
        if "#" not in spelling.text:
            return _whole(resource_map)
        location = _in_map(address.location, resource_map.resource_id)
        nodes = list(resource_map.walk())
        modalities = {"virtual", resource_map.type, *(node.location.modality for node in nodes)}
        if location.modality not in modalities:
            raise InvalidRequest(
                f"{address}: the resource is of type {resource_map.type}, it has no places of type "
                f"{location.modality}",
                parameter="address",
            )
        matching_nodes = [node for node in nodes if _same(node.location, location)]
        if len(matching_nodes) == 1:
            return NodeTarget(resource_map, matching_nodes[0])
        return _placed(resource_map, location)

    def _cited(
        self, project_id: ProjectId | None, spelling: Spelling, locator: Locator
    ) -> NodeTarget:
        """The pages of a locator."""
        document = self._documents.find(spelling, project_id)
        pages = self._pages(document, locator)
        location = Location(modality="document", pages=tuple(pages))
        return _placed(self._lookup.of_document(document), location)

    def _seen(self, project_id: ProjectId | None, spelling: Spelling) -> NodeTarget:
        """The document of a knowledge URI, or the pages of its passage, or its page."""
        document = self._documents.find(spelling, project_id)
        resource_map = self._lookup.of_document(document)
        if spelling.is_whole:
            return _whole(resource_map)
        pages = self._pages.of_span(document, spelling.span) if spelling.span else ()
        if spelling.page is not None:
            pages = self._pages(document, parse_page(f"PDF {spelling.page}"))
        if not pages:
            raise InvalidRequest(
                f"{spelling.text}: names a part to read, which has no pages of its own; "
                "read it, or open its document",
                parameter="address",
            )
        return _placed(resource_map, Location(modality="document", pages=tuple(pages)))

    def _node(self, project_id: ProjectId | None, name: str) -> NodeTarget | None:
        """``DOCUMENT NODE`` or ``DOCUMENT.NODE``, the document by an exact name. Names of documents
        contain dots too, so every dot is tried."""
        known = [
            (resource_map, node_id)
            for document, node_id in _splits(name)
            if (resource_map := self._exact(project_id, document)) is not None
        ]
        fitting = [
            NodeTarget(resource_map, node)
            for resource_map, node_id in known
            if (node := resource_map.get_node(node_id)) is not None
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            options = ", ".join(f"{one.map.resource_id} {one.node.id}" for one in fitting)
            raise InvalidRequest(f"{name}: means {options}; write one of these", parameter="name")
        return _target(*known[-1]) if known else None

    def _exact(self, project_id: ProjectId | None, name: str) -> ResourceMap | None:
        try:
            return self._lookup.known(project_id, name)
        except InvalidRequest:  # half an address, or half a citation
            return None


def _whole(resource_map: ResourceMap) -> NodeTarget:
    """All of a resource: its one node, or a node made for it."""
    nodes, kind = resource_map.nodes, resource_map.type
    if kind == "virtual" and len(nodes) == 1 and not nodes[0].children:
        return NodeTarget(resource_map, nodes[0])
    place = f"virtual://{resource_map.resource_id}" if kind == "virtual" else None
    return _placed(resource_map, Location(modality=kind, virtual_address=place))


def _placed(resource_map: ResourceMap, location: Location) -> NodeTarget:
    node = place_node(resource_map.resource_id, location, resource_map.type)
    return NodeTarget(resource_map, node, known=False)


def _in_map(location: Location, resource_id: str) -> Location:
    """A virtual location under the resource id of the map; the address may have another id."""
    if location.virtual_address is None:
        return location
    fragment = location.virtual_address.partition("#")[2]
    address = f"virtual://{resource_id}" + (f"#{fragment}" if fragment else "")
    return Location(modality="virtual", virtual_address=address)


def _same(one: Location, other: Location) -> bool:
    """Equality of locations; cheap fields are compared first."""
    return (
        one.pages == other.pages
        and one.lines == other.lines
        and one.virtual_address == other.virtual_address
        and one == other
    )


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Every way to part a document from a node, at the last blank or at a dot."""
    document, _, last = name.rpartition(" ")
    if document.strip():
        yield document.strip(), last
    for at, letter in enumerate(name):
        if letter == "." and 0 < at < len(name) - 1:
            yield name[:at], name[at + 1 :]


def _target(resource_map: ResourceMap, node_id: str) -> NodeTarget:
    return NodeTarget(resource_map, node_of(resource_map, node_id))
