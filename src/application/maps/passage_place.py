"""Spans of numbered passages in their documents."""

import re
from collections.abc import Callable, Sequence

from citeloom.application.index.collection import open_collection
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.domain.documents.chunk import Chunk
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import NodeNotFound
from citeloom.domain.maps.resource_map import Location

_CHUNK = re.compile(r"virtual://[^#]+#chunk=(0|[1-9][0-9]{0,8})")


def chunk_number(location: Location) -> int | None:
    """The passage number in a virtual location, as hits in documents without pages have it;
    None for other locations."""
    match = _CHUNK.fullmatch(location.virtual_address or "")
    return int(match[1]) if match else None


class PassageSpans:
    """Looks up passages by number in the index of the document's project."""

    def __init__(
        self, *, catalogue: Catalogue, index: Callable[[], Index], wait_seconds: float
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._wait_seconds = wait_seconds

    def __call__(self, document: StoredDocument, number: int) -> CharSpan:
        """Raises NodeNotFound for an unknown number, IndexUnavailable, ShardBusy."""
        chunks = self.chunks(document)
        for chunk in chunks:
            if chunk.chunk_idx == number:
                return chunk.char_span
        raise NodeNotFound(
            f"{document.project_id}: the document has no passage {number}, it has {len(chunks)}; "
            "query it again",
            node_id=f"chunk={number}",
            available_nodes=[],
        )

    def chunks(self, document: StoredDocument) -> Sequence[Chunk]:
        """All passages of a document, by number. Raises IndexUnavailable, ShardBusy."""
        project = self._catalogue.project(document.project_id)
        with open_collection(self._index(), project, self._wait_seconds) as collection:
            return [passage.chunk for passage in collection.passages(document.document_id)]
