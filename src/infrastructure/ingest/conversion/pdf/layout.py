"""PDF layout: from page records to blocks in reading order, the whole document at once."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.citation.page_numbers import PageNumber, number_pages
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.disputes import disputed_sentences, page_letters
from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.domain.documents.spans import BBox, CharSpan, rounded, union
from citeloom.domain.text.sentences import sentence_spans

from .blocks.block_text import (
    JoinedText,
    TableText,
    compare_pages,
    join_lines,
    page_texts,
    table_text,
)
from .blocks.blocks import BlockDraft, build_blocks
from .blocks.figures import has_background, without_backgrounds, without_logos
from .blocks.joins import join_paragraphs, with_list_depths, with_table_grids, without_masthead
from .blocks.line_ends import Vocabulary
from .front_matter.bibliography import FrontLines, FrontMatter
from .front_matter.title import TitleEvidence, find_title
from .headings.headings import HeadingMark, find_headings, numbered_lines
from .headings.outlines import OutlineEntry, bibliography_lines, contents_lines, match_outline
from .lines.line_flow import Column, merge_dropcaps, place_lines, style_of, weighted_median
from .lines.line_numbers import without_line_numbers
from .lines.running_heads import furniture_rows
from .ocr.ocr_words import TextLayer
from .page_record import PageRecord, centre_inside
from .segmentation import (
    LaidFigure,
    LaidFurniture,
    PageSegments,
    is_set_alike,
    lay_out_figures,
    margin_rows,
    page_runs,
    run_weight,
)
from .tables.tables import TableRegion, table_spans
from .words.characters import UNREADABLE

_MARK = f"{UNREADABLE} "
_MARKS = 0.3  # share of the pieces of a line; a table has fewer
_OF_SENTENCES = frozenset(
    {BlockLabel.TEXT, BlockLabel.LIST_ITEM, BlockLabel.CAPTION, BlockLabel.FOOTNOTE}
)


class LaidBlock(NamedTuple):
    """A block with its text. Boxes of its lines are in points from the top left of the page as
    displayed. ``depth`` is that of a list item (from 1), 0 for a block that ends a list;
    ``aside`` marks margin notes; ``disputed`` sentences are spans of its text."""

    label: BlockLabel
    joined: JoinedText
    level: int | None
    depth: int = 0
    table: TableText | None = None
    aside: bool = False
    disputed: tuple[CharSpan, ...] = ()


class DocumentLayout(NamedTuple):
    """The document: blocks in reading order, figures, furniture (heads, feet, stamps), and printed
    page numbers, with the fidelity of the pages that have an independent reading."""

    blocks: tuple[LaidBlock, ...]
    figures: tuple[LaidFigure, ...]
    furniture: tuple[LaidFurniture, ...]
    outline_ignored: bool
    front_matter: FrontMatter
    numbers: Mapping[int, PageNumber]
    fidelity: tuple[PageFidelity, ...] = ()


def lay_out(
    records: Sequence[PageRecord],
    outline: Sequence[OutlineEntry] = (),
    evidence: TitleEvidence = TitleEvidence(),
) -> DocumentLayout:
    """Lay out a document. ``records`` are its pages in order; ``evidence`` is that for its title
    beside the pages.

    Order: backgrounds, logos and line numbers out, drop caps, lines; page numbers; running heads;
    page segmentation; outline, tables, headings, title, blocks; masthead out; paragraph joins, list
    depths; text. A page whose text then differs from its independent reading is laid out again,
    in plain order, and stays so if that is clearly better. Sentences that the reading of an
    otherwise sound page does not have are marked, as are those of a scan that look misread.
    """
    layer = TextLayer.of(filter(has_background, records))
    records = without_line_numbers(without_logos(without_backgrounds(records)))
    pages = [page_runs(merge_dropcaps(record)) for record in records]
    records = [page.record for page in pages]
    numbers = number_pages(
        [row for page in pages for row in margin_rows(page)],
        max((record.page for record in records), default=0),
        {one.page for one, other in pairwise(records) if is_set_alike(one, other)},
    )
    document_size = weighted_median((r.size, run_weight(r)) for page in pages for r in page.runs)
    furniture_keys = furniture_rows(
        [e for page in pages for e in page.edges],
        len(pages),
        document_size,
        {number.row.key for number in numbers.values() if number.row},
    )
    rows = [[e for e in p.edges if (e.page, e.order, e.top) in furniture_keys] for p in pages]
    segments = {
        page.record.page: PageSegments.of(page, page_rows, document_size)
        for page, page_rows in zip(pages, rows, strict=True)
    }
    assembled = partial(_assembled, records, numbers, outline, evidence)
    layout = assembled(segments)
    failed = {one.page: one for one in layout.fidelity if one.is_uncertain}
    plain = {
        page.record.page: PageSegments.in_plain_order(page, page_rows)
        for page, page_rows in zip(pages, rows, strict=True)
        if page.record.page in failed
    }
    if plain:
        rebuilt = assembled(segments | plain)
        better = {
            one.page: plain[one.page]
            for one in rebuilt.fidelity
            if one.page in failed and one.is_better_than(failed[one.page])
        }
        if len(better) == len(failed):
            layout = rebuilt
        elif better:
            layout = assembled(segments | better)
    return _with_disputes(layout, records, layer)


def _with_disputes(
    layout: DocumentLayout, records: Sequence[PageRecord], layer: TextLayer
) -> DocumentLayout:
    """The layout with the disputed sentences of its prose, of all pages but uncertain ones."""
    uncertain = {one.page for one in layout.fidelity if one.is_uncertain}
    readings = {
        record.page: page_letters((record.plain_text, record.turned_text))
        for record in records
        if record.page not in uncertain
    }
    blocks = tuple(
        block._replace(disputed=tuple(_disputed(block.joined, readings, layer)))
        if block.label in _OF_SENTENCES
        else block
        for block in layout.blocks
    )
    return layout._replace(blocks=blocks)


def _disputed(
    joined: JoinedText, readings: Mapping[int, Sequence[str]], layer: TextLayer
) -> Iterator[CharSpan]:
    text, lines = joined
    sentences = sentence_spans(text)
    if layer.pages.isdisjoint(line.page for line in lines):
        return disputed_sentences(text, sentences, lines, readings)
    disputed = disputed_sentences(text, sentences, lines, readings)
    misread = [(start, end) for start, end in sentences if layer.is_misread(text[start:end])]
    spans = {(one.start, one.end) for one in disputed}.union(misread)
    return (CharSpan(start=start, end=end) for start, end in sorted(spans))


def _assembled(
    records: Sequence[PageRecord],
    numbers: Mapping[int, PageNumber],
    outline: Sequence[OutlineEntry],
    evidence: TitleEvidence,
    segments: Mapping[int, PageSegments],
) -> DocumentLayout:
    parts = [segments[record.page] for record in records]
    columns = [column for part in parts for column in part.columns]
    regions = [region for part in parts for region in part.tables]
    plain = frozenset(page for page, part in segments.items() if part.plain)
    drafts, front, ignored = _drafts(columns, outline, evidence, regions, plain)
    by_page = {record.page: record for record in records}
    drafts, masthead = without_masthead(drafts)
    furniture = [
        LaidFurniture(line.page, by_page[line.page].as_displayed(line.box), line.text, True)
        for line in masthead
    ]
    furniture += (piece for part in parts for piece in part.furniture)
    drafts = with_list_depths(join_paragraphs(drafts))
    vocabulary = Vocabulary.of(line.text for column in columns for line in column.lines)
    blocks = tuple(
        block
        for block in (_laid_block(draft, vocabulary, by_page) for draft in drafts)
        if block.joined.text
    )
    labelled = [(block.label, block.joined) for block in blocks]
    figures = lay_out_figures([figure for part in parts for figure in part.figures], labelled)
    texts = page_texts(
        labelled,
        [(f.page, f.text) for f in figures] + [(f.page, f.text) for f in furniture],
    )
    fidelity = compare_pages(records, texts, plain)
    title = join_lines(front.title, BlockLabel.TITLE, vocabulary).text
    beside_logos = [row for f in figures if f.page == 1 for row in f.text.splitlines()]
    printed = front.with_title(title, beside_logos)
    return DocumentLayout(blocks, figures, tuple(furniture), ignored, printed, numbers, fidelity)


def _drafts(
    columns: Sequence[Column],
    outline: Sequence[OutlineEntry],
    evidence: TitleEvidence,
    regions: Sequence[TableRegion],
    plain: frozenset[int],
) -> tuple[list[BlockDraft], FrontLines, bool]:
    """Blocks, front matter, and whether the outline was ignored. ``plain`` pages have no tables."""
    if not columns:
        return [], FrontLines(), False
    style = style_of(columns)
    flow = place_lines(columns)
    matches, sound = match_outline(outline, flow)
    if not sound:
        matches = []
    references = bibliography_lines(flow, style)
    boxes = [(region.page, region.box) for region in regions]
    not_tables = references | {m.first for m in matches} | numbered_lines(flow, style)
    not_tables |= {i for i, placed in enumerate(flow) if placed.line.page in plain}
    unread = [[not piece.text.strip(_MARK) for piece in placed.line.pieces] for placed in flow]
    not_tables |= {i for i, line in enumerate(unread) if sum(line) > _MARKS * len(line)}
    tables = table_spans(flow, style, not_tables, boxes)
    in_tables = frozenset(i for first, last in tables for i in range(first, last + 1))
    not_heads = in_tables | contents_lines(flow)
    matches = [m for m in matches if m.first not in not_heads]
    first_headings = find_headings(flow, style, matches, not_heads)
    title = find_title(
        flow, style, _lines_of(first_headings), evidence.with_outline(e.title for e in outline)
    )
    skip = not_heads | frozenset(title.title) | frozenset(title.authors)
    words = " ".join(flow[i].line.text for i in title.title)
    marks = find_headings(flow, style, matches, skip, words)
    drafts = build_blocks(flow, style, marks, title, tables)
    front = FrontLines.of(flow, title)
    return with_table_grids(drafts, regions), front, bool(outline) and not sound


def _lines_of(marks: Sequence[HeadingMark]) -> frozenset[int]:
    return frozenset(i for mark in marks for i in range(mark.first, mark.last + 1))


def _laid_block(
    draft: BlockDraft, vocabulary: Vocabulary, pages: dict[int, PageRecord]
) -> LaidBlock:
    table: TableText | None = None
    if draft.grid is not None:
        joined, table = table_text(draft.lines, draft.grid, vocabulary)
    else:
        joined = join_lines(draft.lines, draft.label, vocabulary)
    lines = tuple(
        line._replace(bbox=rounded(_displayed(line.bbox, draft.label, pages[line.page])))
        for line in joined.lines
    )
    text = JoinedText(joined.text, lines)
    return LaidBlock(draft.label, text, draft.level, draft.depth, table, draft.aside)


def _displayed(box: BBox, label: BlockLabel, page: PageRecord) -> BBox:
    """The box of a line as displayed, of a formula with its fractions and limits."""
    if label == BlockLabel.FORMULA:
        box = union([box, *(part for part in page.formulas if centre_inside(part, box))])
    return page.as_displayed(box)
