"""A ``DoclingDocument`` as pieces in reading order, in worker processes only.

Spaces between the runs of a paragraph, as in the source file, and super- and subscripts in the
notation of ``domain.text.scripts``. docling splits a paragraph at each change of style or link and
strips the runs, so that ``10``, ``6`` may have been ``10⁶`` or ``10 6``. Here the runs are located
in the source without its white space; where the source has white space between two runs, they are
joined with a space.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.reference import RefItem
from docling_core.types.doc.document import DoclingDocument, Script
from docling_core.types.doc.items.code import CodeItem
from docling_core.types.doc.items.group import GroupItem, InlineGroup
from docling_core.types.doc.items.node import DocItem, NodeItem
from docling_core.types.doc.items.picture.picture import PictureItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.table.table_data import RichTableCell, TableData
from docling_core.types.doc.items.text import FormulaItem, ListItem, SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel, GroupLabel

from citeloom.domain.documents.conversion import BlockLabel, Figure
from citeloom.domain.documents.spans import BBox
from citeloom.domain.text.scripts import lowered, raised
from citeloom.infrastructure.ingest.conversion.format_table import Format, PageKind

from .assembly import BlockPiece, Page, PrintedPlace, clean
from .formulas import displayed_text

# How much of a run is compared when the whole paragraph is not found (a formula in it).
_CONTEXT = 24

_NO_SPACE_BEFORE = ".,;:!?)]}’”»%'\""
_NO_SPACE_AFTER = "([{‘“«"


class Run(NamedTuple):
    """A run of a paragraph, and whether it is a super- or a subscript."""

    text: str
    script: Script | None = None

    def written(self, before: str, following: Sequence["Run"]) -> str:
        """The text of a run in its paragraph, after ``before`` and before ``following``."""
        after = "".join(
            run.text for run in following if run.script not in (Script.SUPER, Script.SUB)
        )
        if self.script is Script.SUPER:
            return raised(self.text, before[-24:], after)
        return lowered(self.text, before, after) if self.script is Script.SUB else self.text


class Spacing:
    """Joins the runs of one document's paragraphs; ``source`` is the document's raw text.

    ``markup`` are characters of the source that are not text (``*`` and ``_`` of Markdown).
    """

    def __init__(self, source: str, markup: str = "") -> None:
        self._drop = re.compile(rf"[\s\u200b{re.escape(markup)}]+" if markup else r"[\s\u200b]+")
        parts: list[str] = []
        self._gaps: set[int] = set()
        size = end = 0
        for match in self._drop.finditer(source):
            parts.append(source[end : match.start()])
            size += match.start() - end
            end = match.end()
            if any(char.isspace() for char in match.group()):
                self._gaps.add(size)
        parts.append(source[end:])
        self._squeezed = "".join(parts)
        self._cursor = 0

    def join(self, runs: Sequence[Run]) -> str:
        """The paragraph made of ``runs``."""
        runs = [run for run in runs if run.text]
        if not runs:
            return ""
        keys = [self._drop.sub("", run.text) for run in runs]
        at = self._find("".join(keys))
        text = runs[0].written("", runs[1:2])
        for index in range(1, len(runs)):
            before, after = runs[index - 1].text, runs[index].text
            if at is not None:
                gap = at + sum(len(key) for key in keys[:index]) in self._gaps
            else:
                gap = self._gap_between(keys[index - 1], keys[index], before, after)
            if gap and not text[-1:].isspace() and not after[:1].isspace():
                text += " "
            text += runs[index].written(text, runs[index + 1 : index + 2])
        return text

    def _find(self, key: str) -> int | None:
        at = self._squeezed.find(key, self._cursor)
        if at < 0:
            at = self._squeezed.find(key)
        if at < 0 or not key:
            return None
        self._cursor = at + len(key)
        return at

    def _gap_between(self, key: str, next_key: str, before: str, after: str) -> bool:
        tail, head = key[-_CONTEXT:], next_key[:_CONTEXT]
        if len(tail) + len(head) > 6 and (at := self._find(tail + head)) is not None:
            return at + len(tail) in self._gaps
        return not (before[-1:] in _NO_SPACE_AFTER or after[:1] in _NO_SPACE_BEFORE)


# A slide is measured in English Metric Units: 914,400 an inch, 72 points an inch.
_EMU = 12_700.0
# A sheet has no paper: a cell counts 48 × 15 points, the size of an untouched one in Excel.
_CELL = (48.0, 15.0)

_LABELS: dict[str, BlockLabel] = {
    DocItemLabel.CAPTION: BlockLabel.CAPTION,
    DocItemLabel.FOOTNOTE: BlockLabel.FOOTNOTE,
    DocItemLabel.FORMULA: BlockLabel.FORMULA,
    DocItemLabel.LIST_ITEM: BlockLabel.LIST_ITEM,
    DocItemLabel.CODE: BlockLabel.CODE,
    DocItemLabel.REFERENCE: BlockLabel.REFERENCE,
    DocItemLabel.TITLE: BlockLabel.TITLE,
    DocItemLabel.SECTION_HEADER: BlockLabel.SECTION_HEADER,
    DocItemLabel.FIELD_HEADING: BlockLabel.SECTION_HEADER,
}


class DoclingFlow:
    """Walks one document once, which fills ``figures`` and ``hidden``."""

    def __init__(self, document: DoclingDocument, format_: Format, spacing: Spacing) -> None:
        self._document = document
        self._format = format_
        self._spacing = spacing
        self._attached = _attached_refs(document)
        self.figures: list[Figure] = []
        self.hidden: list[str] = []
        """Names of sheets and slides that the author has hidden; their text is left out."""

    def pieces(self) -> Iterator[BlockPiece]:
        """The pieces of the body."""
        yield from self._children(self._document.body)

    def pages(self) -> tuple[Page, ...]:
        names = [
            group.name.removeprefix("sheet: ")
            for group in self._document.groups
            if self._is_sheet(group)
        ]
        if self._format.pages is not PageKind.SHEET:
            names = []
        pages = []
        for number, page in sorted(self._document.pages.items()):
            _, _, width, height = self._points((0.0, 0.0, page.size.width, page.size.height))
            label = names[number - 1] if number <= len(names) else None
            pages.append(Page(number, width, height, label))
        return tuple(pages)

    def _children(self, node: NodeItem, inline_ref: str | None = None) -> Iterator[BlockPiece]:
        """The pieces below ``node``, without attached captions and notes, and ``inline_ref``."""
        for ref in node.children:
            if ref.cref not in self._attached and ref.cref != inline_ref:
                child = ref.resolve(self._document)
                if isinstance(child, NodeItem):
                    yield from self._node(child)

    def _node(self, node: NodeItem) -> Iterator[BlockPiece]:
        if not self._is_included(node):
            return
        if isinstance(node, TableItem):
            yield from self._table(node)
        elif isinstance(node, PictureItem):
            yield from self._picture(node)
        elif isinstance(node, InlineGroup):
            yield from self._paragraph(node)
        elif isinstance(node, TextItem):
            yield from self._text(node)
        else:
            if isinstance(node, GroupItem) and self._is_sheet(node):
                name = node.name.removeprefix("sheet: ")
                yield BlockPiece(BlockLabel.SECTION_HEADER, name, 1, self._sheet_top(node))
            yield from self._children(node)

    def _is_included(self, node: NodeItem) -> bool:
        if isinstance(node, GroupItem) and node.label is GroupLabel.COMMENT_SECTION:
            return False
        if node.content_layer is ContentLayer.INVISIBLE:
            if isinstance(node, GroupItem) and node.label is not GroupLabel.LIST:
                self.hidden.append(node.name.removeprefix("sheet: "))
            return False
        if node.content_layer is ContentLayer.NOTES:
            return self._format.pages is PageKind.SLIDE
        if node.content_layer is ContentLayer.BODY:
            return True
        return isinstance(node, DocItem) and node.label is DocItemLabel.FOOTNOTE

    def _text(self, item: TextItem) -> Iterator[BlockPiece]:
        text, inline_ref = self._item_text(item)
        if isinstance(item, CodeItem):
            yield from self._captions(item.captions)
        if isinstance(item, ListItem) and item.enumerated and text:
            text = f"{item.marker or self._number(item)} {text}"
        label = _LABELS.get(item.label, BlockLabel.TEXT)
        level = item.level if isinstance(item, SectionHeaderItem) else None
        if label is BlockLabel.SECTION_HEADER and level is None:
            level = 1
        yield BlockPiece(label, text, level, self._places(item))
        yield from self._children(item, inline_ref=inline_ref)

    def _number(self, item: ListItem) -> str:
        """The marker that a browser shows for an item of a numbered list without its own."""
        parent = item.parent.resolve(self._document) if item.parent is not None else item
        refs = [ref.cref for ref in parent.children]
        return f"{refs.index(item.self_ref) + 1}." if item.self_ref in refs else ""

    def _item_text(self, item: TextItem) -> tuple[str, str | None]:
        """The item's text, and the ref of the inline group below that holds it, if any."""
        if not item.text.strip() and item.children:
            first = item.children[0].resolve(self._document)
            if isinstance(first, InlineGroup):
                return self._inline(first), first.self_ref
        if isinstance(item, FormulaItem):
            return displayed_text(item.text), None
        return item.text, None

    def _paragraph(self, group: InlineGroup) -> Iterator[BlockPiece]:
        runs = [ref.resolve(self._document) for ref in group.children]
        only_code = bool(runs) and all(isinstance(run, CodeItem) for run in runs)
        label = BlockLabel.CODE if only_code and len(runs) == 1 else BlockLabel.TEXT
        places = next((self._places(run) for run in runs if isinstance(run, DocItem)), ())
        yield BlockPiece(label, self._inline(group), places=places)
        for run in runs:
            if isinstance(run, PictureItem | TableItem):
                yield from self._node(run)

    def _inline(self, group: NodeItem) -> str:
        runs: list[Run] = []
        for ref in group.children:
            run = ref.resolve(self._document)
            if isinstance(run, TextItem):
                script = run.formatting.script if run.formatting is not None else None
                runs.append(Run(self._item_text(run)[0], script))
            elif isinstance(run, GroupItem):
                runs.append(Run(self._inline(run)))
        return self._spacing.join(runs)

    def _table(self, table: TableItem) -> Iterator[BlockPiece]:
        yield from self._captions(table.captions)
        yield BlockPiece(BlockLabel.TABLE, self._rows(table.data), places=self._places(table))
        for ref in table.footnotes:
            note = ref.resolve(self._document)
            if isinstance(note, TextItem):
                text, _ = self._item_text(note)
                yield BlockPiece(BlockLabel.FOOTNOTE, text, places=self._places(note))

    def _rows(self, data: TableData) -> str:
        """One line a row; a spanning cell is repeated in each row and column.

        Rows and columns without text are left out.
        """
        grid = [[" ".join(self._cell(cell).split()) for cell in row] for row in data.grid]
        filled = [index for index, column in enumerate(zip(*grid, strict=True)) if any(column)]
        rows = [[row[index] for index in filled] for row in grid if any(row)]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def _cell(self, cell: object) -> str:
        if isinstance(cell, RichTableCell):
            content = cell.ref.resolve(self._document)
            if isinstance(content, NodeItem):
                inside = " ".join(clean(piece.text) for piece in self._node(content))
                if inside.strip():
                    return inside
        text = getattr(cell, "text", "")
        return text if isinstance(text, str) else ""

    def _picture(self, picture: PictureItem) -> Iterator[BlockPiece]:
        captions = [piece for piece in self._captions(picture.captions) if clean(piece.text)]
        caption = " ".join(clean(piece.text) for piece in captions)
        for place in self._places(picture):
            self.figures.append(Figure(page=place.page, bbox=place.bbox, caption=caption or None))
        chart = picture.meta.tabular_chart if picture.meta is not None else None
        if chart is not None and self._format.pages is not PageKind.SHEET:
            # The numbers of a chart in a sheet are in its cells already.
            yield BlockPiece(
                BlockLabel.TABLE, self._rows(chart.chart_data), places=self._places(picture)
            )
        yield from captions
        yield from self._children(picture)

    def _captions(self, refs: Sequence[RefItem]) -> Iterator[BlockPiece]:
        for ref in refs:
            caption = ref.resolve(self._document)
            if isinstance(caption, TextItem):
                text, _ = self._item_text(caption)
                yield BlockPiece(BlockLabel.CAPTION, text, places=self._places(caption))

    def _places(self, item: NodeItem) -> tuple[PrintedPlace, ...]:
        places = []
        for prov in item.prov if isinstance(item, DocItem) else ():
            size = self._document.pages[prov.page_no].size
            box = prov.bbox.to_top_left_origin(size.height).as_tuple()
            if box[2] <= box[0] or box[3] <= box[1]:  # speaker notes: beside the slide
                box = (0.0, 0.0, size.width, size.height)
            places.append(PrintedPlace(prov.page_no, self._points(box)))
        return tuple(places[:1])

    def _sheet_top(self, sheet: GroupItem) -> tuple[PrintedPlace, ...]:
        for ref in sheet.children:
            child = ref.resolve(self._document)
            if isinstance(child, DocItem) and child.prov:
                size = self._document.pages[child.prov[0].page_no].size
                top = self._points((0.0, 0.0, size.width, 1.0))
                return (PrintedPlace(child.prov[0].page_no, top),)
        return ()

    def _is_sheet(self, group: GroupItem) -> bool:
        return self._format.pages is PageKind.SHEET and (
            group.label is GroupLabel.SHEET or group.name.startswith("sheet: ")
        )

    def _points(self, box: BBox) -> BBox:
        if self._format.pages is PageKind.SHEET:
            wide, high = _CELL
        else:
            wide = high = 1 / _EMU
        left, top, right, bottom = box
        return (
            round(left * wide, 2),
            round(top * high, 2),
            round(right * wide, 2),
            round(bottom * high, 2),
        )


def _attached_refs(document: DoclingDocument) -> set[str]:
    """Refs of captions and table notes, which are emitted with their table, picture or code."""
    attached: set[str] = set()
    for item in [*document.tables, *document.pictures]:
        attached.update(ref.cref for ref in [*item.captions, *item.footnotes])
    for text in document.texts:
        if isinstance(text, CodeItem):
            attached.update(ref.cref for ref in text.captions)
    return attached
