"""Page segmentation: columns of text, figures, tables, heads and feet of one page."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figure_labels import extend_to_labels
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import figure_boxes, figure_text
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import Column, weighted_median
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine, lines_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.reading_order import reading_order
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_heads import EdgeRow, edge_rows
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    centre_inside,
)
from citeloom.infrastructure.ingest.conversion.pdf.segmentation.laid_figures import (
    BESIDE,
    FigureSegment,
    figure_segments,
    upright_columns,
)
from citeloom.infrastructure.ingest.conversion.pdf.segmentation.plain_columns import plain_columns
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
from citeloom.infrastructure.ingest.conversion.pdf.words.gutters import find_gutters
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun, runs_of

FINE_PRINT = 0.6  # of the document's size: text so small that it is part of a figure
FULL_OF_LABELS = 0.75  # of the document's text: most of such a page is in figures


class LaidFurniture(NamedTuple):
    page: int
    box: BBox
    text: str
    top: bool


class PageRuns(NamedTuple):
    """A page with its runs of words, and the rows at its top and bottom that may be furniture."""

    record: PageRecord
    runs: list[WordRun]
    edges: list[EdgeRow]


class PageSegments(NamedTuple):
    """Segmentation of a page: columns of text, figures with the runs in them, furniture, table
    regions. ``plain``: the columns are lines in the plain order of the words."""

    columns: list[Column]
    figures: list[FigureSegment]
    furniture: list[LaidFurniture]
    tables: list[TableRegion]
    plain: bool = False

    @classmethod
    def in_plain_order(cls, page: PageRuns, rows: Sequence[EdgeRow]) -> "PageSegments":
        """A page without figures and tables; ``rows`` are its heads and feet."""
        furniture = [_furniture(page.record, row) for row in rows]
        furniture += _margin_text(page.record, ())
        columns = plain_columns(page.record, [row.line.box for row in rows])
        return cls(columns, [], furniture, [], plain=True)

    @classmethod
    def of(cls, page: PageRuns, rows: Sequence[EdgeRow], document_size: float) -> "PageSegments":
        """Segment a page; ``rows`` are its heads and feet.

        Order: furniture, figures, table regions, side tables, reading order of the rest.
        ``document_size`` is the usual text size of the document, in points.
        """
        segments = cls([], [], [], [])
        record = page.record
        runs = [r for r in page.runs if not any(_within(r, e.line) for e in rows)]
        page_size = weighted_median((r.size, run_weight(r)) for r in runs) or 8.0
        if page_size < FINE_PRINT * document_size:
            page_size = document_size
        text_size = document_size if page_size < FULL_OF_LABELS * document_size else page_size
        label_parts = [*(word.box for word in record.rotated_words), *record.drawings]
        boxes = extend_to_labels(
            figure_boxes(record, runs, text_size), runs, text_size, label_parts
        )
        segments.furniture.extend(_furniture(record, row) for row in rows)
        segments.furniture.extend(_margin_text(record, boxes))
        runs, inner = figure_text(runs, boxes, text_size)
        segments.figures.extend(figure_segments(record, boxes, inner))
        regions = table_regions(record, runs, boxes)
        region_strokes = [Strokes.within(box, (*record.strokes, *record.rules)) for box in regions]
        segments.tables.extend(
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
                segments._column(record.page, before, group.aside)
                segments._column(record.page, table.runs, False)
                side_tables.remove(table)
            segments._column(record.page, rest, group.aside)
        for table in side_tables:
            segments._column(record.page, table.runs, False)
        return segments

    def _column(self, page: int, runs: Sequence[WordRun], aside: bool) -> None:
        lines = tuple(line for line in lines_of(runs, page) if line.text)
        if lines:
            self.columns.append(Column(page, lines, aside))


def _begins_beside(box: BBox, runs: Sequence[WordRun]) -> bool:
    return any(run.top < box[3] and run.bottom > box[1] for run in runs)


def page_runs(record: PageRecord) -> PageRuns:
    """The runs of a page, none across a column gutter."""
    body = weighted_median((w.size, len(w.text)) for w in record.words) or 8.0
    runs = runs_of(record.words, body, find_gutters(record.words, body))
    height = record.frame[1]
    edge = [r for r in runs if r.bottom < 0.22 * height or r.top > 0.78 * height]
    lines = lines_of(edge, record.page)
    return PageRuns(record, runs, edge_rows(lines, record.page, height))


def _within(run: WordRun, line: TextLine) -> bool:
    return centre_inside(run.box, line.box, 0.5)


def run_weight(run: WordRun) -> int:
    """Number of characters."""
    return sum(len(word.text) for word in run.words)


def _furniture(record: PageRecord, row: EdgeRow) -> LaidFurniture:
    return LaidFurniture(record.page, record.as_displayed(row.line.box), row.line.text, row.top)


def _margin_text(record: PageRecord, figures: Sequence[BBox]) -> list[LaidFurniture]:
    """Text that runs up or down the margins, one entry per column of it.

    Rotated words in or beside a figure are its labels and left out.
    """
    words = [
        word
        for word in record.rotated_words
        if not any(centre_inside(word.box, box, BESIDE) for box in figures)
    ]
    return [
        LaidFurniture(record.page, box, text, False)
        for text, box, _ in upright_columns(words)
        if len(text) >= 3
    ]
