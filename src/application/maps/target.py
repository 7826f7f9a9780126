"""Targets: the node of a resource that an address or name denotes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citeloom.application.maps.map_lookup import MapLookup, first_nodes, node_of
from citeloom.domain.errors import DocumentNotFound, InvalidRequest
from citeloom.domain.maps.address import Address, format_address, parse_address, short_id
from citeloom.domain.maps.evidence_files import place_node
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.projects.project_id import ProjectId

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FILE_NAME = re.compile(r"[\w-]+")


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
    """Finds targets. ``maps`` is the folder of resource maps, named in error messages."""

    def __init__(self, *, structure: MapLookup, maps: Path) -> None:
        self._lookup = structure
        self._maps = maps

    def find(
        self, project_id: ProjectId | None, name: str, node_id: str | None = None
    ) -> NodeTarget:
        """``name`` is a document if ``node_id`` is given; else an address, ``DOCUMENT NODE`` or
        ``DOCUMENT.NODE``.

        Raises ProjectNotFound; DocumentNotFound, with the path where the map was expected;
        NodeNotFound, which names existing nodes; InvalidAddress, and InvalidRequest for an
        ambiguous name.
        """
        if node_id is not None:
            return _target(self._map(project_id, name), node_id)
        name = name.strip()
        if "://" in name:
            return self._place(project_id, parse_address(name))
        resource_map = self._known(project_id, name)
        if resource_map is not None:
            raise InvalidRequest(
                f"{_printable(name)}: name a node of it too: {first_nodes(resource_map)}",
                parameter="node_id",
            )
        document, _, last = name.rpartition(" ")
        if document:
            return _target(self._map(project_id, document.strip()), last)
        return self._dotted(project_id, name)

    def _place(self, project_id: ProjectId | None, address: Address) -> NodeTarget:
        """The one node at a location, else a node made for the location."""
        resource_map = self._map(project_id, address.resource_id)
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
        return NodeTarget(
            resource_map,
            place_node(resource_map.resource_id, location, resource_map.type),
            known=False,
        )

    def _dotted(self, project_id: ProjectId | None, name: str) -> NodeTarget:
        """``DOCUMENT.NODE``: document names contain dots too, so every dot is tried."""
        known = [
            (resource_map, node_id)
            for document, node_id in _splits(name)
            if (resource_map := self._known(project_id, document)) is not None
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
        if known:
            return _target(*known[-1])
        document = name.partition(".")[0]
        return _target(self._map(project_id, document), name)

    def _known(self, project_id: ProjectId | None, name: str) -> ResourceMap | None:
        try:
            return self._lookup.map(project_id, name)
        except DocumentNotFound as error:
            if "options" in error.details:  # it means several
                raise
            return None

    def _map(self, project_id: ProjectId | None, name: str) -> ResourceMap:
        try:
            return self._lookup.map(project_id, name)
        except DocumentNotFound as error:
            if "options" in error.details:
                raise
            file_name = f"{short_id(name) if _DIGEST.fullmatch(name) else name}.json"
            expected = self._maps / file_name if _FILE_NAME.fullmatch(name) else self._maps
            raise DocumentNotFound(
                f"No map found for resource '{_printable(name)}'. Expected at: {expected}",
                error.next_step,
                name=name,
            ) from error


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
    for at, letter in enumerate(name):
        if letter == "." and 0 < at < len(name) - 1:
            yield name[:at], name[at + 1 :]


def _target(resource_map: ResourceMap, node_id: str) -> NodeTarget:
    return NodeTarget(resource_map, node_of(resource_map, node_id))


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
