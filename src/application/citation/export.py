"""The verb *export*: works of a project in the formats of reference managers."""

from collections.abc import Sequence

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceFormat, ReferenceWriter
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library.zotero_links import library_path, zotero_link
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.document_uris import document_uri
from citeloom.domain.search.request import QueryResult
from citeloom.domain.value import Value


class ExportedDocument(Value):
    """A document with the metadata of its work. ``knowledge_uri`` reads it, ``zotero_link``
    opens it in Zotero. ``csl`` is the CSL-JSON item of the work."""

    document_id: str
    citekey: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    type: str | None = None
    container_title: str | None = None
    page: str | None = None
    doi: str | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    pages: int = 0
    language: str | None = None
    source_path: str
    knowledge_uri: str
    zotero_link: str | None = None
    csl: dict[str, object] | None = None


class Export:
    """Selects documents and writes reference files of their works."""

    def __init__(self, *, documents: DocumentFinder, writer: ReferenceWriter) -> None:
        self._documents = documents
        self._catalogue = documents.catalogue
        self._writer = writer

    def documents(
        self, project_id: ProjectId, names: Sequence[str] = ()
    ) -> tuple[StoredDocument, ...]:
        """The documents named, or all: by citation key, then those without by path.

        Raises ProjectNotFound, DocumentNotFound.
        """
        self._catalogue.project(project_id)
        if names:
            matches = (self._documents.find(name, project_id) for name in names)
            return tuple({document.document_id: document for document in matches}.values())
        return tuple(sorted(self._catalogue.documents(project_id), key=_order))

    def found(self, result: QueryResult) -> tuple[StoredDocument, ...]:
        """The documents of the hits, each once, best first."""
        documents: dict[str, StoredDocument] = {}
        for hit in result.items:
            project_id = ProjectId.parse(hit.project or result.project)
            document = self._catalogue.document(project_id, hit.document_id)
            if document is not None:
                documents.setdefault(document.document_id, document)
        return tuple(documents.values())

    def write(self, documents: Sequence[StoredDocument], format: ReferenceFormat) -> str:
        """A reference file of the works of ``documents``, each once."""
        return self._writer.write(works_of(documents), format)


def works_of(documents: Sequence[StoredDocument]) -> tuple[CitationMeta, ...]:
    """The works of the documents, each once, in their order."""
    works: dict[str, CitationMeta] = {}
    for document in documents:
        if document.citation is not None:
            works.setdefault(document.citation.citekey, document.citation)
    return tuple(works.values())


def exported(document: StoredDocument) -> ExportedDocument:
    work = document.citation
    path = document.path or ""
    csl = dict(work.csl) if work else {}
    library = library_path(csl.get("id"), csl.get("uri"), csl.get("select"))
    return ExportedDocument(
        document_id=document.document_id,
        citekey=work.citekey if work else None,
        title=work.title if work else document.title,
        authors=work.authors if work else document.authors,
        year=work.year if work else document.year,
        type=work.type if work else None,
        container_title=work.container_title if work else None,
        page=work.page if work else None,
        doi=work.doi if work else None,
        url=work.url if work else None,
        tags=work.tags if work else (),
        collections=work.collections if work else (),
        pages=document.pages,
        language=document.language,
        source_path=path,
        knowledge_uri=str(document_uri(document.project_id, document.document_id)),
        zotero_link=zotero_link(work.item_key if work else None, path, library=library),
        csl=csl or None,
    )


def _order(document: StoredDocument) -> tuple[bool, str, str]:
    key = document.citation.citekey if document.citation else ""
    return not key, key.casefold(), document.path or ""
