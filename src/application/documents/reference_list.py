"""Reference lists of documents, and the verb *references*: the works that a document cites."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.lookup import load_conversion
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import StorageFailed
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.entries.reference_list import (
    READER_VERSION,
    CitedWork,
    cited_works,
)

_READER: Final = f"list-{READER_VERSION}"


class StoredReferenceLists:
    """Reference lists, each read of its conversion once and stored beside it."""

    def __init__(self, bundles: BundleStore) -> None:
        self._bundles = bundles

    def works(self, document: StoredDocument) -> Sequence[CitedWork]:
        """In the order of the list. Raises StorageFailed, also if the conversion is missing."""
        stored = self._bundles.load_works(document.document_id, _fingerprint(document.conversion))
        return self.keep(load_conversion(self._bundles, document)) if stored is None else stored

    def keep(self, converted: ConversionResult) -> Sequence[CitedWork]:
        """Read the list of a conversion, and store it; returns it."""
        works = cited_works(converted)
        with suppress(StorageFailed):  # a read-only workspace: it is read again the next time
            self._bundles.save_works(converted.doc_id, _fingerprint(converted.converter), works)
        return works


class ReferenceLists:
    """The works that a document cites."""

    def __init__(self, *, documents: DocumentFinder, bundles: BundleStore) -> None:
        self._documents = documents
        self._lists = StoredReferenceLists(bundles)

    def __call__(self, project_id: ProjectId, name: str) -> Sequence[CitedWork]:
        """In the order of the list. Raises ProjectNotFound, DocumentNotFound, StorageFailed."""
        return self._lists.works(self._documents.find(name, project_id))


def _fingerprint(conversion: str) -> str:
    return f"{conversion} {_READER}"
