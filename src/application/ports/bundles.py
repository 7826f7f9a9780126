"""Port: converted documents on disk."""

from collections.abc import Iterable
from typing import Protocol

from citeloom.domain.conversion import ConversionResult
from citeloom.domain.resource_map import ResourceMap


class BundleStore(Protocol):
    """Conversion results and resource maps, each one file, written whole or not at all.

    Any method may raise StorageFailed, and those that read WorkspaceTooNew. Reading
    creates nothing. A document id that cannot be a file name is a ValueError.
    """

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        """Insert or replace; ``fingerprint`` names the converter and its settings."""

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        """A document's conversion, or None if there is none, or none by this converter.
        Raises StorageFailed if the bundle is damaged."""

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        """Insert or replace; of a document by its id or resource id, of others by the latter."""

    def load_map(self, document_id: str) -> ResourceMap | None: ...

    def map_ids(self) -> Iterable[str]:
        """Resource ids that have a map, in ascending order; those of documents are short."""

    def ids(self) -> Iterable[str]:
        """Documents that have a bundle, in ascending order."""

    def delete(self, document_id: str) -> None:
        """Bundle and map; an unknown id is no error."""
