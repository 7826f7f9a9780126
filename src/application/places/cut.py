"""The verb *cut*: the evidence file of a place, for *resolve* and for *open*.

*resolve* cuts out what an address or a node names; *open* shows a hit, a citation or a document at
its page, with words marked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citeloom.application.documents.conversions import convert_single_file, load_conversion
from citeloom.application.documents.stores import EvidenceSource, SourceState, password_for
from citeloom.application.maps.marks import WordMarks, bookmarks_of, regions_of_node, text_of_node
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import Converter
from citeloom.application.ports.maps import CutRequest, Cutter, EvidenceStore, PageText
from citeloom.domain.citation.metadata import file_pages, labels_of, pandoc_citation
from citeloom.domain.documents.conversion import ConversionResult, LabelSource
from citeloom.domain.documents.fidelity import PDF
from citeloom.domain.documents.spans import PageSpan, Region
from citeloom.domain.errors import InvalidRequest, SourceChanged, UnsupportedFormat
from citeloom.domain.library import is_library_text
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.evidence import evidence_name, existing_pages, fragment_of
from citeloom.domain.maps.resource_map import Location, ResolvedEvidence, ResourceType
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.hits import ShownHit
from citeloom.domain.value import Value

from .finder import MappedPlace, PlaceFinder, chunk_number

_RANK: Final = re.compile(r"[1-9][0-9]?")
_DOCUMENT: Final = Location(modality="document")


class ResolveRequest(Value):
    """The evidence to open. ``name`` is an address (``doc://ID#pages=3-5``), a document, a
    citation with its pages (``[@key, p. 5]``), or a node: ``DOCUMENT NODE``, ``DOCUMENT.NODE``, or
    ``node_id`` beside a document. ``page`` is a printed page of it, or several.

    Without ``project_id`` all projects and mapped files are searched. ``highlight`` marks the
    node's section, ``quote`` this quotation; ``exact`` cuts recordings to the frame;
    ``allow_stale`` accepts a source that changed after it was mapped.
    """

    project_id: ProjectId | None = None
    name: str
    node_id: str | None = None
    page: str | None = None
    virtual: bool = False
    exact: bool = False
    highlight: bool = False
    quote: str | None = None
    allow_stale: bool = False
    password: str | None = None

    @property
    def is_marked(self) -> bool:
        return self.highlight or self.quote is not None


class Resolution(Value):
    """The evidence with warnings. ``text_uncertain``: the stored text of a page of it differs
    from another reading of that page; None where that is not known."""

    evidence: ResolvedEvidence
    text_uncertain: bool | None = None
    warnings: tuple[str, ...] = ()


class OpenRequest(Value):
    """What to open. ``name`` is the number of a hit of the last question, an address, a citation
    with its page, or a document; ``page`` a printed page of it. ``quote`` are the words to mark, by
    default those of the hit."""

    project_id: ProjectId | None = None
    name: str
    page: str | None = None
    quote: str | None = None
    password: str | None = None


class SourcePlace(Value):
    """A place in a source file. ``pages`` are those of the file, from 1, ``labels`` their printed
    labels, all or none, ``label_sources`` how each is known; ``citation`` is ready to paste.
    ``question`` is that of the hit."""

    title: str
    source_path: str
    pages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    label_sources: tuple[LabelSource | None, ...] = ()
    citation: str | None = None
    quote: str | None = None
    question: str | None = None


class OpenedSource(Value):
    """``path`` is the file to show: the source, or a copy of it that opens at ``page`` (from 1)
    and has the words marked."""

    place: SourcePlace
    path: Path
    page: int | None = None
    marked: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Cuts evidence out of source files, or gives its location. The evidence of a whole document
    is its file.

    ``evidence`` keeps what *resolve* cuts, ``copies`` the marked copies of *open*. ``cutters`` are
    by modality; ``converter`` is called only for a file that no project has; ``passwords`` are by
    file name or pattern.
    """

    places: PlaceFinder
    state: SourceState
    evidence: EvidenceStore
    copies: Callable[[], EvidenceStore]
    cutters: Mapping[ResourceType, Cutter]
    converter: Callable[[], Converter]
    passwords: Mapping[str, str]
    marks: WordMarks

    def resolve(self, request: ResolveRequest) -> Resolution:
        """Raises what ``PlaceFinder.mapped`` raises; InvalidSource for a missing file,
        SourceChanged for a changed one; InvalidRequest for a location outside the source;
        UnsupportedFormat; and what the cutters and the stores raise."""
        place = self.places.mapped(
            request.name, request.project_id, node_id=request.node_id, page=request.page
        )
        if request.virtual or not _can_be_cut(place):
            return self._virtual(place)
        return self._physical(request, place)

    def place(self, request: OpenRequest) -> SourcePlace:
        """The place that *open* shows; no file is opened. Raises InvalidRequest for an unknown hit,
        and the errors of ``PlaceFinder.mapped``."""
        return self._located(request)[0]

    def open(self, request: OpenRequest) -> OpenedSource:
        """Raises what ``place`` raises; InvalidSource for a missing file; InvalidRequest for a
        quotation that is not on the page; PasswordNeeded, ConversionFailed, StorageFailed."""
        place, mapped, hit = self._located(request)
        if is_library_text(place.source_path):
            raise InvalidRequest(
                f"{place.title}: a text of the reference library, without a file; "
                f"open {place.source_path}",
                parameter="name",
            )
        source = self.state.source(mapped.map, mapped.stored, allow_stale=True)
        page = place.pages[0] if place.pages else None
        if source.warnings:
            warning = (
                f"{source.path}: changed since it was read: nothing is marked in it, and the page "
                "may be another one"
            )
            return OpenedSource(place=place, path=source.path, page=page, warnings=(warning,))
        if not _is_pdf(source, mapped.stored) or (page is None and place.quote is None):
            return OpenedSource(place=place, path=source.path, page=page)
        password = self._password(source, request.password)
        regions: Sequence[Region] = ()
        if place.quote:
            document = self._conversion(mapped.stored, source, password)
            regions = self._quoted(place, hit, document, source.path, password)
        page = regions[0].page if regions else page
        cut = CutRequest(
            source_hash=source.digest,
            location=_DOCUMENT,
            title=place.title,
            highlights=tuple(regions),
            open_at=page,
        )
        cutter = self.cutters["document"]
        kept = self.copies().keep(
            _file_name(source, f"page-{page}", cutter, cut),
            lambda path: cutter.write(source.path, cut, password, path),
        )
        return OpenedSource(
            place=place, path=kept.path, page=page, marked=bool(regions), warnings=kept.warnings
        )

    def _located(self, request: OpenRequest) -> tuple[SourcePlace, MappedPlace, ShownHit | None]:
        name = request.name.strip()
        if not _RANK.fullmatch(name):
            mapped = self.places.mapped(name, request.project_id, page=request.page)
            return self._source_place(mapped, request.quote), mapped, None
        if request.page is not None:
            raise InvalidRequest(
                f"hit {name} has its own page; leave the page out, or name a document",
                parameter="page",
            )
        hit, question = self.places.hit(int(name))
        project_id = ProjectId.parse(hit.project) if hit.project else None
        mapped = self.places.mapped(hit.address, project_id)
        place = self._source_place(mapped, request.quote or hit.quote or None)
        told = {"citation": hit.citation, "question": question}
        return place.model_copy(update=told), mapped, hit

    def _source_place(self, mapped: MappedPlace, quote: str | None) -> SourcePlace:
        stored, pages = mapped.stored, tuple(mapped.location.pages or ())
        labels: tuple[str, ...] = ()
        sources: tuple[LabelSource | None, ...] = ()
        span = PageSpan.covering(pages)
        if stored is not None and span is not None:
            structure = load_conversion(self.places.maps.bundles, stored).structure
            labels = labels_of(span, structure.labels)
            entries = [structure.entry_of(page) for page in span.pages]
            sources = tuple(entry.label_source if entry else None for entry in entries)
        citation = None
        if stored is not None and stored.citation is not None:
            where = file_pages(span) if span else None
            citation = pandoc_citation(stored.citation.citekey, labels, place=where)
        return SourcePlace(
            title=mapped.map.title or mapped.map.resource_id,
            source_path=stored.sources[0].path if stored else mapped.map.source_path,
            pages=pages,
            labels=labels,
            label_sources=sources,
            citation=citation,
            quote=quote,
        )

    def _quoted(
        self,
        place: SourcePlace,
        hit: ShownHit | None,
        document: ConversionResult,
        path: Path,
        password: str | None,
    ) -> Sequence[Region]:
        try:
            return self.marks(document, place.quote or "", place.pages or None, path, password)
        except InvalidRequest as error:
            if hit is None or error.details.get("parameter") != "quote":
                raise
            raise InvalidRequest(
                f"hit {hit.rank}: the document was converted again and no longer has its words; "
                "ask the question again",
                parameter="name",
            ) from error

    def _virtual(self, place: MappedPlace) -> Resolution:
        """The location without a file; the source is opened only if its stamp changed."""
        stored = place.stored
        warnings = list(self.state.doubts(place.map, stored))
        if stored and stored.pages and place.location.pages:
            warnings += existing_pages(place.location, stored.pages, place.map.title)[1]
        return _resolution(place, None, warnings)

    def _physical(self, request: ResolveRequest, place: MappedPlace) -> Resolution:
        cutter = self.cutters.get(place.location.modality)
        if cutter is None:
            raise UnsupportedFormat(
                f"No resolver for modality: {place.location.modality}",
                NextStep(Action.LOCATE_ONLY),
            )
        stored = place.stored
        source = self.state.source(place.map, stored, allow_stale=request.allow_stale)
        password = self._password(source, request.password)
        if place.location == _DOCUMENT:
            if not _check_marks(request, place, is_pdf=_is_pdf(source, stored)):
                return _resolution(place, source.path, source.warnings)
            place = _with_pages(
                place,
                stored.pages if stored else self._conversion(None, source, password).page_count,
            )
        cut = self._cut(request, place, source, password)

        def make(path: Path) -> Sequence[str]:
            warnings = cutter.write(source.path, cut, password, path)
            if not self.state.is_still(source):
                raise SourceChanged(f"{source.path}: changed while it was cut; try again")
            return warnings

        fragment = fragment_of(place.map.resource_id, place.location) or "whole"
        kept = self.evidence.keep(_file_name(source, fragment, cutter, cut), make)
        return _resolution(place, kept.path, [*source.warnings, *kept.warnings])

    def _cut(
        self,
        request: ResolveRequest,
        place: MappedPlace,
        source: EvidenceSource,
        password: str | None,
    ) -> CutRequest:
        """The cut: pages of a PDF with bookmarks and highlights; the text of slides, sheets,
        passages and documents without pages."""
        node, location, stored = place.node, place.location, place.stored
        number = chunk_number(location) if stored is not None else None
        if stored is not None and number is not None and source.digest != stored.document_id:
            raise InvalidRequest(
                f"{source.path}: its passages are those of the file as it was; ingest it again",
                parameter="allow_stale",
            )
        is_pdf = number is None and _is_pdf(source, stored)
        marked = _check_marks(request, place, is_pdf=is_pdf)
        cut = CutRequest(
            source_hash=source.digest,
            location=location,
            title=f"{place.map.title}: {node.title}" if node.title else place.map.title,
            exact=request.exact and location.modality in ("audio", "video"),
        )
        if location.modality not in ("virtual", "document"):
            return cut
        if stored is not None and number is not None:
            span = self.places.passages.span(stored, number)
            text = load_conversion(self.places.maps.bundles, stored).text_of(span)
            return cut.model_copy(update={"text": text})
        if is_pdf and location.modality == "document":
            nodes = (node,) if place.known else place.map.nodes
            bookmarks = bookmarks_of(nodes, location.pages or ())
            regions = self._highlights(request, place, source, password) if marked else ()
            if stored is not None and source.digest == stored.document_id:
                known = load_conversion(self.places.maps.bundles, stored).structure
                labels = tuple(known.label_of(n) or f"PDF {n}" for n in location.pages or ())
                cut = cut.model_copy(update={"labels": labels})
            return cut.model_copy(update={"bookmarks": bookmarks, "highlights": regions})
        converted = self._conversion(stored, source, password)
        if location.modality == "virtual":
            return cut.model_copy(update={"text": text_of_node(converted, node)})
        return cut.model_copy(update={"texts": tuple(_page_texts(converted))})

    def _highlights(
        self,
        request: ResolveRequest,
        place: MappedPlace,
        source: EvidenceSource,
        password: str | None,
    ) -> tuple[Region, ...]:
        document = self._conversion(place.stored, source, password)
        regions: tuple[Region, ...] = ()
        if request.quote is not None:
            pages = place.location.pages
            regions += self.marks(document, request.quote, pages, source.path, password)
        if request.highlight:
            regions += regions_of_node(document, place.node)
        return regions

    def _conversion(
        self, stored: StoredDocument | None, source: EvidenceSource, password: str | None
    ) -> ConversionResult:
        """The stored conversion of the content of the file, else one made now."""
        if stored is not None and stored.document_id == source.digest:
            return load_conversion(self.places.maps.bundles, stored)
        return convert_single_file(self.converter(), source.path, source.digest, password)

    def _password(self, source: EvidenceSource, given: str | None) -> str | None:
        return password_for(source.path.name, self.passwords, given)


def _can_be_cut(place: MappedPlace) -> bool:
    """Whether there can be an evidence file: the location is in a file, or it is a virtual one
    with text (a passage, a section or the whole of a document without pages)."""
    if place.location.modality != "virtual":
        return True
    if place.stored is not None and chunk_number(place.location) is not None:
        return True
    digest = place.map.source_hash
    if place.map.type != "virtual" or digest is None:
        return False
    fragment = f"#{place.node.id}" if place.known else ""
    own_address = f"virtual://{short_id(digest)}{fragment}"
    in_map = f"virtual://{place.map.resource_id}{fragment}"
    return own_address == place.location.virtual_address == in_map


def _with_pages(place: MappedPlace, count: int) -> MappedPlace:
    location = Location(modality="document", pages=tuple(range(1, count + 1)))
    return place._replace(node=place.node.model_copy(update={"location": location}))


def _is_pdf(source: EvidenceSource, stored: StoredDocument | None) -> bool:
    if stored is not None:
        return stored.mime_type == PDF
    return source.path.suffix.lower() == ".pdf"


def _check_marks(request: ResolveRequest, place: MappedPlace, *, is_pdf: bool) -> bool:
    """Whether highlights are requested. Raises InvalidRequest if there can be none: they need
    pages of an unchanged PDF."""
    if request.is_marked and (place.location.modality != "document" or not is_pdf):
        raise InvalidRequest(
            f"{place.map.title}: only pages of PDFs are marked; leave highlight and quote out",
            parameter="highlight",
        )
    if request.is_marked and request.allow_stale:
        # The stored conversion, which has the positions, is not of this content.
        raise InvalidRequest(
            "a changed file cannot be marked; leave out highlight and quote",
            parameter="allow_stale",
        )
    return request.is_marked


def _file_name(source: EvidenceSource, place: str, cutter: Cutter, cut: CutRequest) -> str:
    suffix = cutter.suffix(source.path, cut)
    return evidence_name(source.path, place, suffix, cutter.version, cut.model_dump(mode="json"))


def _resolution(place: MappedPlace, path: Path | None, warnings: Sequence[str]) -> Resolution:
    evidence = ResolvedEvidence(
        output_path=str(path) if path else None,
        modality=place.location.modality,
        address=place.address,
        node=place.node,
        resource_id=place.map.resource_id,
    )
    fidelity, pages = place.stored.fidelity if place.stored else None, place.location.pages
    uncertain = fidelity.is_uncertain(pages) if fidelity and pages else None
    return Resolution(evidence=evidence, text_uncertain=uncertain, warnings=tuple(warnings))


def _page_texts(document: ConversionResult) -> Iterator[PageText]:
    for entry in document.structure.page_map:
        text = "\n\n".join(document.text_of(span) for span in entry.spans)
        yield PageText(page=entry.page, text=text)
