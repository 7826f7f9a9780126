"""The verb *cite*: in-text citations and bibliographies in citation styles."""

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import (
    CitationMarkup,
    CitationStyles,
    ReferenceReader,
    StyledCite,
    StyledEntry,
)
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.citation.in_text import IN_TEXT, InText, Mention, markdown_link
from citeloom.domain.citation.locators import labels_in, labels_outside, page_ranges
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import InvalidRequest, ReferencesUnreadable
from citeloom.domain.library import library_path, zotero_link
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.naming import Spelling
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryResult
from citeloom.domain.text.phrasing import on_one_line
from citeloom.domain.value import Value

from .references import read_references


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
        project = self.documents.catalogue.project(project_id)
        references = read_references(self._references, project.reference_files)
        items = references.library.items if references.library else ()
        found = next((item for item in items if item.citekey == key), None)
        if found is None and references.unread:
            raise ReferencesUnreadable(references.unread[0])
        return found


DEFAULT_STYLE = "apa"


class CitedPlace(Value):
    """A cited work with its locator; ``link`` opens it. ``warnings``: pages that it has
    not, and that the key is a former one."""

    work: CitationMeta
    mention: Mention
    link: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """In-text citations and bibliographies. Methods with a style raise InvalidRequest for an
    unknown one."""

    works: NamedWorks
    bundles: BundleStore
    styles: CitationStyles

    def place(self, project_id: ProjectId, name: str, pages: str | None = None) -> CitedPlace:
        """The work of a document by name, else of the reference file by citation key, at
        printed pages (``12``, ``xii-xv, 3``; else those that ``name`` has, as a citation).

        Raises ProjectNotFound, DocumentNotFound, ReferencesUnreadable, and InvalidRequest for
        a document without citation.
        """
        self.works.documents.catalogue.project(project_id)
        spelling = self.works.documents.spelling(name)
        labels, place = labels_in(on_one_line(pages or "")), None
        if spelling.locator is not None and not labels:
            labels, place = spelling.locator.labels, spelling.locator.place
        found = self.works(project_id, spelling)
        document = found if isinstance(found, StoredDocument) else None
        work = found.citation if isinstance(found, StoredDocument) else found
        if work is None:
            raise InvalidRequest(
                f"{name}: no citation is known of it",
                NextStep(Action.ADD_REFERENCES, project=project_id.value),
                parameter="key",
            )
        return CitedPlace(
            work=work,
            mention=Mention(citekey=work.citekey, labels=labels, place=place),
            link=_link(document) if document else _address(work),
            warnings=tuple(
                filter(
                    None,
                    (
                        _renamed(spelling.key, document),
                        self._outside(work, document, labels) if labels else None,
                    ),
                )
            ),
        )

    def _outside(
        self, work: CitationMeta, document: StoredDocument | None, labels: Sequence[str]
    ) -> str | None:
        """The warning about pages that the document's labels and the item's page range lack."""
        known = list(labels_in(work.page or ""))
        if len(known) < 2:  # the number of an article is not a page
            known = []
        if document is not None and document.has_file:
            entries = load_conversion(self.bundles, document).structure.page_map
            known += [label for entry in entries for label in entry.labels]
        outside = labels_outside(labels, known)
        if not outside:
            return None
        many = "are not pages" if len(outside) > 1 else "is not a page"
        has = page_ranges(list(dict.fromkeys(known)))
        return f"{page_ranges(outside)} {many} of {work.citekey}, which has {has}"

    def places(self, result: QueryResult) -> tuple[CitedPlace | None, ...]:
        """The cited work of each hit, in their order; None for a hit without citation."""
        cited_works: list[CitedPlace | None] = []
        for hit in result.items:
            project_id = ProjectId.parse(hit.project or result.project)
            document = self.works.documents.catalogue.document(project_id, hit.document_id)
            if document is None or document.citation is None or hit.citation is None:
                cited_works.append(None)
                continue
            mention = Mention(
                citekey=document.citation.citekey, labels=hit.page_labels, place=hit.place
            )
            link = hit.zotero_link or _link(document) or hit.address
            cited_works.append(CitedPlace(work=document.citation, mention=mention, link=link))
        return tuple(cited_works)

    def together(
        self, places: Sequence[CitedPlace], form: InText | None, style: str | None = None
    ) -> str:
        """One citation of all ``places``. ``style`` applies to text and Markdown only; without
        ``form`` it asks for text, and pandoc's form is given where both are missing."""
        form = form or (InText.TEXT if style else InText.PANDOC)
        if form in IN_TEXT:
            return IN_TEXT[form]([place.mention for place in places])
        chosen = self.styles(style or DEFAULT_STYLE)
        works = _distinct(places)
        if form is InText.TEXT:
            return chosen.in_text(works, [[_styled(place) for place in places]])[0]
        each = chosen.in_text(works, [[_styled(place)] for place in places])
        return " ".join(
            markdown_link(text, place.link) for text, place in zip(each, places, strict=True)
        )

    def each(
        self, places: Sequence[CitedPlace | None], form: InText, style: str | None = None
    ) -> tuple[str | None, ...]:
        """A citation of each place, disambiguated among all of them; None stays None."""
        cited_places = [place for place in places if place is not None]
        if form in IN_TEXT:
            citations = [IN_TEXT[form]([place.mention]) for place in cited_places]
        else:
            chosen = self.styles(style or DEFAULT_STYLE)
            citations = list(
                chosen.in_text(
                    _distinct(cited_places), [[_styled(place)] for place in cited_places]
                )
            )
            if form is InText.MARKDOWN:
                citations = [
                    markdown_link(t, p.link) for t, p in zip(citations, cited_places, strict=True)
                ]
        texts = iter(citations)
        return tuple(None if place is None else next(texts) for place in places)

    def bibliography(
        self,
        places: Sequence[CitedPlace | None],
        style: str | None = None,
        markup: CitationMarkup = CitationMarkup.PLAIN,
    ) -> tuple[StyledEntry, ...]:
        """Each work once, in the style's order (alphabetical or of citation)."""
        works = _distinct([place for place in places if place is not None])
        return self.styles(style or DEFAULT_STYLE).bibliography(works, markup)

    def works_bibliography(
        self,
        works: Sequence[CitationMeta],
        style: str | None = None,
        markup: CitationMarkup = CitationMarkup.PLAIN,
    ) -> tuple[StyledEntry, ...]:
        """The bibliography entries of ``works``, each once."""
        return self.styles(style or DEFAULT_STYLE).bibliography(works, markup)


def _renamed(key: str | None, document: StoredDocument | None) -> str | None:
    """The message about a key that the library has changed."""
    citation = document.citation if document else None
    if document is None or citation is None:
        return None
    held = document.held.former_keys if document.held else ()
    is_former = key in (*citation.former_keys, *held)
    return f"{key} is now called {citation.citekey}" if is_former else None


def _distinct(places: Sequence[CitedPlace]) -> list[CitationMeta]:
    return list({place.work.citekey: place.work for place in reversed(places)}.values())[::-1]


def _styled(place: CitedPlace) -> StyledCite:
    mention = place.mention
    pages = page_ranges(mention.labels, dash="-") or None
    return StyledCite(citekey=mention.citekey, pages=pages, place=mention.place)


def _link(document: StoredDocument) -> str | None:
    citation = document.citation
    key = citation.item_key if citation else None
    link = zotero_link(key, document.path or "", library=_library(citation))
    return link or (_address(citation) if citation else None)


def _address(work: CitationMeta) -> str | None:
    """The link of a work without a file: in Zotero, by DOI, on the web."""
    if link := zotero_link(work.item_key, "", library=_library(work)):
        return link
    return f"https://doi.org/{work.doi}" if work.doi else work.url


def _library(work: CitationMeta | None) -> str:
    csl = work.csl if work else {}
    return library_path(csl.get("id"), csl.get("uri"), csl.get("select"))
