"""Selection of hits: duplicates, diversity, result items, hits by paper, pictures of hits."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from citeloom.application.ports.index import Passage
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.citation.metadata import file_pages, pandoc_citation, section_locator
from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity
from citeloom.domain.documents.spans import BBox, Chunk, ChunkKind, rounded, union
from citeloom.domain.errors import StorageFailed, WorkspaceTooNew
from citeloom.domain.library import is_library_text, library_path, zotero_link
from citeloom.domain.maps.address import chunk_address
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.resources.uris import document_uri, media, passage_text_uri
from citeloom.domain.search.filters import Field
from citeloom.domain.search.fusion import Ranked
from citeloom.domain.search.hits import PaperHits, hits_by_paper, key_sentence
from citeloom.domain.search.ranking import (
    FITTING,
    LEAST_SHINGLES,
    Shingles,
    are_near_duplicates,
    max_marginal_selection,
    shingles,
)
from citeloom.domain.search.request import (
    MAX_TEXT,
    HitPicture,
    Neighbour,
    QueryRequest,
    QueryResult,
    QueryResultItem,
)
from citeloom.domain.text.sentences import cut_at_sentence

from .hits import Hits

# Fields by which a question is limited to documents.
_OF_DOCUMENTS: Final = (Field.DOC, Field.CITEKEY, Field.ITEM)
# Words of a sentence that no two works have by chance.
_LONG: Final = 10
# Distinct passages from which a diverse result is selected.
_POOL = 50


@dataclass(slots=True)
class SelectedPassage:
    """A passage to show, with its near-duplicates, which are not shown."""

    hit: Ranked
    passage: Passage
    runs: Shingles
    copies: list[Passage] = field(default_factory=list)


def choose(hits: Hits, ranked: Sequence[Ranked], request: QueryRequest) -> list[SelectedPassage]:
    """At most ``top_k`` of ``ranked``, best first. An annotation is replaced by the passage
    that it marks, once, unless the filter names kinds of passages. One document has not all
    places while others have passages that fit, unless the request says how many it may have, or
    its filter is about documents; a passage with the wanted number or the like does not give
    way."""
    limit = max(request.top_k, _POOL) if request.diverse else request.top_k
    most = request.top_k if _names_documents(request) else max(2, request.top_k - 1)
    choices: list[SelectedPassage] = []
    spare: list[SelectedPassage] = []
    of_document: Counter[str] = Counter()
    candidates = _fetched(hits, ranked, step=2 * request.top_k)
    for hit, passage in (
        candidates if request.filter.names(Field.KIND) else _marked(hits, candidates)
    ):
        document = passage.chunk.doc_id
        if len(spare) >= limit and of_document[document] >= most:
            continue
        runs = shingles(passage.chunk.text)
        known = [*choices, *spare]
        same = next((c for c in known if _say_the_same(hits, c, passage, runs)), None)
        if same is not None:
            same.copies.append(passage)
            continue
        if request.per_document is not None and of_document[document] >= request.per_document:
            continue
        if len(choices) == limit or (spare and hit.relevance < FITTING):
            break
        of_document[document] += 1
        choice = SelectedPassage(hit, passage, runs)
        gives_way = of_document[document] > most and not hits.gives_wanted(passage)
        (spare if gives_way else choices).append(choice)
    if spare and len(choices) < limit:
        places = {hit.id: place for place, hit in enumerate(ranked)}
        choices += spare[: limit - len(choices)]
        choices.sort(key=lambda one: places.get(one.hit.id, len(places)))
    return _varied(hits, choices, request.top_k) if request.diverse else choices


def _names_documents(request: QueryRequest) -> bool:
    return request.per_document is not None or any(map(request.filter.names, _OF_DOCUMENTS))


def _say_the_same(hits: Hits, choice: SelectedPassage, passage: Passage, runs: Shingles) -> bool:
    """Whether two passages are near-duplicates, or answer with the same sentence, as versions of a
    work do whose passages are cut at other places. Passages of one document overlap by design and
    count as such only if their words are equal."""
    if choice.passage.chunk.doc_id == passage.chunk.doc_id:
        one, other = choice.passage.chunk.text, passage.chunk.text
        return choice.runs == runs and one.split() == other.split()
    if are_near_duplicates(choice.runs, runs, LEAST_SHINGLES):
        return True
    known = hits.answers(choice.passage)
    return any(len(answer) >= _LONG and answer in known for answer in hits.answers(passage))


def _fetched(
    hits: Hits, ranked: Sequence[Ranked], *, step: int
) -> Iterator[tuple[Ranked, Passage]]:
    """Ranked hits with their passages, fetched lazily."""
    for start in range(0, len(ranked), step):
        part = ranked[start : start + step]
        passages = {p.chunk.id: p for p in hits.passages([hit.id for hit in part])}
        yield from ((hit, passages[hit.id]) for hit in part if hit.id in passages)


def _marked(
    hits: Hits, candidates: Iterable[tuple[Ranked, Passage]]
) -> Iterator[tuple[Ranked, Passage]]:
    for hit, passage in candidates:
        if (marked := hits.marked(hit.id, passage)) is None:
            yield hit, passage
        else:
            yield Ranked(marked.chunk.id, hit.score, hit.relevance), marked


def _varied(hits: Hits, choices: Sequence[SelectedPassage], limit: int) -> list[SelectedPassage]:
    by_id = {choice.hit.id: choice for choice in choices}
    top = max((choice.hit.score for choice in choices), default=0.0) or 1.0
    scores = {id: choice.hit.score / top for id, choice in by_id.items()}
    vectors = hits.vectors(list(by_id))
    return [by_id[id] for id in max_marginal_selection(list(by_id), scores, vectors, limit)]


def result_item(
    project: Project,
    passage: Passage,
    rank: int,
    score: float,
    best_sentence: str | None = None,
    fidelity: DocumentFidelity | None = None,
) -> QueryResultItem:
    """A passage with its citation and its addresses. ``fidelity`` is that of its document."""
    chunk, citation = passage.chunk, passage.citation
    pages = chunk.page_span.pages if chunk.page_span else None
    place = _place_in_work(passage)
    return QueryResultItem(
        rank=rank,
        score=round(score, 6),
        text=cut_at_sentence(chunk.text, MAX_TEXT),
        citekey=citation.citekey if citation else None,
        citation=pandoc_citation(citation.citekey, chunk.page_labels, place=place)
        if citation
        else None,
        citation_source=citation.source if citation else None,
        title=citation.title if citation else passage.title,
        authors=citation.authors if citation else passage.authors,
        year=citation.year if citation else passage.year,
        doi=citation.doi if citation else None,
        url=citation.url if citation else None,
        document_id=chunk.doc_id,
        chunk_id=chunk.id,
        char_span=_offsets(chunk),
        section=chunk.section_heading,
        section_path=chunk.section_path,
        page_span=chunk.page_span.as_tuple() if chunk.page_span else None,
        page_labels=chunk.page_labels,
        address=chunk_address(chunk.doc_id, pages, chunk.chunk_idx),
        knowledge_uri=passage_text_uri(project.id, chunk.doc_id, chunk.char_span),
        source_path=passage.source_path,
        regions=chunk.regions,
        best_sentence=best_sentence,
        kind=chunk.kind,
        marks=passage.marks,
        annotation=passage.annotation,
        place=None if chunk.page_labels else place,
        zotero_link=_zotero_link(passage),
        text_uncertain=_text_uncertain(chunk, fidelity),
        disputed=_disputed(chunk, fidelity),
        header=chunk.table_header,
    )


def neighbour(passage: Passage, offset: int, fidelity: DocumentFidelity | None) -> Neighbour:
    """A passage shown beside a hit, ``offset`` passages away from it."""
    chunk = passage.chunk
    return Neighbour(
        offset=offset,
        chunk_id=chunk.id,
        char_span=_offsets(chunk),
        text=cut_at_sentence(chunk.text, MAX_TEXT),
        page_labels=chunk.page_labels,
        address=chunk_address(
            chunk.doc_id, chunk.page_span.pages if chunk.page_span else None, chunk.chunk_idx
        ),
        text_uncertain=_text_uncertain(chunk, fidelity),
        disputed=_disputed(chunk, fidelity),
    )


def _offsets(chunk: Chunk) -> tuple[int, int]:
    return chunk.char_span.start, chunk.char_span.end


def _text_uncertain(chunk: Chunk, fidelity: DocumentFidelity | None) -> bool | None:
    if fidelity is None or chunk.page_span is None:
        return None
    return fidelity.is_uncertain(chunk.page_span.pages, chunk.char_span)


def _disputed(chunk: Chunk, fidelity: DocumentFidelity | None) -> tuple[str, ...]:
    """The disputed sentences of a passage, limited to it."""
    start = chunk.char_span.start
    found = fidelity.disputed_in(chunk.char_span) if fidelity else ()
    return tuple(chunk.text[max(0, one.start - start) : one.end - start].strip() for one in found)


def _zotero_link(passage: Passage) -> str | None:
    if passage.annotation is not None:
        return passage.annotation.uri
    citation, span = passage.citation, passage.chunk.page_span
    marked = (mark.uri for mark in passage.marks)
    csl = citation.csl if citation else {}
    return zotero_link(
        citation.item_key if citation else None,
        passage.source_path,
        span.start if span else None,
        library=library_path(*marked, csl.get("id"), csl.get("uri"), csl.get("select")),
    )


def _place_in_work(passage: Passage) -> str | None:
    """The locator of a passage without confirmed page labels: pages of the file, named as
    such, else section and paragraph. None for texts of a library (notes, abstracts)."""
    return None if is_library_text(passage.source_path) else _place(passage.chunk)


def _place(chunk: Chunk) -> str:
    span = chunk.page_span
    if span is not None:
        return file_pages(span)
    paragraph = f"para. {chunk.paragraph}"
    heading = chunk.section_heading
    return f"{section_locator(heading)}, {paragraph}" if heading else paragraph


_DRAWN_KINDS: Final = (ChunkKind.TABLE, ChunkKind.CAPTION, ChunkKind.FIGURE)
# How captions and formulas begin, or what they have in them.
_DRAWN: Final = re.compile(
    r"\W*(?:fig|tab|abb|рис|图|圖|図|表|scheme|plate|chart|listing|algorithm)[\w.]*\s*\w?\d"
    r"|(?s:.*)[=≤≥≈∼∝∈▯]",
    re.IGNORECASE,
)
# What has a picture, and what stands beside it.
_BESIDE: Final = {
    BlockLabel.CAPTION: (BlockLabel.TABLE, BlockLabel.FIGURE_TEXT),
    BlockLabel.TABLE: (BlockLabel.CAPTION,),
    BlockLabel.FIGURE_TEXT: (BlockLabel.CAPTION,),
    BlockLabel.FORMULA: (),
}
# How the captions of other things begin.
_OF_OTHERS: Final = {
    BlockLabel.TABLE: re.compile(r"\W*(?:fig|abb|рис|图|圖|図)", re.IGNORECASE),
    BlockLabel.FIGURE_TEXT: re.compile(r"\W*(?:tab|表)", re.IGNORECASE),
}
# Points around what is shown; above and below a caption whose figure has no known box.
_MARGIN: Final = 4.0
_ABOVE: Final = 240.0
_BELOW: Final = 120.0


class ReadableHits:
    """Hits with what the stored conversions know: groups them by paper, and finds pictures."""

    def __init__(self, bundles: BundleStore) -> None:
        self._bundles = bundles

    def __call__(self, result: QueryResult) -> tuple[PaperHits, ...]:
        """A hit with a missing, damaged or outdated conversion stays unchanged."""
        of_document: dict[str, list[QueryResultItem]] = {}
        for item in result.items:
            of_document.setdefault(item.document_id, []).append(item)
        documents = {
            id: document
            for id, items in of_document.items()
            if (document := self._conversion(id, items)) is not None
        }
        return hits_by_paper(result.items, documents)

    def picture(self, item: QueryResultItem, project_id: ProjectId) -> HitPicture | None:
        """The figure, table or formula of the words that answer best, or the page around a caption
        whose figure has no known box; None for running text, and for other files than PDFs."""
        # Most hits are running text, and are not looked up.
        drawn = item.kind in _DRAWN_KINDS or _DRAWN.match(key_sentence(item))
        document = self._conversion(item.document_id, [item]) if drawn and item.page_span else None
        return _picture(item, document, project_id) if document else None

    def _conversion(self, id: str, items: Sequence[QueryResultItem]) -> ConversionResult | None:
        try:
            document = self._bundles.load(id)
        except (
            StorageFailed,
            WorkspaceTooNew,
        ):  # validate tells of it; the index holds what is to be shown
            return None
        if document is None or not all(_is_in(item, document) for item in items):
            return None
        return document


def _is_in(item: QueryResultItem, document: ConversionResult) -> bool:
    start, end = item.char_span
    near = all(document.plain_text[slice(*one.char_span)].startswith(one.text)
               for one in item.context)  # fmt: skip
    return near and document.plain_text[start:end].startswith(item.text)


def _picture(
    item: QueryResultItem, document: ConversionResult, project_id: ProjectId
) -> HitPicture | None:
    start, end = item.char_span
    words, blocks = key_sentence(item), document.blocks
    if words and (at := document.plain_text.find(words, start, end)) >= 0:
        start, end = at, at + len(words)
    last = max(n for n, one in enumerate(blocks) if start < one.span.end and one.span.start < end)
    block = blocks[last]
    if document.mime_type != PDF or not block.lines or block.label not in _BESIDE:
        return None
    is_caption = block.label is BlockLabel.CAPTION
    page = next((line.page for line in block.lines if line.end > start), block.lines[0].page)
    uri = document_uri(project_id, item.document_id)
    caption = document.text_of(block.span) if is_caption else item.header or ""
    for number, one in enumerate(document.figures, start=1):
        if caption and one.page == page and (one.caption or "").split() == caption.split():
            box = _on_page(document, page, one.bbox)
            figure = uri.observable(media(f"figure-{number}.png"))
            return HitPicture(page=page, bbox=box, uri=str(figure))
    beside = list(_beside(document, last, page))[:1]
    parts = [ln.bbox for one in (block, *beside) for ln in one.lines if ln.page == page]
    box = _on_page(document, page, union(parts), alone=is_caption and not beside)
    return HitPicture(page=page, bbox=box, uri=f"{uri}/page/{page}.png")


def _beside(document: ConversionResult, at: int, page: int) -> Iterator[Block]:
    """What a caption is of, or the caption, if it is next to block ``at`` and on the page."""
    block = document.blocks[at]
    after, before = document.blocks[at + 1 : at + 2], document.blocks[max(0, at - 1) : at]
    is_caption = block.label is BlockLabel.CAPTION
    if is_caption and at > 1 and document.blocks[at - 2].label is BlockLabel.CAPTION:
        before = ()  # a table with a caption of its own
    near = after, before
    for one in chain(*near if is_caption else reversed(near)):
        on_page = any(line.page == page for line in one.lines)
        if one.label in _BESIDE[block.label] and on_page:
            caption, shown = (block, one) if is_caption else (one, block)
            if not _OF_OTHERS[shown.label].match(document.text_of(caption.span)):
                yield one


def _on_page(document: ConversionResult, page: int, box: BBox, *, alone: bool = False) -> BBox:
    """The box with a margin; of a caption ``alone`` its column, or the whole width, around it."""
    (left, top, right, bottom), entry = box, document.structure.entry_of(page)
    width, height = (entry.width, entry.height) if entry else (right, bottom)
    if alone:
        left = width / 2 if left > width / 2 - _MARGIN else 0.0
        right = width / 2 if right < width / 2 + _MARGIN else width
        top, bottom = top - _ABOVE, bottom + _BELOW
    left, top = max(0.0, left - _MARGIN), max(0.0, top - _MARGIN)
    return rounded((left, top, min(width, right + _MARGIN), min(height, bottom + _MARGIN)))
