"""The verb *references*: the works that a document cites."""

from collections.abc import Sequence

from citeloom.application.documents.lookup import find_document, load_conversion
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.entries.reference_list import CitedWork, cited_works


class ReferenceLists:
    """Reference lists, parsed from stored conversions on each call."""

    def __init__(self, *, catalogue: Catalogue, bundles: BundleStore) -> None:
        self._catalogue = catalogue
        self._bundles = bundles

    def __call__(self, project_id: ProjectId, name: str) -> Sequence[CitedWork]:
        """In the order of the list. Raises ProjectNotFound, DocumentNotFound, StorageFailed."""
        self._catalogue.project(project_id)
        stored = find_document(self._catalogue, project_id, name)
        return cited_works(load_conversion(self._bundles, stored))
