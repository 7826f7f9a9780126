"""A layout as ``DoclingDocument``, with one provenance entry per physical line.

A line's ``charspan`` is its offsets in the item's text (for tables: in the rows that
``tables.tables.row_of`` writes), so that nothing is lost on the way to ``result``. docling has
no labels for authors and margin notes: they are in groups named ``authors`` and ``margin``.
"""

from typing import Any

from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.origin import DocumentOrigin
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.labels import DocItemLabel, GroupLabel

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import BBox, Line
from citeloom.infrastructure.ingest.conversion.pdf.blocks.table_text import CellText, TableText
from citeloom.infrastructure.ingest.conversion.pdf.layout import DocumentLayout, LaidBlock
from citeloom.infrastructure.ingest.conversion.pdf.segmentation.laid_figures import LaidFigure

AUTHORS_GROUP = "authors"
MARGIN_GROUP = "margin"

_LABELS = {
    BlockLabel.TEXT: DocItemLabel.TEXT,
    BlockLabel.AUTHORS: DocItemLabel.TEXT,
    BlockLabel.CAPTION: DocItemLabel.CAPTION,
    BlockLabel.FOOTNOTE: DocItemLabel.FOOTNOTE,
    BlockLabel.FORMULA: DocItemLabel.FORMULA,
    BlockLabel.REFERENCE: DocItemLabel.REFERENCE,
}


def to_docling(
    layout: DocumentLayout, origin: DocumentOrigin, sizes: dict[int, tuple[float, float]]
) -> DoclingDocument:
    """Build the document. ``sizes`` holds width and height of each page, from 1."""
    doc = DoclingDocument(name=origin.filename.rsplit(".", 1)[0], origin=origin)
    for page, (width, height) in sorted(sizes.items()):
        doc.add_page(page_no=page, size=Size(width=width, height=height))
    _Builder(doc, sizes).build(layout)
    return doc


class _Builder:
    def __init__(self, doc: DoclingDocument, sizes: dict[int, tuple[float, float]]) -> None:
        self._doc = doc
        self._heights = {page: size[1] for page, size in sizes.items()}
        self._authors: Any = None
        self._margin: Any = None
        self._lists: list[Any] = []  # the open list groups, the outermost first
        self._item: Any = None  # the last list item

    def build(self, layout: DocumentLayout) -> None:
        after: dict[int, list[LaidFigure]] = {}
        for figure in layout.figures:
            at = figure.caption if figure.caption is not None else _last_block(figure, layout)
            after.setdefault(at, []).append(figure)
        for figure in after.get(-1, ()):
            self._picture(figure, None)
        for i, block in enumerate(layout.blocks):
            item = self._add(block)
            for figure in after.get(i, ()):
                self._picture(figure, item if figure.caption == i else None)
        for piece in layout.furniture:
            self._doc.add_text(
                label=DocItemLabel.PAGE_HEADER if piece.top else DocItemLabel.PAGE_FOOTER,
                text=piece.text,
                prov=self._prov(piece.page, piece.box, 0, len(piece.text)),
                content_layer=ContentLayer.FURNITURE,
            )

    def _add(self, block: LaidBlock) -> Any:
        text, lines = block.joined.text, block.joined.lines
        prov = self._line(lines[0])
        parent = self._parent(block)
        match block.label:
            case BlockLabel.TITLE:
                item: Any = self._doc.add_title(text=text, prov=prov)
            case BlockLabel.SECTION_HEADER:
                item = self._doc.add_heading(text=text, level=block.level or 1, prov=prov)
            case BlockLabel.LIST_ITEM:
                item = self._doc.add_list_item(text=text, parent=parent, prov=prov)
            case BlockLabel.CODE:
                item = self._doc.add_code(text=text, parent=parent, prov=prov)
            case BlockLabel.TABLE:
                item = self._doc.add_table(data=self._cells(block), parent=parent, prov=prov)
            case other:
                item = self._doc.add_text(label=_LABELS[other], text=text, parent=parent, prov=prov)
        item.prov.extend(self._line(line) for line in lines[1:])
        if block.label == BlockLabel.LIST_ITEM:
            self._item = item
        return item

    def _parent(self, block: LaidBlock) -> Any:
        """The group of a list item or of authors; None for other blocks. A list item deeper
        than the one before begins a list below it. A block between list items becomes a child
        of the item before, since a document is read down its tree."""
        if block.label == BlockLabel.AUTHORS:
            self._authors = self._authors or self._group(AUTHORS_GROUP)
            return self._authors
        self._authors = None
        if block.aside != (self._margin is not None):
            self._lists.clear()
            self._margin = self._group(MARGIN_GROUP) if block.aside else None
        del self._lists[block.depth :]
        if block.label != BlockLabel.LIST_ITEM:
            return self._item if self._lists else self._margin
        if not self._lists or len(self._lists) < block.depth:
            below = self._item if self._lists else self._margin
            self._lists.append(self._doc.add_list_group(name="list", parent=below))
        return self._lists[-1]

    def _group(self, name: str) -> Any:
        return self._doc.add_group(name=name, label=GroupLabel.UNSPECIFIED)

    def _cells(self, block: LaidBlock) -> TableData:
        """A table's cells; without a grid, each line is one cell."""
        table = block.table
        if table is None:
            rows = block.joined.text.split("\n")
            line_cells = tuple(CellText(row, i, 0, 1, 1, False) for i, row in enumerate(rows))
            table = TableText(len(rows), 1, line_cells)
        cells = [
            TableCell(
                text=cell.text,
                row_span=cell.rows,
                col_span=cell.cols,
                start_row_offset_idx=cell.row,
                end_row_offset_idx=cell.row + cell.rows,
                start_col_offset_idx=cell.col,
                end_col_offset_idx=cell.col + cell.cols,
                column_header=cell.header,
            )
            for cell in table.cells
        ]
        return TableData(table_cells=cells, num_rows=table.rows, num_cols=table.cols)

    def _picture(self, figure: LaidFigure, caption: Any) -> None:
        picture = self._doc.add_picture(
            caption=caption, prov=self._prov(figure.page, figure.box, 0, 0)
        )
        if figure.text:
            item = self._doc.add_text(
                label=DocItemLabel.TEXT,
                text=figure.text,
                parent=picture,
                prov=self._line(figure.joined.lines[0]),
            )
            item.prov.extend(self._line(line) for line in figure.joined.lines[1:])

    def _line(self, line: Line) -> ProvenanceItem:
        return self._prov(line.page, line.bbox, line.start, line.end)

    def _prov(self, page: int, box: BBox, start: int, end: int) -> ProvenanceItem:
        height = self._heights[page]
        return ProvenanceItem.model_construct(
            page_no=page,
            bbox=BoundingBox.model_construct(
                l=box[0],
                t=height - box[1],
                r=box[2],
                b=height - box[3],
                coord_origin=CoordOrigin.BOTTOMLEFT,
            ),
            charspan=(start, end),
        )


def _last_block(figure: LaidFigure, layout: DocumentLayout) -> int:
    """The index of the last block on a figure's page or before it; -1 without one."""
    pages = [block.joined.lines[0].page for block in layout.blocks]
    return max((i for i, page in enumerate(pages) if page <= figure.page), default=-1)
