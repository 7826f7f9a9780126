"""The verb *resolve*: the evidence file of an address or node."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from citeloom.application.documents.single_conversion import DocumentTexts
from citeloom.application.documents.stores import password_for
from citeloom.application.maps.highlights import (
    bookmarks_of,
    regions_of_node,
    text_of_node,
)
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.maps.passage_place import chunk_number
from citeloom.application.maps.source_files import EvidenceSource, SourceState
from citeloom.application.maps.target import NodeTarget, TargetFinder
from citeloom.application.maps.word_marks import WordMarks
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.maps import CutRequest, Cutter, EvidenceStore, PageText
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import InvalidRequest, SourceChanged, UnsupportedFormat
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.evidence import evidence_name, existing_pages, fragment_of
from citeloom.domain.maps.resource_map import Location, Node, ResolvedEvidence, ResourceType
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value

PDF = "application/pdf"


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


class Resolution(Value):
    """The evidence with warnings. ``text_uncertain``: the stored text of a page of it differs
    from another reading of that page; None where that is not known."""

    evidence: ResolvedEvidence
    text_uncertain: bool | None = None
    warnings: tuple[str, ...] = ()


class Resolve:
    """Cuts evidence out of source files, or gives its location. The evidence of a whole document
    is its file.

    ``cutters`` are by modality; ``passwords`` are by file name or pattern.
    """

    def __init__(
        self,
        *,
        targets: TargetFinder,
        structure: MapLookup,
        texts: DocumentTexts,
        state: SourceState,
        evidence: EvidenceStore,
        cutters: Mapping[ResourceType, Cutter],
        passwords: Mapping[str, str],
        marks: WordMarks,
    ) -> None:
        self._targets = targets
        self._lookup = structure
        self._texts = texts
        self._state = state
        self._evidence = evidence
        self._cutters = cutters
        self._passwords = passwords
        self._marks = marks

    def __call__(self, request: ResolveRequest) -> Resolution:
        """Raises what ``TargetFinder.find`` raises; InvalidSource for a missing file, SourceChanged
        for a changed one; InvalidRequest for a location outside the source; UnsupportedFormat;
        and what the cutters and the stores raise."""
        target = self._targets.find(request.project_id, request.name, request.node_id, request.page)
        stored = self._stored(request.project_id, target)
        if request.virtual or not _can_be_cut(target, stored):
            return self._virtual(target, stored)
        return self._physical(request, target, stored)

    def _stored(self, project_id: ProjectId | None, target: NodeTarget) -> StoredDocument | None:
        """The document of the map; None if no project has it."""
        digest = (target.map.metadata or {}).get("source_hash")
        return self._lookup.holding(digest, project_id) if isinstance(digest, str) else None

    def _virtual(self, target: NodeTarget, stored: StoredDocument | None) -> Resolution:
        """The location without a file; the source is opened only if its stamp changed."""
        location = target.node.location
        warnings = list(self._state.doubts(target.map, stored))
        if stored and stored.pages and location.pages:
            warnings += existing_pages(location, stored.pages, target.map.title)[1]
        return _resolution(target, stored, None, warnings)

    def _physical(
        self, request: ResolveRequest, target: NodeTarget, stored: StoredDocument | None
    ) -> Resolution:
        location = target.node.location
        cutter = self._cutters.get(location.modality)
        if cutter is None:
            raise UnsupportedFormat(
                f"No resolver for modality: {location.modality}", NextStep(Action.LOCATE_ONLY)
            )
        source = self._state.source(target.map, stored, allow_stale=request.allow_stale)
        password = password_for(source.path.name, self._passwords, request.password)

        def conversion() -> ConversionResult:
            return self._texts.conversion(stored, source.path, source.digest, password)

        def make(path: Path) -> Sequence[str]:
            warnings = cutter.write(source.path, cut, password, path)
            if not self._state.unchanged(source):
                raise SourceChanged(f"{source.path}: changed while it was cut; try again")
            return warnings

        def marks(document: ConversionResult) -> tuple[Region, ...]:
            return self._highlights(request, target.node, document, source.path, password)

        if location == Location(modality="document"):
            if not _check_marks(request, target, is_pdf=_is_pdf(source, stored)):
                return _resolution(target, stored, source.path, source.warnings)
            target = _with_all_pages(target, stored.pages if stored else conversion().page_count)
            location = target.node.location
        number = chunk_number(location)
        if stored is not None and number is not None:
            cut = self._passage(request, target, source, stored, number)
        else:
            cut = _cut(request, target, source, _is_pdf(source, stored), conversion, marks)
        name = evidence_name(
            source.path,
            fragment_of(target.map.resource_id, location) or "whole",
            cutter.suffix(source.path, cut),
            cutter.version,
            cut.model_dump(mode="json"),
        )
        evidence_file = self._evidence.keep(name, make)
        warnings = [*source.warnings, *evidence_file.warnings]
        return _resolution(target, stored, evidence_file.path, warnings)

    def _highlights(
        self,
        request: ResolveRequest,
        node: Node,
        document: ConversionResult,
        source: Path,
        password: str | None,
    ) -> tuple[Region, ...]:
        marks: tuple[Region, ...] = ()
        if request.quote is not None:
            marks += self._marks(document, request.quote, node.location.pages, source, password)
        if request.highlight:
            marks += regions_of_node(document, node)
        return marks

    def _passage(
        self,
        request: ResolveRequest,
        target: NodeTarget,
        source: EvidenceSource,
        stored: StoredDocument,
        number: int,
    ) -> CutRequest:
        """A cut with the stored text of a passage."""
        if source.digest != stored.document_id:
            raise InvalidRequest(
                f"{source.path}: its passages are those of the file as it was; ingest it again",
                parameter="allow_stale",
            )
        _check_marks(request, target, is_pdf=False)
        text = self._texts.passage(stored, number)
        return _plain_cut(request, target, source).model_copy(update={"text": text})


def _can_be_cut(target: NodeTarget, stored: StoredDocument | None) -> bool:
    """Whether there can be an evidence file: the location is in a file, or it is a virtual one
    with text (a passage, a section or the whole of a document without pages)."""
    location = target.node.location
    if location.modality != "virtual":
        return True
    if stored is not None and chunk_number(location) is not None:
        return True
    digest = (target.map.metadata or {}).get("source_hash")
    if target.map.type != "virtual" or not isinstance(digest, str):
        return False
    resource = target.map.resource_id
    fragment = f"#{target.node.id}" if target.known else ""
    own_address = f"virtual://{short_id(digest)}{fragment}"
    return own_address == location.virtual_address == f"virtual://{resource}{fragment}"


def _with_all_pages(target: NodeTarget, count: int) -> NodeTarget:
    location = Location(modality="document", pages=tuple(range(1, count + 1)))
    return target._replace(node=target.node.model_copy(update={"location": location}))


def _is_pdf(source: EvidenceSource, stored: StoredDocument | None) -> bool:
    if stored is not None:
        return stored.mime_type == PDF
    return source.path.suffix.lower() == ".pdf"


def _cut(
    request: ResolveRequest,
    target: NodeTarget,
    source: EvidenceSource,
    is_pdf: bool,
    conversion: Callable[[], ConversionResult],
    marks: Callable[[ConversionResult], tuple[Region, ...]],
) -> CutRequest:
    """The cut: pages of a PDF with bookmarks and highlights; the text of slides, sheets and
    documents without pages."""
    node, modality = target.node, target.node.location.modality
    marked = _check_marks(request, target, is_pdf=is_pdf)
    cut = _plain_cut(request, target, source)
    if modality == "virtual":
        return cut.model_copy(update={"text": text_of_node(conversion(), node)})
    if modality != "document":
        return cut
    if not is_pdf:
        return cut.model_copy(update={"texts": tuple(_page_texts(conversion()))})
    nodes = (node,) if target.known else target.map.nodes
    return cut.model_copy(
        update={
            "bookmarks": bookmarks_of(nodes, node.location.pages or ()),
            "highlights": marks(conversion()) if marked else (),
        }
    )


def _plain_cut(request: ResolveRequest, target: NodeTarget, source: EvidenceSource) -> CutRequest:
    node = target.node
    return CutRequest(
        source_hash=source.digest,
        location=node.location,
        title=f"{target.map.title}: {node.title}" if node.title else target.map.title,
        exact=request.exact and node.location.modality in ("audio", "video"),
    )


def _check_marks(request: ResolveRequest, target: NodeTarget, *, is_pdf: bool) -> bool:
    """Whether highlights are requested. Raises InvalidRequest if there can be none: they need
    pages of an unchanged PDF."""
    marked = request.highlight or request.quote is not None
    if marked and (target.node.location.modality != "document" or not is_pdf):
        raise InvalidRequest(
            f"{target.map.title}: only pages of PDFs are marked; leave highlight and quote out",
            parameter="highlight",
        )
    if marked and request.allow_stale:
        # The stored conversion, which has the positions, is not of this content.
        raise InvalidRequest(
            "nothing can be marked in a file that was changed; leave highlight and quote out",
            parameter="allow_stale",
        )
    return marked


def _resolution(
    target: NodeTarget, stored: StoredDocument | None, path: Path | None, warnings: Sequence[str]
) -> Resolution:
    evidence = ResolvedEvidence(
        output_path=str(path) if path else None,
        modality=target.node.location.modality,
        address=target.address,
        node=target.node,
        resource_id=target.map.resource_id,
    )
    fidelity, pages = stored.fidelity if stored else None, target.node.location.pages
    uncertain = fidelity.is_uncertain(pages) if fidelity and pages else None
    return Resolution(evidence=evidence, text_uncertain=uncertain, warnings=tuple(warnings))


def _page_texts(document: ConversionResult) -> Iterator[PageText]:
    for entry in document.structure.page_map:
        text = "\n\n".join(document.text_of(span) for span in entry.spans)
        yield PageText(page=entry.page, text=text)
