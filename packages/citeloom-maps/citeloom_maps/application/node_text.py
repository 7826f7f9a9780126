"""Text of the nodes of a map."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.documents.conversions import convert_single_file, load_conversion
from citeloom.application.documents.stores import SourceState, password_for
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.maps.marks import section_spans
from citeloom.application.ports.ingest import BundleStore, Converter
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.maps.resource_map import Node, ResourceMap

NodeText = Callable[[Node], str]
"""The text of a node; empty for a node without text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTexts:
    """Reads the text of nodes: from stored conversions, a conversion made now, or text files.

    ``lines`` reads a text file; ``passwords`` are by file name or pattern.
    """

    structure: MapLookup
    bundles: BundleStore
    state: SourceState
    converter: Callable[[], Converter]
    lines: Callable[[Path], Sequence[str]]
    passwords: Mapping[str, str]

    def of(self, resource: ResourceMap, password: str | None = None) -> NodeText:
        """The texts of a map's nodes. Raises StorageFailed; for a file in no project
        InvalidSource, SourceChanged, and what its conversion raises."""
        digest = (resource.metadata or {}).get("source_hash")
        stored = self.structure.holding(digest) if isinstance(digest, str) else None
        if stored is not None:
            return node_text_of(load_conversion(self.bundles, stored))
        if resource.type not in ("document", "virtual", "text"):
            return lambda _: ""
        source = self.state.source(resource, None, allow_stale=False)
        if resource.type == "text":
            return _lines_of(self.lines(source.path))
        converter = self.converter()
        if not converter.supports(source.path):
            return lambda _: ""
        known = password_for(source.path.name, self.passwords, password)
        return node_text_of(convert_single_file(converter, source.path, source.digest, known))


def node_text_of(document: ConversionResult) -> NodeText:
    """The texts of the section, page and document nodes of a conversion."""
    spans = section_spans(document)

    def words(node: Node) -> str:
        if node.id in spans:
            return document.text_of(spans[node.id])
        if node.type == "page" and node.location.pages:
            entry = document.structure.entry_of(node.location.pages[0])
            return "\n\n".join(document.text_of(span) for span in entry.spans) if entry else ""
        return document.plain_text if node.type == "document" else ""

    return words


def _lines_of(lines: Sequence[str]) -> NodeText:
    def words(node: Node) -> str:
        place = node.location.lines
        return "\n".join(lines[place[0] - 1 : place[1]]) if place else ""

    return words
