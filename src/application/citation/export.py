"""The verb *export*: works for reference managers, and quotations as a document."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import CitationMarkup, ReferenceFormat, ReferenceWriter
from citeloom.domain.citation.in_text import InText
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library import library_path, zotero_link
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.uris import document_uri
from citeloom.domain.search.request import QueryResult
from citeloom.domain.value import Value

from .cite import Citations, CitedPlace, NamedWorks


class ExportedDocument(Value):
    """A document with the metadata of its work, or a work of the reference file without document
    (``document_id`` None). ``knowledge_uri`` reads it, ``zotero_link`` opens it in Zotero. ``csl``
    is the CSL-JSON item of the work."""

    document_id: str | None = None
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
    source_path: str = ""
    knowledge_uri: str | None = None
    zotero_link: str | None = None
    csl: dict[str, object] | None = None


class Selection(NamedTuple):
    """Documents, and works of the reference file that have none."""

    documents: tuple[StoredDocument, ...]
    listed: tuple[CitationMeta, ...] = ()

    @property
    def works(self) -> tuple[CitationMeta, ...]:
        """The works of the documents and the others, each once, in their order."""
        works: dict[str, CitationMeta] = {}
        for work in (*(document.citation for document in self.documents), *self.listed):
            if work is not None:
                works.setdefault(work.citekey, work)
        return tuple(works.values())

    @property
    def uncited(self) -> int:
        """The number of documents without citation."""
        return sum(document.citation is None for document in self.documents)

    def exported(self) -> tuple[ExportedDocument, ...]:
        return (*map(_exported, self.documents), *map(_exported_work, self.listed))


class Export:
    """Selects documents and writes reference files of their works."""

    def __init__(self, *, works: NamedWorks, writer: ReferenceWriter) -> None:
        self._catalogue = works.documents.catalogue
        self._works = works
        self._writer = writer

    def named(self, project_id: ProjectId, names: Sequence[str] = ()) -> Selection:
        """What is named, documents or works of the reference file; without names all documents:
        by citation key, then those without by path.

        Raises ProjectNotFound, DocumentNotFound, ReferencesUnreadable.
        """
        self._catalogue.project(project_id)
        if not names:
            return Selection(tuple(sorted(self._catalogue.documents(project_id), key=_order)))
        documents: dict[str, StoredDocument] = {}
        listed: dict[str, CitationMeta] = {}
        for name in names:
            found = self._works(project_id, name)
            if isinstance(found, StoredDocument):
                documents[found.document_id] = found
            else:
                listed[found.citekey] = found
        return Selection(tuple(documents.values()), tuple(listed.values()))

    def found(self, result: QueryResult) -> Selection:
        """The documents of the hits, each once, best first."""
        documents: dict[str, StoredDocument] = {}
        for hit in result.items:
            project_id = ProjectId.parse(hit.project or result.project)
            document = self._catalogue.document(project_id, hit.document_id)
            if document is not None:
                documents.setdefault(document.document_id, document)
        return Selection(tuple(documents.values()))

    def write(self, selection: Selection, format: ReferenceFormat) -> str:
        """A reference file of the works, each once."""
        return self._writer(selection.works, format)


def _exported(document: StoredDocument) -> ExportedDocument:
    work, path = document.citation, (document.path or "") if document.has_file else ""
    described = _exported_work(work, path) if work else ExportedDocument()
    stated = {} if work else {"title": document.title, "authors": document.authors}
    return described.model_copy(
        update={
            **stated,
            "document_id": document.document_id,
            "year": work.year if work else document.year,
            "pages": document.pages,
            "language": document.language,
            "source_path": path,
            "knowledge_uri": str(document_uri(document.project_id, document.document_id)),
        }
    )


def _exported_work(work: CitationMeta, path: str = "") -> ExportedDocument:
    csl = dict(work.csl)
    library = library_path(csl.get("id"), csl.get("uri"), csl.get("select"))
    return ExportedDocument(
        citekey=work.citekey,
        title=work.title,
        authors=work.authors,
        year=work.year,
        type=work.type,
        container_title=work.container_title,
        page=work.page,
        doi=work.doi,
        url=work.url,
        tags=work.tags,
        collections=work.collections,
        zotero_link=zotero_link(work.item_key, path, library=library),
        csl=csl or None,
    )


def _order(document: StoredDocument) -> tuple[bool, str, str]:
    key = document.citation.citekey if document.citation else ""
    return not key, key.casefold(), document.path or ""


class Quotation(NamedTuple):
    """Quoted words with their citation as it stands in a text (``[@key, p. 3]``)."""

    project_id: ProjectId
    text: str
    citation: str


class CitedQuotation(NamedTuple):
    """Quoted words with their citation in a style; ``link`` opens the work."""

    text: str
    citation: str
    link: str | None


#: A Word document of quotations and a bibliography, whose entries are Markdown.
QuotationWriter = Callable[[Sequence[CitedQuotation], Sequence[str]], bytes]


class ExportQuotations:
    """Methods raise ProjectNotFound, DocumentNotFound, ReferencesUnreadable, and InvalidRequest
    for a document without citation."""

    def __init__(self, *, citations: Citations, export: Export, writer: QuotationWriter) -> None:
        self._citations = citations
        self._export = export
        self._writer = writer

    def document(self, quotations: Sequence[Quotation], style: str | None = None) -> bytes:
        """A Word document. Raises InvalidRequest also for an unknown style."""
        places = self._places(quotations)
        cited = self._citations.each(places, InText.TEXT, style)
        written = [
            CitedQuotation(one.text, citation or "", place.link)
            for one, citation, place in zip(quotations, cited, places, strict=True)
        ]
        entries = self._citations.bibliography(places, style, CitationMarkup.MARKDOWN)
        return self._writer(written, [entry.text for entry in entries])

    def references(self, quotations: Sequence[Quotation], format: ReferenceFormat) -> str:
        """A reference file of the works, each once."""
        works = tuple(place.work for place in self._places(quotations))
        return self._export.write(Selection((), works), format)

    def _places(self, quotations: Sequence[Quotation]) -> list[CitedPlace]:
        return [self._citations.place(one.project_id, one.citation) for one in quotations]
