"""Places by whatever names them: a document, address, knowledge URI, citation, node, or hit."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import short_name
from citeloom.application.index.collection import open_collection
from citeloom.application.maps.map_lookup import MapLookup, node_of
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.index import Index
from citeloom.application.ports.maps import ShownHitStore
from citeloom.domain.citation.locators import (
    Locator,
    labels_outside,
    page_ranges,
    pages_of,
    parse_locator,
    parse_page,
)
from citeloom.domain.documents.conversion import ConversionResult, Heading
from citeloom.domain.documents.spans import CharSpan, Chunk
from citeloom.domain.errors import InvalidRequest, NodeNotFound
from citeloom.domain.maps.address import Address, format_address, format_pages
from citeloom.domain.maps.evidence import place_node
from citeloom.domain.maps.resource_map import Location, Node, ResourceMap
from citeloom.domain.messages import nearest
from citeloom.domain.naming import Spelling
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.identifiers import letters_and_digits
from citeloom.domain.resources.reading import pages_with
from citeloom.domain.resources.reading_chunks import READING_TOKENS
from citeloom.domain.resources.uris import ObservableUri, SuffixKind, document_uri
from citeloom.domain.search.filters import section_terms
from citeloom.domain.search.hits import ShownHit
from citeloom.domain.text.phrasing import listed

from .document_view import DocumentView

#: A key and its page without the marks of a citation: ``smith2019, p. 3``, ``smith2019 PDF p. 3``.
_NAME_AND_PAGE: Final = re.compile(
    r"(?P<name>.+?)[,\s]\s*(?P<page>(?:PDF\s*)?pp?\.?\s*[\dA-Za-z].*)", re.DOTALL | re.IGNORECASE
)
#: A section as the citation of a document without pages has it.
_SECTION: Final = re.compile(r"sec\.\s*[\"“](?P<title>.+?)[\"”]", re.DOTALL)
_CHUNK: Final = re.compile(r"virtual://[^#]+#chunk=(0|[1-9][0-9]{0,8})")


class Place(NamedTuple):
    """A place in the text of a document: ``pages`` of the file, from 1, or the ``span`` of a
    section or, where ``is_passage``, of a passage; the whole document without both. ``absent``
    says which of the pages asked for there are not."""

    stored: StoredDocument
    document: ConversionResult
    pages: tuple[int, ...] = ()
    span: CharSpan | None = None
    is_passage: bool = False
    absent: str | None = None


class MappedPlace(NamedTuple):
    """A place in a resource map: a node of it, or one made for a location (then ``known`` is
    False). ``stored`` is the document that was mapped; None for a file in no project."""

    map: ResourceMap
    node: Node
    known: bool = True
    stored: StoredDocument | None = None

    @property
    def location(self) -> Location:
        return self.node.location

    @property
    def address(self) -> str:
        return format_address(Address(resource_id=self.map.resource_id, location=self.location))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """The passages of a document, in the index of its project. Methods raise IndexUnavailable and
    ShardBusy."""

    catalogue: Catalogue
    index: Callable[[], Index]

    def chunks(self, document: StoredDocument) -> Sequence[Chunk]:
        """All chunks, by number."""
        project = self.catalogue.project(document.project_id)
        with open_collection(self.index(), project) as collection:
            return [passage.chunk for passage in collection.passages(document.document_id)]

    def span(self, document: StoredDocument, number: int) -> CharSpan:
        """Raises NodeNotFound for an unknown number."""
        chunks = self.chunks(document)
        for chunk in chunks:
            if chunk.chunk_idx == number:
                return chunk.char_span
        raise NodeNotFound(
            f"{document.project_id}: the document has no passage {number}, it has {len(chunks)}; "
            "query it again",
            node_id=f"chunk={number}",
            available_nodes=[],
        )


def chunk_number(location: Location) -> int | None:
    """The passage number in a virtual location, as hits in documents without pages have it;
    None for other locations."""
    match = _CHUNK.fullmatch(location.virtual_address or "")
    return int(match[1]) if match else None


class PlaceFinder:
    """Finds places: in the texts of documents, and in resource maps. ``shown`` holds the hits of
    the last question."""

    def __init__(self, *, maps: MapLookup, passages: Passages, shown: ShownHitStore) -> None:
        self.maps = maps
        self.passages = passages
        self._shown = shown
        self._documents = maps.documents

    def find(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        page: str | None = None,
        section: str | None = None,
    ) -> Place:
        """``name`` is a document, an address, a knowledge URI, a citation with its pages, or a name
        with its pages; ``page`` (printed, or ``PDF 3``) and ``section`` (a heading) come first.

        Raises what ``DocumentFinder.find`` raises, StorageFailed, NodeNotFound for a passage, and
        InvalidRequest for pages and sections that are not there, or are there twice.
        """
        if page is not None and section is not None:
            raise InvalidRequest("name a page or a section, not both", parameter="page")
        spelling = self._documents.spelling(name)
        locator = parse_page(page) if page is not None else spelling.locator
        if locator is None and section is None:
            spelling, locator = self._parted(spelling, project_id)
        stored = self._documents.find(spelling, project_id)
        place = Place(stored, load_conversion(self.maps.bundles, stored))
        if section is None and locator is not None and not locator.pages:
            heading = _SECTION.search(locator.text)
            section = heading["title"] if heading else None
        if section is not None:
            found = section_named(place.document, section, short_name(stored))
            return place._replace(span=found.span)
        if locator is None and spelling.page is not None:
            locator = parse_page(f"PDF {spelling.page}")
        if locator is not None:
            return _on_pages(place, locator)
        if spelling.address is not None:
            return self._at(place, spelling, spelling.address.location)
        if spelling.span is not None:
            return _passage(place, spelling.span, name)
        return _part(place, spelling)

    def mapped(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        node_id: str | None = None,
        page: str | None = None,
    ) -> MappedPlace:
        """``name`` is a document, if ``node_id`` or ``page`` (printed) is given; else an address, a
        document or a citation with its pages, ``DOCUMENT NODE`` or ``DOCUMENT.NODE``. Without
        ``project_id`` all projects and mapped files are searched.

        Raises what ``MapLookup.map`` raises; NodeNotFound, which names the nearest nodes;
        InvalidAddress, and InvalidRequest for pages that are not there, or for an ambiguous name.
        """
        place = self._mapped(name, project_id, node_id, page)
        digest = place.map.source_hash
        stored = self.maps.holding(digest, project_id) if digest is not None else None
        return place._replace(stored=stored)

    def hit(self, rank: int) -> tuple[ShownHit, str]:
        """A hit of the last question, from 1, and that question. Raises InvalidRequest."""
        shown = self._shown.load()
        if shown is None:
            raise InvalidRequest(
                f"hit {rank}: nothing was asked in this workspace yet; run a query first",
                parameter="name",
            )
        if (hit := shown.hit(rank)) is None:
            count = len(shown.hits)
            hits = "no hits" if not count else f"{count} hit{'s' * (count > 1)}"
            raise InvalidRequest(
                f"hit {rank}: the last question had {hits}: {shown.question}", parameter="name"
            )
        return hit, shown.question

    def _parted(
        self, spelling: Spelling, project_id: ProjectId | None
    ) -> tuple[Spelling, Locator | None]:
        """The name and its pages, where the whole is not a document's name."""
        if spelling.words is None or spelling.address or spelling.uri:
            return spelling, None
        match = _NAME_AND_PAGE.fullmatch(spelling.text)
        if match is None or self._documents.known(spelling, project_id) is not None:
            return spelling, None
        locator, rest = parse_locator(match["page"])
        if locator is None or rest:
            return spelling, None
        return self._documents.spelling(match["name"].strip()), locator

    def _at(self, place: Place, spelling: Spelling, location: Location) -> Place:
        number = chunk_number(location)
        if number is not None:
            return _passage(place, self.passages.span(place.stored, number), spelling.text)
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

    def _mapped(
        self, name: str, project_id: ProjectId | None, node_id: str | None, page: str | None
    ) -> MappedPlace:
        if node_id is not None:
            return _node_place(self.maps.map(project_id, name), node_id)
        name = name.strip()
        spelling = self._documents.spelling(name)
        locator = parse_page(page) if page is not None else spelling.locator
        if page is None and spelling.address is not None:
            return self._addressed(project_id, spelling, spelling.address)
        if locator is not None:
            return self._on_pages(self._documents.find(spelling, project_id), locator)
        if spelling.uri is not None:
            return self._seen(project_id, spelling)
        if (resource := self.maps.known(project_id, spelling)) is not None:
            return _whole(resource)
        return self._node(project_id, name) or _whole(self.maps.map(project_id, spelling))

    def _addressed(
        self, project_id: ProjectId | None, spelling: Spelling, address: Address
    ) -> MappedPlace:
        """The one node at a location, else a node made for the location."""
        resource = self.maps.map(project_id, spelling)
        if "#" not in spelling.text:
            return _whole(resource)
        location = _in_map(address.location, resource.resource_id)
        nodes = list(resource.walk())
        if location.modality not in {
            "virtual",
            resource.type,
            *(n.location.modality for n in nodes),
        }:
            raise InvalidRequest(
                f"{address}: the resource is of type {resource.type}, it has no places of type "
                f"{location.modality}",
                parameter="address",
            )
        there = [node for node in nodes if _same(node.location, location)]
        return MappedPlace(resource, there[0]) if len(there) == 1 else _placed(resource, location)

    def _on_pages(self, stored: StoredDocument, locator: Locator) -> MappedPlace:
        converted = load_conversion(self.maps.bundles, stored)
        pages = pages_named(converted, locator, short_name(stored))
        return _placed(self.maps.of_document(stored), _pages(pages))

    def _seen(self, project_id: ProjectId | None, spelling: Spelling) -> MappedPlace:
        """The document of a knowledge URI, or the pages of its passage, or its page."""
        stored = self._documents.find(spelling, project_id)
        if spelling.is_whole:
            return _whole(self.maps.of_document(stored))
        if spelling.page is not None:
            return self._on_pages(stored, parse_page(f"PDF {spelling.page}"))
        span = spelling.span
        pages = pages_with(load_conversion(self.maps.bundles, stored), span) if span else ()
        if not pages:
            raise InvalidRequest(
                f"{spelling.text}: names a part to read, which has no pages of its own; "
                "read it, or open its document",
                parameter="address",
            )
        return _placed(self.maps.of_document(stored), _pages(pages))

    def _node(self, project_id: ProjectId | None, name: str) -> MappedPlace | None:
        """``DOCUMENT NODE`` or ``DOCUMENT.NODE``, the document by an exact name. Names of documents
        contain dots too, so every dot is tried."""
        known = [
            (resource, node_id)
            for document, node_id in _splits(name)
            if (resource := self._exact(project_id, document)) is not None
        ]
        fitting = [
            MappedPlace(resource, node)
            for resource, node_id in known
            if (node := resource.get_node(node_id)) is not None
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            options = ", ".join(f"{one.map.resource_id} {one.node.id}" for one in fitting)
            raise InvalidRequest(f"{name}: means {options}; write one of these", parameter="name")
        return _node_place(*known[-1]) if known else None

    def _exact(self, project_id: ProjectId | None, name: str) -> ResourceMap | None:
        try:
            return self.maps.known(project_id, name)
        except InvalidRequest:  # half an address, or half a citation
            return None


def pages_named(document: ConversionResult, locator: Locator, name: str) -> Sequence[int]:
    """The pages of the file, from 1, in order, that a locator names by their printed numbers or by
    their own; ``name`` stands for the document in messages.

    Raises InvalidRequest if the document has none of the pages, if its printed numbers are not
    known, or if a number is printed on several pages.
    """
    if not locator.pages:
        raise _no_page(f"{locator.text}: names no page; write p. 12, or PDF p. 3")
    page_map = document.structure.page_map
    if not page_map:
        raise _no_page(f"{name}: has no pages")
    pages = pages_of(document, locator)
    if pages is None:
        raise _no_page(
            f"{name}: the printed numbers of its pages are not known; name a page of the file: "
            f"PDF p. {locator.pages[0][0]}"
        )
    if not pages:
        known = [(str(one.page),) if locator.physical else one.labels for one in page_map]
        labels = [label for labels in known for label in labels]
        extent = f"{'PDF pp. ' if locator.physical else ''}{labels[0]} to {labels[-1]}"
        raise _no_page(f"{name}: no page {locator.text}; its pages are {extent}")
    for label in locator.labels:
        wanted = label.casefold()
        printed_on = [one.page for one in page_map if wanted in map(str.casefold, one.labels)]
        if len(printed_on) > 1:
            raise _no_page(
                f"{name}: {label} is printed on several pages; name one of PDF pp. "
                f"{format_pages(printed_on)}"
            )
    return sorted(pages)


def _no_page(message: str) -> InvalidRequest:
    return InvalidRequest(message, parameter="page")


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


def _on_pages(place: Place, locator: Locator) -> Place:
    pages = pages_named(place.document, locator, short_name(place.stored))
    absent: str | None = None
    if locator.physical:
        asked = [int(end[:18]) for pair in locator.pages for end in pair if end.isdecimal()]
        if asked and max(asked) > place.document.page_count:
            absent = f"the file ends with page {place.document.page_count}"
    else:
        known = [label for one in place.document.structure.page_map for label in one.labels]
        if outside := labels_outside(locator.labels, known):
            absent = f"no page is numbered {page_ranges(outside)}"
    return place._replace(pages=tuple(pages), absent=absent)


def _part(place: Place, spelling: Spelling) -> Place:
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


def _passage(place: Place, span: CharSpan, name: str) -> Place:
    if span.end > len(place.document.plain_text):
        raise InvalidRequest(
            f"{name}: the document was converted again since; ask again", parameter="place"
        )
    return place._replace(span=span, is_passage=True)


def _whole(resource: ResourceMap) -> MappedPlace:
    """All of a resource: its one node, or a node made for it."""
    nodes, kind = resource.nodes, resource.type
    if kind == "virtual" and len(nodes) == 1 and not nodes[0].children:
        return MappedPlace(resource, nodes[0])
    place = f"virtual://{resource.resource_id}" if kind == "virtual" else None
    return _placed(resource, Location(modality=kind, virtual_address=place))


def _placed(resource: ResourceMap, location: Location) -> MappedPlace:
    node = place_node(resource.resource_id, location, resource.type)
    return MappedPlace(resource, node, known=False)


def _node_place(resource: ResourceMap, node_id: str) -> MappedPlace:
    return MappedPlace(resource, node_of(resource, node_id))


def _pages(pages: Sequence[int]) -> Location:
    return Location(modality="document", pages=tuple(pages))


def _in_map(location: Location, resource_id: str) -> Location:
    """A virtual location under the resource id of the map; the address may have another id."""
    if location.virtual_address is None:
        return location
    fragment = location.virtual_address.partition("#")[2]
    address = f"virtual://{resource_id}" + (f"#{fragment}" if fragment else "")
    return Location(modality="virtual", virtual_address=address)


def _same(one: Location, other: Location) -> bool:
    """Equality of locations; cheap fields are compared first."""
    return (
        one.pages == other.pages
        and one.lines == other.lines
        and one.virtual_address == other.virtual_address
        and one == other
    )


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Every way to part a document from a node, at the last blank or at a dot."""
    document, _, last = name.rpartition(" ")
    if document.strip():
        yield document.strip(), last
    for at, letter in enumerate(name):
        if letter == "." and 0 < at < len(name) - 1:
            yield name[:at], name[at + 1 :]
