"""The verb *references*: the works that a document cites."""

from collections.abc import Sequence

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.lookup import load_conversion
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.entries.reference_list import CitedWork, cited_works


class ReferenceLists:
    """Reference lists, parsed from stored conversions on each call."""

    def __init__(self, *, documents: DocumentFinder, bundles: BundleStore) -> None:
        self._documents = documents
        self._bundles = bundles

    def __call__(self, project_id: ProjectId, name: str) -> Sequence[CitedWork]:
        """In the order of the list. Raises ProjectNotFound, DocumentNotFound, StorageFailed."""
        stored = self._documents.find(name, project_id)
        return cited_works(load_conversion(self._bundles, stored))
