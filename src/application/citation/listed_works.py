"""Works of a project's reference file, with or without a document."""

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.naming.names import Spelling
from citeloom.domain.projects.project_id import ProjectId


class NamedWorks:
    """The work that a name means: of a document, else of the reference file by citation key."""

    def __init__(self, *, documents: DocumentFinder, references: ReferenceReader) -> None:
        self.documents = documents
        self._references = references

    def __call__(
        self, project_id: ProjectId, name: str | Spelling
    ) -> StoredDocument | CitationMeta:
        """The document, or a work without one. Raises as ``DocumentFinder.find``, and
        ReferencesUnreadable."""
        spelling = name if isinstance(name, Spelling) else self.documents.spelling(name)
        document = self.documents.known(spelling, project_id)
        listed = self._listed(project_id, spelling.key) if document is None else None
        return document or listed or self.documents.find(spelling, project_id)

    def _listed(self, project_id: ProjectId, key: str | None) -> CitationMeta | None:
        references = self.documents.catalogue.project(project_id).references_json
        if references is None:
            return None
        items = self._references.read(references).items
        return next((item for item in items if item.citekey == key), None)
