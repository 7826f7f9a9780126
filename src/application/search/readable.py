"""Hits with what the stored conversions of their documents know: the structure of their text, and
pictures of figures, tables and formulas."""

import re
from collections.abc import Sequence
from typing import Final

from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.documents.conversion import BlockLabel, ConversionResult, PageEntry
from citeloom.domain.documents.fidelity import PDF
from citeloom.domain.documents.spans import BBox, ChunkKind, rounded, union
from citeloom.domain.errors import StorageFailed
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.uris import document_uri, figure_uri
from citeloom.domain.search.hits import PaperHits, hits_by_paper, key_sentence
from citeloom.domain.search.request import HitPicture, QueryResult, QueryResultItem

# How captions and formulas begin, or what they have in them.
_DRAWN: Final = re.compile(
    r"\W*(?:fig|tab|abb|рис|图|圖|図|表|scheme|plate|chart|listing|algorithm)[\w.]*\s*\w?\d"
    r"|(?s:.*)[=≤≥≈∼∝∈▯]",
    re.IGNORECASE,
)
# What has a picture, and what stands beside it: below a caption, else above it; above others, else
# below.
_BESIDE: Final = {
    BlockLabel.CAPTION: (BlockLabel.TABLE, BlockLabel.FIGURE_TEXT),
    BlockLabel.TABLE: (BlockLabel.CAPTION,),
    BlockLabel.FIGURE_TEXT: (BlockLabel.CAPTION,),
    BlockLabel.FORMULA: (),
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
        if not _may_have_picture(item):
            return None
        document = self._conversion(item.document_id, [item])
        return _picture(item, document, project_id) if document else None

    def _conversion(self, id: str, items: Sequence[QueryResultItem]) -> ConversionResult | None:
        try:
            document = self._bundles.load(id)
        except StorageFailed:  # validate tells of it; the index holds what is to be shown
            return None
        if document is None or not all(_is_in(item, document) for item in items):
            return None
        return document


def _is_in(item: QueryResultItem, document: ConversionResult) -> bool:
    start, end = item.char_span
    near = all(document.plain_text[slice(*one.char_span)].startswith(one.text)
               for one in item.context)  # fmt: skip
    return near and document.plain_text[start:end].startswith(item.text)


def _may_have_picture(item: QueryResultItem) -> bool:
    """Whether the words of a hit can be those of a figure, table or formula on a page."""
    if item.page_span is None or item.kind in (ChunkKind.REFERENCE, ChunkKind.ANNOTATION):
        return False
    return item.kind is not ChunkKind.TEXT or bool(_DRAWN.match(key_sentence(item)))


def _picture(
    item: QueryResultItem, document: ConversionResult, project_id: ProjectId
) -> HitPicture | None:
    start, end = item.char_span
    words, blocks = key_sentence(item), document.blocks
    if words and (at := document.plain_text.find(words, start, end)) >= 0:
        start, end = at, at + len(words)
    last = max((n for n, one in enumerate(blocks) if start < one.span.end and one.span.start < end))
    label, lines = blocks[last].label, blocks[last].lines
    if document.mime_type != PDF or not lines or label not in _BESIDE:
        return None
    page = next((line.page for line in lines if line.end > start), lines[0].page)
    entry, uri = document.structure.entry_of(page), document_uri(project_id, item.document_id)
    caption = document.text_of(blocks[last].span) if label is BlockLabel.CAPTION else item.header
    for number, figure in enumerate(document.figures, start=1):
        if caption and figure.page == page and (figure.caption or "").split() == caption.split():
            box = _on_page(entry, figure.bbox)
            return HitPicture(page=page, bbox=box, uri=figure_uri(uri, number))
    after, before = blocks[last + 1 : last + 2], blocks[max(0, last - 1) : last]
    near = (*after, *before) if label is BlockLabel.CAPTION else (*before, *after)
    beside = [one for one in near if one.label in _BESIDE[label]][:1]
    parts = [ln.bbox for one in (blocks[last], *beside) for ln in one.lines if ln.page == page]
    box = _on_page(entry, union(parts), alone=label is BlockLabel.CAPTION and not beside)
    return HitPicture(page=page, bbox=box, uri=f"{uri}/page/{page}.png")


def _on_page(entry: PageEntry | None, box: BBox, *, alone: bool = False) -> BBox:
    """The box with a margin; of a caption ``alone`` what is above and below it, in its column or
    over the whole width."""
    left, top, right, bottom = box
    width, height = (entry.width, entry.height) if entry else (right, bottom)
    if alone:
        left = width / 2 if left > width / 2 - _MARGIN else 0.0
        right = width / 2 if right < width / 2 + _MARGIN else width
        top, bottom = top - _ABOVE, bottom + _BELOW
    left, top = max(0.0, left - _MARGIN), max(0.0, top - _MARGIN)
    return rounded((left, top, min(width, right + _MARGIN), min(height, bottom + _MARGIN)))
