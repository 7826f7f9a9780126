"""Places in documents: pages, sections and passages, by all that names them."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.near_documents import short_name
from citeloom.application.documents.printed_pages import pages_named
from citeloom.application.maps.passage_place import chunk_number
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.resources.document_view import DocumentView
from citeloom.domain.citation.citation_locators import Locator, parse_locator, parse_page
from citeloom.domain.citation.locators import labels_outside, page_ranges
from citeloom.domain.documents.conversion import ConversionResult, Heading
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import format_pages
from citeloom.domain.maps.resource_map import Location
from citeloom.domain.naming.names import Spelling
from citeloom.domain.near_names import nearest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.resources.reading_chunks import READING_TOKENS
from citeloom.domain.resources.uris import ObservableUri, SuffixKind, document_uri
from citeloom.domain.search.filters import section_terms
from citeloom.domain.text.phrasing import listed

#: A key and its page without the marks of a citation: ``smith2019, p. 3``, ``smith2019 PDF p. 3``.
_NAME_AND_PAGE: Final = re.compile(
    r"(?P<name>.+?)[,\s]\s*(?P<page>(?:PDF\s*)?pp?\.?\s*[\dA-Za-z].*)", re.DOTALL | re.IGNORECASE
)
#: A section as the citation of a document without pages has it.
_SECTION: Final = re.compile(r"sec\.\s*[\"“](?P<title>.+?)[\"”]", re.DOTALL)


class DocumentPlace(NamedTuple):
    """A place in a document: ``pages`` of the file, from 1, or the ``span`` of a section or, where
    ``is_passage``, of a passage; the whole document without both. ``absent`` says which of the
    pages asked for there are not."""

    stored: StoredDocument
    document: ConversionResult
    pages: tuple[int, ...] = ()
    span: CharSpan | None = None
    is_passage: bool = False
    absent: str | None = None


class PlaceFinder:
    """Finds places. ``passage_span`` gives the span of a numbered passage."""

    def __init__(
        self,
        *,
        documents: DocumentFinder,
        bundles: BundleStore,
        passage_span: Callable[[StoredDocument, int], CharSpan],
    ) -> None:
        self._documents = documents
        self._bundles = bundles
        self._passage_span = passage_span

    def find(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        page: str | None = None,
        section: str | None = None,
    ) -> DocumentPlace:
        """``name`` is a document, an address, a knowledge URI, a citation with its pages, or a name
        with its pages; ``page`` (printed, or ``PDF 3``) and ``section`` (a heading) come first.

        Raises what ``DocumentFinder.find`` raises, StorageFailed, NodeNotFound for a passage, and
        InvalidRequest for pages and sections that are not there, or are there twice.
        """
        if page is not None and section is not None:
            raise InvalidRequest("name a page or a section, not both", parameter="page")
        spelling = self._documents.spelling(name)
        locator = parse_page(page) if page is not None else spelling.locator
        if locator is None and section is None and _may_have_page(spelling):
            spelling, locator = self._parted(spelling, project_id)
        stored = self._documents.find(spelling, project_id)
        place = DocumentPlace(stored, load_conversion(self._bundles, stored))
        if section is None and locator is not None and not locator.pages:
            heading = _SECTION.search(locator.text)
            section = heading["title"] if heading else None
        if section is not None:
            found = section_named(place.document, section, short_name(stored))
            return place._replace(span=found.span)
        if locator is not None:
            return _on_pages(place, locator)
        if spelling.page is not None:
            return _on_pages(place, parse_page(f"PDF {spelling.page}"))
        if spelling.address is not None:
            return self._at(place, spelling, spelling.address.location)
        if spelling.span is not None:
            return _passage(place, spelling.span, name)
        return _part(place, spelling)

    def _parted(
        self, spelling: Spelling, project_id: ProjectId | None
    ) -> tuple[Spelling, Locator | None]:
        """The name and its pages, where the whole is no document's name."""
        match = _NAME_AND_PAGE.fullmatch(spelling.text)
        if match is None or self._documents.known(spelling, project_id) is not None:
            return spelling, None
        locator, rest = parse_locator(match["page"])
        if locator is None or rest:
            return spelling, None
        return self._documents.spelling(match["name"].strip()), locator

    def _at(self, place: DocumentPlace, spelling: Spelling, location: Location) -> DocumentPlace:
        """The place of an address."""
        number = chunk_number(location)
        if number is not None:
            return _passage(place, self._passage_span(place.stored, number), spelling.text)
        if location.pages is None:
            if location.modality not in ("document", "virtual") or "#" in spelling.text:
                raise InvalidRequest(
                    f"{spelling.text}: names no pages of a document; open it with its pages",
                    parameter="place",
                )
            return place
        pages = [one for one in location.pages if place.document.structure.entry_of(one)]
        gone = [one for one in location.pages if one not in pages]
        if not pages:
            raise InvalidRequest(
                f"{spelling.text}: no such page; the file has {place.document.page_count}",
                parameter="page",
            )
        absent = f"the file has no page {format_pages(gone)}" if gone else None
        return place._replace(pages=tuple(pages), absent=absent)


def section_named(document: ConversionResult, name: str, of: str) -> Heading:
    """The section with this heading, with or without its number; else the one whose heading has
    the words. ``of`` names the document in messages. Raises InvalidRequest."""
    headings = list(document.structure.headings())
    wanted = letters_and_digits(name)
    terms = {id(one): [*map(letters_and_digits, section_terms((one.title,)))] for one in headings}
    found = [one for one in headings if wanted and wanted in terms[id(one)]]
    found = found or [one for one in headings if wanted and wanted in terms[id(one)][0]]
    if len(found) == 1:
        return found[0]
    if found:
        titles = listed([one.title for one in found])
        raise InvalidRequest(
            f"{name}: means {len(found)} sections of {of}: {titles}; write its whole heading",
            parameter="section",
        )
    if not headings:
        raise InvalidRequest(f"{name}: {of} has no headings; name a page", parameter="section")
    near = nearest(name, {one.title: (one.title,) for one in headings})
    raise InvalidRequest(
        f"{name}: no such section in {of}; the nearest are {', '.join(near)}", parameter="section"
    )


def _may_have_page(spelling: Spelling) -> bool:
    return spelling.words is not None and spelling.address is None and spelling.uri is None


def _on_pages(place: DocumentPlace, locator: Locator) -> DocumentPlace:
    pages: Sequence[int] = pages_named(place.document, locator, short_name(place.stored))
    absent: str | None = None
    if locator.physical:
        asked = [int(end) for pair in locator.pages for end in pair if end.isdecimal()]
        if asked and max(asked) > place.document.page_count:
            absent = f"the file ends with page {place.document.page_count}"
    else:
        known = [entry.label for entry in place.document.structure.page_map if entry.label]
        if outside := labels_outside(locator.labels, known):
            absent = f"no page is numbered {page_ranges(outside)}"
    return place._replace(pages=tuple(pages), absent=absent)


def _part(place: DocumentPlace, spelling: Spelling) -> DocumentPlace:
    """The part or the picture that a knowledge URI names; the whole document for others. Raises
    NothingThere."""
    if spelling.is_whole or not isinstance(spelling.uri, ObservableUri):
        return place
    uri = document_uri(place.stored.project_id, place.stored.document_id)
    view = DocumentView(uri, place.document, READING_TOKENS)
    suffix = spelling.uri.suffix
    if suffix.kind is SuffixKind.MEDIA:
        figure = place.document.figures[view.figure_number(suffix) - 1]
        return place._replace(pages=(figure.page,))
    parts = [one.span for one in view.cut.below(suffix.indexes).chunks]
    if one := view.cut.chunk(suffix.indexes):
        parts = [one.span]
    if not parts:
        view.observe(suffix)  # says which parts there are
        return place
    return place._replace(span=CharSpan(start=parts[0].start, end=parts[-1].end))


def _passage(place: DocumentPlace, span: CharSpan, name: str) -> DocumentPlace:
    if span.end > len(place.document.plain_text):
        raise InvalidRequest(
            f"{name}: the document was converted anew since; ask again", parameter="place"
        )
    return place._replace(span=span, is_passage=True)
