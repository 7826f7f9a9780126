"""PDF layout: from page records to blocks in reading order, the whole document at once."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import (
    JoinedText,
    Vocabulary,
    join_lines,
)
from citeloom.infrastructure.ingest.conversion.pdf.blocks.blocks import BlockDraft, build_blocks
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figure_labels import extend_to_labels
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import (
    figure_boxes,
    figure_text,
    without_logos,
)
from citeloom.infrastructure.ingest.conversion.pdf.blocks.lists import with_list_depths
from citeloom.infrastructure.ingest.conversion.pdf.blocks.masthead import without_masthead
from citeloom.infrastructure.ingest.conversion.pdf.blocks.paragraph_joins import join_paragraphs
from citeloom.infrastructure.ingest.conversion.pdf.blocks.table_blocks import with_table_grids
from citeloom.infrastructure.ingest.conversion.pdf.blocks.table_text import TableText, table_text
from citeloom.infrastructure.ingest.conversion.pdf.headings.contents_and_references import (
    bibliography_lines,
    contents_lines,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.headings import (
    HeadingMark,
    find_headings,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import (
    OutlineEntry,
    match_outline,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.title import find_title
from citeloom.infrastructure.ingest.conversion.pdf.lines.dropcaps import merge_dropcaps
from citeloom.infrastructure.ingest.conversion.pdf.lines.gutters import find_gutters
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import (
    Column,
    place_lines,
    style_of,
    weighted_median,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import (
    TextLine,
    WordRun,
    lines_of,
    runs_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.reading_order import reading_order
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_heads import (
    EdgeRow,
    edge_rows,
    furniture_rows,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Strokes
from citeloom.infrastructure.ingest.conversion.pdf.tables.side_tables import (
    lift_side_tables,
    split_below,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.table_regions import (
    TableRegion,
    bundle_regions,
    split_at_rules,
    table_regions,
    unbundle,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import table_spans
from citeloom.infrastructure.ingest.conversion.pdf.words.word_heights import normalise_heights

FINE_PRINT = 0.6  # of the document's size: text so small that it is part of a figure
FULL_OF_LABELS = 0.75  # of the document's text: most of such a page is in figures


class LaidBlock(NamedTuple):
    """A block with its text. Boxes of its lines are in points from the top left of the page as
    displayed. ``depth`` is that of a list item (from 1), 0 for a block that ends a list;
    ``aside`` marks margin notes."""

    label: BlockLabel
    joined: JoinedText
    level: int | None
    depth: int = 0
    table: TableText | None = None
    aside: bool = False


class LaidFigure(NamedTuple):
    page: int
    box: BBox
    text: str
    caption: int | None  # index of its caption among the blocks


class LaidFurniture(NamedTuple):
    page: int
    box: BBox
    text: str
    top: bool


class DocumentLayout(NamedTuple):
    """The document: blocks in reading order, figures, and furniture (heads, feet, stamps)."""

    blocks: tuple[LaidBlock, ...]
    figures: tuple[LaidFigure, ...]
    furniture: tuple[LaidFurniture, ...]
    outline_ignored: bool


class _Page(NamedTuple):
    record: PageRecord
    runs: list[WordRun]
    edges: list[EdgeRow]


class _Segments(NamedTuple):
    """Page segmentation of the document: columns of text, figures with the runs in them,
    furniture, table regions."""

    columns: list[Column]
    figures: list[tuple[PageRecord, BBox, list[WordRun]]]
    furniture: list[LaidFurniture]
    tables: list[TableRegion]

    def add(self, page: _Page, rows: Sequence[EdgeRow], document_size: float) -> None:
        """Segment a page; ``rows`` are its heads and feet.

        Order: furniture, figures, table regions, side tables, reading order of the rest.
        ``document_size`` is the usual text size of the document, in points.
        """
        record = page.record
        runs = [r for r in page.runs if not any(_within(r, e.line) for e in rows)]
        page_size = weighted_median((r.size, _weight(r)) for r in runs) or 8.0
        if page_size < FINE_PRINT * document_size:
            page_size = document_size
        text_size = document_size if page_size < FULL_OF_LABELS * document_size else page_size
        label_parts = [*(word.box for word in record.rotated_words), *record.drawings]
        boxes = extend_to_labels(
            figure_boxes(record, runs, text_size), runs, text_size, label_parts
        )
        self.furniture.extend(_furniture(record, row) for row in rows)
        self.furniture.extend(_margin_text(record, boxes))
        runs, inner = figure_text(runs, boxes)
        for box in boxes:
            inside = [r for r in inner if centre_inside(r.box, box, 3.0)]
            self.figures.append((record, box, inside))
        regions = table_regions(record, runs, boxes)
        region_strokes = [Strokes.within(box, (*record.strokes, *record.rules)) for box in regions]
        self.tables.extend(
            TableRegion(record.page, box, strokes)
            for box, strokes in zip(regions, region_strokes, strict=True)
        )
        runs = split_at_rules(runs, region_strokes)
        runs, side_tables = lift_side_tables(runs, regions)
        bundles, members = bundle_regions(runs, regions)
        for group in reading_order(bundles, page_size, record.rules):
            rest = unbundle(group.runs, members)
            for table in [w for w in side_tables if _begins_beside(w.box, rest)]:
                before, rest = split_below(rest, table.box[3])
                self._column(record.page, before, group.aside)
                self._column(record.page, table.runs, False)
                side_tables.remove(table)
            self._column(record.page, rest, group.aside)
        for table in side_tables:
            self._column(record.page, table.runs, False)

    def _column(self, page: int, runs: Sequence[WordRun], aside: bool) -> None:
        lines = tuple(line for line in lines_of(runs, page) if line.text)
        if lines:
            self.columns.append(Column(page, lines, aside))


def _begins_beside(box: BBox, runs: Sequence[WordRun]) -> bool:
    return any(run.top < box[3] and run.bottom > box[1] for run in runs)


def lay_out(
    records: Sequence[PageRecord],
    outline: Sequence[OutlineEntry] = (),
    metadata_title: str | None = None,
) -> DocumentLayout:
    """Lay out a document. ``records`` are its pages in order.

    Order: word heights, logos out, drop caps, lines; running heads; page segmentation; outline,
    tables, headings, title, blocks; masthead out; paragraph joins, list depths; text.
    """
    pages = [_page(merge_dropcaps(r)) for r in without_logos(normalise_heights(records))]
    document_size = weighted_median((r.size, _weight(r)) for page in pages for r in page.runs)
    furniture_keys = furniture_rows(
        [e for page in pages for e in page.edges], len(pages), document_size
    )
    segments = _Segments([], [], [], [])
    for page in pages:
        segments.add(
            page,
            [e for e in page.edges if (e.page, e.order, e.top) in furniture_keys],
            document_size,
        )
    drafts, ignored = _drafts(segments.columns, outline, metadata_title, segments.tables)
    by_page = {page.record.page: page.record for page in pages}
    drafts, masthead = without_masthead(drafts)
    furniture = [
        LaidFurniture(line.page, by_page[line.page].as_displayed(line.box), line.text, True)
        for line in masthead
    ]
    furniture += segments.furniture
    drafts = with_list_depths(join_paragraphs(drafts))
    vocabulary = Vocabulary.of(line.text for column in segments.columns for line in column.lines)
    blocks = tuple(
        block
        for block in (_laid_block(draft, vocabulary, by_page) for draft in drafts)
        if block.joined.text
    )
    figures = _with_captions(segments.figures, blocks)
    return DocumentLayout(blocks, figures, tuple(furniture), ignored)


def _drafts(
    columns: Sequence[Column],
    outline: Sequence[OutlineEntry],
    metadata_title: str | None,
    regions: Sequence[TableRegion],
) -> tuple[list[BlockDraft], bool]:
    if not columns:
        return [], False
    style = style_of(columns)
    flow = place_lines(columns)
    matches, sound = match_outline(outline, flow)
    if not sound:
        matches = []
    references = bibliography_lines(flow, style)
    boxes = [(region.page, region.box) for region in regions]
    tables = table_spans(flow, style, references | {m.first for m in matches}, boxes)
    in_tables = frozenset(i for first, last in tables for i in range(first, last + 1))
    not_heads = in_tables | contents_lines(flow)
    matches = [m for m in matches if m.first not in not_heads]
    first_headings = find_headings(flow, style, matches, not_heads)
    title = find_title(flow, style, _lines_of(first_headings), metadata_title)
    skip = not_heads | frozenset(title.title) | frozenset(title.authors)
    marks = find_headings(flow, style, matches, skip)
    drafts = build_blocks(flow, style, marks, title, tables)
    return with_table_grids(drafts, regions), bool(outline) and not sound


def _lines_of(marks: Sequence[HeadingMark]) -> frozenset[int]:
    return frozenset(i for mark in marks for i in range(mark.first, mark.last + 1))


def _page(record: PageRecord) -> _Page:
    body = weighted_median((w.size, len(w.text)) for w in record.words) or 8.0
    runs = runs_of(record.words, body, find_gutters(record.words, body))
    height = record.frame[1]
    edge = [r for r in runs if r.bottom < 0.22 * height or r.top > 0.78 * height]
    rows = lines_of(edge, record.page)
    return _Page(record, runs, edge_rows(rows, record.page, height))


def _within(run: WordRun, line: TextLine) -> bool:
    return centre_inside(run.box, line.box, 0.5)


def _weight(run: WordRun) -> int:
    return sum(len(word.text) for word in run.words)


def _furniture(record: PageRecord, row: EdgeRow) -> LaidFurniture:
    return LaidFurniture(record.page, record.as_displayed(row.line.box), row.line.text, row.top)


def _margin_text(record: PageRecord, figures: Sequence[BBox]) -> list[LaidFurniture]:
    """Text that runs up or down the margins, one entry per column of it.

    Rotated words in or beside a figure are its labels and left out.
    """
    columns: dict[int, list[Word]] = {}
    for word in record.rotated_words:
        if not any(centre_inside(word.box, box, 12.0) for box in figures):
            columns.setdefault(round(word.x0 / 6), []).append(word)
    furniture = []
    for _, words in sorted(columns.items()):
        words.sort(key=lambda w: -w.top)
        text = " ".join(word.text for word in words)
        if len(text) >= 3:
            furniture.append(LaidFurniture(record.page, union([w.box for w in words]), text, False))
    return furniture


def _laid_block(
    draft: BlockDraft, vocabulary: Vocabulary, pages: dict[int, PageRecord]
) -> LaidBlock:
    table: TableText | None = None
    if draft.grid is not None:
        joined, table = table_text(draft.lines, draft.grid, vocabulary)
    else:
        joined = join_lines(draft.lines, draft.label, vocabulary)
    lines = tuple(
        line._replace(bbox=_rounded(pages[line.page].as_displayed(line.bbox)))
        for line in joined.lines
    )
    text = JoinedText(joined.text, lines)
    return LaidBlock(draft.label, text, draft.level, draft.depth, table, draft.aside)


def _rounded(box: BBox) -> BBox:
    return (round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))


def _with_captions(
    figures: Sequence[tuple[PageRecord, BBox, list[WordRun]]], blocks: Sequence[LaidBlock]
) -> tuple[LaidFigure, ...]:
    """Figures with their captions; parts that share a caption are merged."""
    captions: dict[int, list[int]] = {}
    for i, b in enumerate(blocks):
        if b.label == BlockLabel.CAPTION and not b.joined.text.lower().startswith("tab"):
            captions.setdefault(b.joined.lines[0].page, []).append(i)
    laid: list[LaidFigure] = []
    by_caption: dict[int, int] = {}
    for record, box, runs in figures:
        displayed = _rounded(record.as_displayed(box))
        text = "\n".join(line.text for line in lines_of(runs, record.page))
        caption = _nearest_caption(displayed, blocks, captions.get(record.page, ()))
        if caption is not None and caption in by_caption:
            part = laid[by_caption[caption]]
            laid[by_caption[caption]] = part._replace(
                box=union([part.box, displayed]), text=f"{part.text}\n{text}".strip()
            )
            continue
        if caption is not None:
            by_caption[caption] = len(laid)
        laid.append(LaidFigure(record.page, displayed, text, caption))
    return tuple(laid)


def _nearest_caption(box: BBox, blocks: Sequence[LaidBlock], captions: Sequence[int]) -> int | None:
    best: tuple[float, int] | None = None
    for i in captions:
        line = blocks[i].joined.lines[0]
        if min(line.bbox[2], box[2]) <= max(line.bbox[0], box[0]):
            continue
        last = blocks[i].joined.lines[-1]
        distance = max(line.bbox[1] - box[3], box[1] - last.bbox[3])
        if -20 < distance < 60 and (best is None or distance < best[0]):
            best = (distance, i)
    return best[1] if best else None
