"""Converted documents as a principal sees them: those of projects that it may read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.ingest import BundleStore, Refusal
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.maps.address import ID_LENGTH, short_id
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom_server.application.access.current_rights import CurrentRights

_REMEMBERED: Final = 10_000


class PermittedBundles:
    """``bundles`` of the documents in ``catalogue``, which is that of the principal. A document
    that others have too is converted once more when it is added: nobody is told, by an answer or
    by how soon it comes, that it was there. What is written is the same for all."""

    def __init__(self, bundles: BundleStore, catalogue: Catalogue, rights: CurrentRights) -> None:
        self._bundles = bundles
        self._catalogue = catalogue
        self._rights = rights
        # Where a document was seen last: it is looked for there first.
        self._seen_in: dict[str, ProjectId] = {}

    def save(self, result: ConversionResult, fingerprint: str) -> None:
        self._bundles.save(result, fingerprint)

    def load(self, document_id: str, fingerprint: str | None = None) -> ConversionResult | None:
        if not self._sees(document_id):
            return None
        return self._bundles.load(document_id, fingerprint)

    def verify(self, document_id: str) -> bool:
        return self._sees(document_id) and self._bundles.verify(document_id)

    def save_map(self, document_id: str, resource_map: ResourceMap) -> None:
        self._bundles.save_map(document_id, resource_map)

    def load_map(self, document_id: str) -> ResourceMap | None:
        return self._bundles.load_map(document_id) if self._sees(document_id) else None

    def map_ids(self) -> Iterable[str]:
        return self._permitted(self._bundles.map_ids())

    def ids(self) -> Iterable[str]:
        return self._permitted(self._bundles.ids())

    def save_works(self, document_id: str, fingerprint: str, works: Sequence[CitedWork]) -> None:
        self._bundles.save_works(document_id, fingerprint, works)

    def load_works(self, document_id: str, fingerprint: str) -> Sequence[CitedWork] | None:
        return (
            self._bundles.load_works(document_id, fingerprint) if self._sees(document_id) else None
        )

    def refuse(self, document_id: str, refusal: Refusal) -> None:
        self._bundles.refuse(document_id, refusal)

    def refusal(self, document_id: str) -> Refusal | None:
        return self._bundles.refusal(document_id) if self._sees(document_id) else None

    def delete(self, document_id: str) -> None:
        self._bundles.delete(document_id)

    def _permitted(self, ids: Iterable[str]) -> Iterator[str]:
        if self._rights.is_administrator:
            yield from ids
            return
        known = {
            short_id(document.document_id)
            for project in self._catalogue.projects()
            for document in self._catalogue.documents(project.id)
        }
        yield from (one for one in ids if short_id(one) in known)

    def _sees(self, id: str) -> bool:
        """``id`` is that of a document, or its short one."""
        if self._rights.is_administrator:
            return True
        if (last := self._seen_in.get(id)) is not None and self._has(last, id):
            return True
        for project in self._catalogue.projects():
            if self._has(project.id, id):
                if len(self._seen_in) >= _REMEMBERED:
                    self._seen_in.clear()
                self._seen_in[id] = project.id
                return True
        return False

    def _has(self, project_id: ProjectId, id: str) -> bool:
        if len(id) == ID_LENGTH:
            return bool(self._catalogue.documents_beginning(project_id, id))
        return self._catalogue.document(project_id, id) is not None
