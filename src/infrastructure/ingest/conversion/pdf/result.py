"""``ConversionResult`` parts from a ``DoclingDocument``: text, blocks, page map, figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import GroupItem, ListGroup
from docling_core.types.doc.items.picture.picture import PictureItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.text import ListItem, SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import Block, BlockLabel, Figure, Furniture, PageEntry
from citeloom.domain.documents.spans import BBox, CharSpan, Line
from citeloom.infrastructure.ingest.conversion.pdf.docling_document import (
    AUTHORS_GROUP,
    MARGIN_GROUP,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import row_of

BETWEEN_BLOCKS = "\n\n"
NESTED = "  "  # indent of a list item for each list around its own


class Body(NamedTuple):
    """The document's text and the blocks in it."""

    text: str
    blocks: tuple[Block, ...]


def body_of(doc: DoclingDocument) -> Body:
    """Blocks joined by an empty line; offsets of blocks and lines into the joined text.

    Items of nested lists are indented; the indent is part of no block. The text in a picture
    follows its caption.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    body = {ContentLayer.BODY}
    for item, _ in doc.iterate_items(traverse_pictures=True, included_content_layers=body):
        text = _text_of(item)
        if not text:
            continue
        indent = NESTED * _nesting(item, doc)
        at += len(indent)
        lines = tuple(_lines(item, at, len(text), doc))
        level = item.level if isinstance(item, SectionHeaderItem) else None
        groups = set(_groups(item, doc))
        label = BlockLabel.AUTHORS if AUTHORS_GROUP in groups else _label(item)
        if _is_in_picture(item, doc):
            label, level = BlockLabel.FIGURE_TEXT, None
        span = CharSpan(start=at, end=at + len(text))
        aside = MARGIN_GROUP in groups
        blocks.append(Block(label=label, span=span, level=level, lines=lines, aside=aside))
        parts.append(indent + text)
        at += len(text) + len(BETWEEN_BLOCKS)
    return Body(BETWEEN_BLOCKS.join(parts), tuple(blocks))


def _nesting(item: Any, doc: DoclingDocument) -> int:
    """How many other list items a list item is nested in."""
    depth = 0
    while item.parent is not None and isinstance(item, ListItem | ListGroup):
        item = item.parent.resolve(doc)
        depth += isinstance(item, ListItem)
    return depth


def _groups(item: Any, doc: DoclingDocument) -> Iterator[str]:
    """Names of the groups around an item, the innermost first."""
    while item.parent is not None:
        item = item.parent.resolve(doc)
        if isinstance(item, GroupItem):
            yield item.name


def _is_in_picture(item: Any, doc: DoclingDocument) -> bool:
    """Whether an item is drawn in a picture; captions are not."""
    while item.parent is not None:
        reference, item = item.self_ref, item.parent.resolve(doc)
        if isinstance(item, PictureItem):
            return all(caption.cref != reference for caption in item.captions)
    return False


def _label(item: Any) -> BlockLabel:
    """docling's label; labels of its models that CiteLoom lacks become TEXT."""
    try:
        return BlockLabel(item.label.value)
    except ValueError:
        return BlockLabel.TEXT


def _text_of(item: Any) -> str:
    if isinstance(item, TableItem):
        return _rows_of(item.data)
    return item.text if isinstance(item, TextItem) else ""


def _rows_of(data: Any) -> str:
    """One line a row. A spanning cell is written in its first place only. A table of one column
    is one without a grid: its lines stay as they are."""
    rows: dict[int, list[str]] = {}
    for cell in data.table_cells:
        row = rows.setdefault(cell.start_row_offset_idx, [""] * data.num_cols)
        row[cell.start_col_offset_idx] = cell.text
    if data.num_cols == 1:
        return "\n".join(row[0] for _, row in sorted(rows.items()))
    return "\n".join(row_of(row) for _, row in sorted(rows.items()) if any(row))


def _lines(item: Any, offset: int, size: int, doc: DoclingDocument) -> Iterator[Line]:
    for prov, (start, end) in zip(item.prov, _spans(item.prov, size), strict=True):
        yield Line(offset + start, offset + end, prov.page_no, _box(prov, doc))


def _spans(provs: Sequence[Any], size: int) -> list[tuple[int, int]]:
    """Character span of each provenance entry.

    CiteLoom's layout sets them. docling's models give none to tables, and outdated ones to
    text that they changed: there the text is divided in proportion to the areas.
    """
    spans = [(prov.charspan[0], prov.charspan[1]) for prov in provs]
    ends = [0, *(end for _, end in spans)]
    if all(ends[i] <= start < end <= size for i, (start, end) in enumerate(spans)):
        return spans
    areas = [max(1.0, prov.bbox.area()) for prov in provs]
    cuts = [round(size * sum(areas[:i]) / sum(areas)) for i in range(len(areas) + 1)]
    return list(pairwise(cuts))


def _box(prov: Any, doc: DoclingDocument) -> BBox:
    box = prov.bbox.to_top_left_origin(page_height=doc.pages[prov.page_no].size.height)
    return (round(box.l, 2), round(box.t, 2), round(box.r, 2), round(box.b, 2))


def furniture_of(doc: DoclingDocument) -> tuple[Furniture, ...]:
    """Running heads and feet, page by page."""
    furniture = [
        Furniture(page=item.prov[0].page_no, text=item.text, bbox=_box(item.prov[0], doc))
        for item, _ in doc.iterate_items(included_content_layers={ContentLayer.FURNITURE})
        if isinstance(item, TextItem) and item.prov
    ]
    return tuple(sorted(furniture, key=lambda f: (f.page, f.bbox[1], f.bbox[0])))


def figures_of(doc: DoclingDocument) -> tuple[Figure, ...]:
    """Pictures with their captions, page by page."""
    figures = [
        Figure(
            page=picture.prov[0].page_no,
            bbox=_box(picture.prov[0], doc),
            caption=picture.caption_text(doc) or None,
        )
        for picture in doc.pictures
        if isinstance(picture, PictureItem) and picture.prov
    ]
    return tuple(sorted(figures, key=lambda f: (f.page, f.bbox[1], f.bbox[0])))


def title_of(doc: DoclingDocument) -> str | None:
    return next((t.text for t in doc.texts if t.label == DocItemLabel.TITLE and t.text), None)


def page_map(
    blocks: Iterable[Block],
    sizes: Mapping[int, tuple[float, float]],
    labels: Mapping[int, tuple[str, Any]],
) -> tuple[PageEntry, ...]:
    """An entry for every page (from 1), with the slices of the text on it."""
    spans: dict[int, list[CharSpan]] = {page: [] for page in sizes}
    for block in blocks:
        for page, start, end in _runs(block.lines):
            spans.setdefault(page, []).append(CharSpan(start=start, end=end))
    entries = []
    for page in sorted(spans):
        width, height = sizes.get(page, (0.0, 0.0))
        label, source = labels.get(page, (None, None))
        entries.append(
            PageEntry(
                page=page,
                label=label,
                label_source=source,
                width=width,
                height=height,
                spans=tuple(spans[page]),
            )
        )
    return tuple(entries)


def _runs(lines: Iterable[Line]) -> list[tuple[int, int, int]]:
    """Page, start and end of each run of lines on one page."""
    runs: list[tuple[int, int, int]] = []
    for line in lines:
        if runs and runs[-1][0] == line.page:
            runs[-1] = (line.page, runs[-1][1], line.end)
        else:
            runs.append((line.page, line.start, line.end))
    return runs
