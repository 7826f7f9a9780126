"""docling's standard pipeline: neural models for layout and tables, where installed.

Its packages (torch among them) come with ``citeloom[layout]``. Its weights are in no package:
docling's own tool downloads them into a folder once, or they are copied there.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import DocumentStream, InputFormat
from docling.datamodel.document import ConversionResult as DoclingResult
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.exceptions import ConversionError
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import ListGroup
from docling_core.types.doc.items.picture.picture import PictureItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.text import ListItem, SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel
from pydantic import SecretStr

from citeloom.domain.citation.page_numbers import MarginRow, number_pages
from citeloom.domain.documents.conversion import BlockLabel, Figure, Furniture
from citeloom.domain.documents.spans import BBox, Line
from citeloom.domain.errors import ConversionFailed, ModelUnavailable
from citeloom.domain.text.phrasing import first_line
from citeloom.infrastructure.ingest.conversion.protocol import Options, Report

from .front_matter.bibliography import FrontMatter
from .reading import PdfFile, PdfPiece, PdfReading, body_of, in_page_order
from .tables.tables import row_of

SETTING = 'conversion.pdf = "docling-standard"'
INSTALL = 'pip install "citeloom[layout]"'
FETCH = "docling-tools models download layout tableformer -o FOLDER"
ALTERNATIVE = 'or set conversion.pdf = "native"'
_PACKAGES = ("torch", "torchvision", "transformers", "docling_ibm_models")


def read(file: PdfFile, options: Options, report: Report) -> PdfReading:  # noqa: ARG001
    """See ``PdfReader``. Raises ModelUnavailable saying what to install or fetch."""
    found = convert(file.name, file.content, file.password, options)
    doc = found.document
    furniture, figures = in_page_order(_furniture(doc), _figures(doc))
    return PdfReading(
        body=body_of(_pieces(doc)),
        furniture=furniture,
        figures=figures,
        front_matter=FrontMatter(_title(doc)),
        numbers=number_pages(list(_margin_rows(doc, furniture)), len(doc.pages)),
        warnings=tuple(error.error_message for error in found.errors),
    )


def convert(name: str, content: bytes, password: str | None, options: Options) -> DoclingResult:
    """Convert the ``content`` of a file ``name`` with docling's models.

    Raises ModelUnavailable saying what to install or fetch, ConversionFailed otherwise.
    """
    check(options.artifacts_path)
    try:
        stream = DocumentStream(name=name, stream=BytesIO(content))
        result: DoclingResult = _converter(password, options.artifacts_path).convert(stream)
    except ConversionError as error:
        raise ConversionFailed(
            f"{name}: docling's pipeline gave up on it ({first_line(error)[:200]}); "
            'set conversion.pdf = "native"'
        ) from error
    except (ImportError, OSError) as error:
        raise _unavailable(f"its models cannot be loaded ({first_line(error)[:200]})") from error
    return result


def check(artifacts_path: Path | None) -> None:
    """Whether packages and weights are there, before anything heavy is imported."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ModelUnavailable(
            f"{SETTING}: {', '.join(missing)} not installed; {INSTALL}, {ALTERNATIVE}"
        )
    if artifacts_path is None:
        raise _unavailable("conversion.artifacts_path is not set")
    folder = artifacts_path.expanduser()
    if not folder.is_dir() or not any(folder.iterdir()):
        raise _unavailable(f"no weights in {folder}")


def _unavailable(reason: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{SETTING}: {reason}; fetch the weights on a machine with network access by "
        f"`{FETCH}` and set conversion.artifacts_path to that folder, {ALTERNATIVE}"
    )


def _converter(password: str | None, artifacts_path: Path | None) -> Any:
    """Replaced in tests, which have no weights."""
    return DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={
            InputFormat.PDF: PdfFormatOption(
                pipeline_options=PdfPipelineOptions(
                    do_ocr=False,
                    artifacts_path=artifacts_path.expanduser() if artifacts_path else None,
                ),
                backend_options=PdfBackendOptions(
                    password=SecretStr(password) if password else None
                ),
            )
        },
    )


def _pieces(doc: DoclingDocument) -> Iterator[PdfPiece]:
    """The items of the body; the text in a picture follows its caption."""
    body = {ContentLayer.BODY}
    for item, _ in doc.iterate_items(traverse_pictures=True, included_content_layers=body):
        if not (text := _text_of(item)):
            continue
        lines = tuple(_lines(item, len(text), doc))
        label, level = _label(item), item.level if isinstance(item, SectionHeaderItem) else None
        if _is_in_picture(item, doc):
            label, level = BlockLabel.FIGURE_TEXT, None
        yield PdfPiece(label, text, lines, level, _nesting(item, doc))


def _nesting(item: Any, doc: DoclingDocument) -> int:
    """How many other list items a list item is nested in."""
    depth = 0
    while item.parent is not None and isinstance(item, ListItem | ListGroup):
        item = item.parent.resolve(doc)
        depth += isinstance(item, ListItem)
    return depth


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


def _lines(item: Any, size: int, doc: DoclingDocument) -> Iterator[Line]:
    for prov, (start, end) in zip(item.prov, _spans(item.prov, size), strict=True):
        yield Line(start, end, prov.page_no, _box(prov, doc))


def _spans(provs: Sequence[Any], size: int) -> list[tuple[int, int]]:
    """Character span of each provenance entry.

    docling's models give none to tables, and outdated ones to text that they changed: there the
    text is divided in proportion to the areas.
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


def _furniture(doc: DoclingDocument) -> Iterator[Furniture]:
    for item, _ in doc.iterate_items(included_content_layers={ContentLayer.FURNITURE}):
        if isinstance(item, TextItem) and item.prov:
            place = item.prov[0]
            yield Furniture(page=place.page_no, text=item.text, bbox=_box(place, doc))


def _margin_rows(doc: DoclingDocument, furniture: Sequence[Furniture]) -> Iterator[MarginRow]:
    for order, piece in enumerate(furniture):
        height, foot = doc.pages[piece.page].size.height, piece.bbox[3]
        top = foot < height / 2
        level = foot if top else height - foot
        yield MarginRow(piece.page, top, order, level, (piece.text,))


def _figures(doc: DoclingDocument) -> Iterator[Figure]:
    for picture in doc.pictures:
        if isinstance(picture, PictureItem) and picture.prov:
            place, caption = picture.prov[0], picture.caption_text(doc) or None
            yield Figure(page=place.page_no, bbox=_box(place, doc), caption=caption)


def _title(doc: DoclingDocument) -> str | None:
    return next((t.text for t in doc.texts if t.label == DocItemLabel.TITLE and t.text), None)
