"""The verb *open*: the file of a hit, a citation or a document, at its page, with words marked."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from citeloom.application.documents.lookup import load_conversion
from citeloom.application.documents.single_conversion import DocumentTexts
from citeloom.application.documents.stores import password_for
from citeloom.application.maps.map_lookup import MapLookup
from citeloom.application.maps.source_files import SourceState
from citeloom.application.maps.target import NodeTarget, TargetFinder
from citeloom.application.maps.word_marks import WordMarks
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.maps import CutRequest, Cutter, EvidenceStore, ShownHitStore
from citeloom.domain.citation.metadata import file_pages, labels_of, pandoc_citation
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import PageSpan, Region
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.library.item_documents import is_library_text
from citeloom.domain.maps.evidence import evidence_name
from citeloom.domain.maps.resource_map import Location
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.shown_hits import ShownHit
from citeloom.domain.value import Value

PDF: Final = "application/pdf"
_RANK: Final = re.compile(r"[1-9][0-9]?")
_DOCUMENT: Final = Location(modality="document")


class OpenRequest(Value):
    """What to open. ``name`` is the number of a hit of the last question, an address, a citation
    with its page, or a document; ``page`` a printed page of it. ``quote`` are the words to mark,
    those of the hit where there is none."""

    project_id: ProjectId | None = None
    name: str
    page: str | None = None
    quote: str | None = None
    password: str | None = None


class SourcePlace(Value):
    """A place in a source file. ``pages`` are those of the file, from 1, ``labels`` what is
    printed on them; ``citation`` is ready to paste. ``question`` is that of the hit."""

    title: str
    source_path: str
    pages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
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


class LocatedSource(NamedTuple):
    """A place with what was found for it."""

    place: SourcePlace
    target: NodeTarget
    stored: StoredDocument | None
    hit: ShownHit | None


class SourcePlaces:
    """Finds the place that a request names. ``shown`` holds the hits of the last question."""

    def __init__(
        self,
        *,
        targets: TargetFinder,
        structure: MapLookup,
        bundles: BundleStore,
        shown: ShownHitStore,
    ) -> None:
        self._targets = targets
        self._lookup = structure
        self._bundles = bundles
        self._shown = shown

    def find(self, request: OpenRequest) -> LocatedSource:
        """No source is opened. Raises InvalidRequest for a hit that there is not, and what
        ``TargetFinder.find`` raises."""
        name = request.name.strip()
        if not _RANK.fullmatch(name):
            target = self._targets.find(request.project_id, name, None, request.page)
            return self._placed(request, target, request.project_id)
        if request.page is not None:
            raise InvalidRequest(
                f"hit {name} has its own page; leave the page out, or name a document",
                parameter="page",
            )
        hit, question = self._hit(int(name))
        project_id = ProjectId.parse(hit.project) if hit.project else None
        target = self._targets.find(project_id, hit.address)
        located = self._placed(request, target, project_id)
        more = {"citation": hit.citation, "quote": request.quote or hit.quote or None}
        place = located.place.model_copy(update={**more, "question": question})
        return located._replace(place=place, hit=hit)

    def _hit(self, rank: int) -> tuple[ShownHit, str]:
        shown = self._shown.load()
        if shown is None:
            raise InvalidRequest(
                f"hit {rank}: nothing was asked in this workspace yet; ask a question first",
                parameter="name",
            )
        if (hit := shown.hit(rank)) is None:
            count = len(shown.hits)
            hits = "no hits" if not count else f"{count} hit{'s' * (count > 1)}"
            raise InvalidRequest(
                f"hit {rank}: the last question had {hits}: {shown.question}", parameter="name"
            )
        return hit, shown.question

    def _placed(
        self, request: OpenRequest, target: NodeTarget, project_id: ProjectId | None
    ) -> LocatedSource:
        digest = (target.map.metadata or {}).get("source_hash")
        stored = self._lookup.holding(digest, project_id) if isinstance(digest, str) else None
        pages = tuple(target.node.location.pages or ())
        labels: tuple[str, ...] = ()
        span = PageSpan.covering(pages)
        if stored is not None and span is not None:
            structure = load_conversion(self._bundles, stored).structure
            labels = labels_of(span, structure.labels)
        citation = None
        if stored is not None and stored.citation is not None:
            where = file_pages(span) if span else None
            citation = pandoc_citation(stored.citation.citekey, labels, place=where)
        place = SourcePlace(
            title=target.map.title or target.map.resource_id,
            source_path=stored.sources[0].path if stored else target.map.source_path,
            pages=pages,
            labels=labels,
            citation=citation,
            quote=request.quote,
        )
        return LocatedSource(place, target, stored, None)


class OpenSource:
    """Makes the file to show. ``documents`` copies PDFs; ``passwords`` are by file name or
    pattern."""

    def __init__(
        self,
        *,
        places: SourcePlaces,
        texts: DocumentTexts,
        state: SourceState,
        evidence: EvidenceStore,
        documents: Cutter,
        marks: WordMarks,
        passwords: Mapping[str, str],
    ) -> None:
        self._places = places
        self._texts = texts
        self._state = state
        self._evidence = evidence
        self._documents = documents
        self._marks = marks
        self._passwords = passwords

    def place(self, request: OpenRequest) -> SourcePlace:
        """Where it is; no file is opened. Raises what ``SourcePlaces.find`` raises."""
        return self._places.find(request).place

    def __call__(self, request: OpenRequest) -> OpenedSource:
        """Raises what ``place`` raises; InvalidSource for a missing file; InvalidRequest for a
        quotation that is not on the page; PasswordNeeded, ConversionFailed, StorageFailed."""
        located = self._places.find(request)
        place, target, stored, _ = located
        if is_library_text(place.source_path):
            raise InvalidRequest(
                f"{place.title}: a text of the reference library, without a file; "
                f"open {place.source_path}",
                parameter="name",
            )
        source = self._state.source(target.map, stored, allow_stale=True)
        page = place.pages[0] if place.pages else None
        if source.warnings:
            warning = (
                f"{source.path}: changed since it was read: nothing is marked in it, and the page "
                "may be another one"
            )
            return OpenedSource(place=place, path=source.path, page=page, warnings=(warning,))
        if not _is_pdf(source.path, stored) or (page is None and place.quote is None):
            return OpenedSource(place=place, path=source.path, page=page)
        password = password_for(source.path.name, self._passwords, request.password)
        regions: Sequence[Region] = ()
        if place.quote:
            document = self._texts.conversion(stored, source.path, source.digest, password)
            regions = self._regions(located, document, source.path, password)
        page = regions[0].page if regions else page
        cut = CutRequest(
            source_hash=source.digest,
            location=_DOCUMENT,
            title=place.title,
            highlights=tuple(regions),
            open_at=page,
        )
        name = evidence_name(
            source.path,
            f"page-{page}",
            self._documents.suffix(source.path, cut),
            self._documents.version,
            cut.model_dump(mode="json"),
        )
        kept = self._evidence.keep(
            name, lambda path: self._documents.write(source.path, cut, password, path)
        )
        return OpenedSource(
            place=place, path=kept.path, page=page, marked=bool(regions), warnings=kept.warnings
        )

    def _regions(
        self, located: LocatedSource, document: ConversionResult, path: Path, password: str | None
    ) -> Sequence[Region]:
        place, hit = located.place, located.hit
        try:
            pages = place.pages or None
            return self._marks(document, place.quote or "", pages, path, password)
        except InvalidRequest as error:
            if hit is None or error.details.get("parameter") != "quote":
                raise
            raise InvalidRequest(
                f"hit {hit.rank}: the document was read anew and has its words no longer; "
                "ask the question again",
                parameter="name",
            ) from error


def _is_pdf(path: Path, stored: StoredDocument | None) -> bool:
    return stored.mime_type == PDF if stored else path.suffix.lower() == ".pdf"
