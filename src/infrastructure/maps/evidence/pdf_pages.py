"""Pages of PDFs by pdfium: as PNG, whole or in part, and as plain text."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageChops

from citeloom.application.ports.maps import PageMark, PictureLimit
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import ConversionFailed, InvalidRequest, PasswordNeeded
from citeloom.infrastructure.maps.evidence.page_overlay import draw_marks

# Pixels a point: 144 dots an inch for pages to look at, 216 for figures.
PAGE_SCALE = 2.0
FIGURE_SCALE = 3.0
_POINTS = 72  # in an inch
# A poster would take gigabytes.
MAX_SIDE = 6000
_SMALLER = 0.8  # of its sides, each time that a picture has too many bytes
# Level of zlib: on pages of text faster than the usual 6, and no larger.
_EFFORT = 3
# pdfium is not for several threads at once.
_ONE_AT_A_TIME = Lock()


class PdfPageRenderer:
    """See the port ``PageRenderer``."""

    def page(
        self,
        source: Path,
        page: int,
        marks: Sequence[PageMark],
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        wanted = limit.dpi / _POINTS if limit and limit.dpi else PAGE_SCALE
        with _rendered(source, page, wanted, password, limit) as (image, scale):
            drawn = draw_marks(image, marks, scale)
        return png_within(drawn, limit)

    def region(
        self,
        source: Path,
        region: Region,
        password: str | None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        with _rendered(source, region.page, FIGURE_SCALE, password) as (image, scale):
            left, top, right, bottom = (edge * scale for edge in region.bbox)
            box = (
                min(max(0, int(left)), image.width - 1),
                min(max(0, int(top)), image.height - 1),
                max(min(image.width, round(right)), 1),
                max(min(image.height, round(bottom)), 1),
            )
            wide = (box[0], box[1], max(box[2], box[0] + 1), max(box[3], box[1] + 1))
            figure = image.crop(wide)
        return png_within(figure, limit)


class PdfPageTexts:
    """See the port ``PageTexts``; by pdfium."""

    def text(self, source: Path, page: int, password: str | None) -> str:
        with opened_page(source, page, password) as sheet:
            read = sheet.get_textpage()
            try:
                return str(read.get_text_bounded())
            finally:
                read.close()


@contextmanager
def _rendered(
    source: Path, page: int, scale: float, password: str | None, limit: PictureLimit | None = None
) -> Iterator[tuple[Image.Image, float]]:
    """The page as displayed, and how many pixels a point has."""
    most = min(MAX_SIDE, limit.longest_side) if limit else MAX_SIDE
    with opened_page(source, page, password) as sheet:
        fitting = min(scale, most / max(*sheet.get_size(), 1.0))
        yield sheet.render(scale=fitting).to_pil().convert("RGB"), fitting


@contextmanager
def opened_page(source: Path, page: int, password: str | None) -> Iterator[pypdfium2.PdfPage]:
    """A page, from 1, for one thread at a time. Raises PasswordNeeded, ConversionFailed, and
    InvalidRequest for a page beyond the end."""
    with _ONE_AT_A_TIME, _opened(source, password) as document:
        try:
            if not 1 <= page <= len(document):
                raise InvalidRequest(
                    f"{source.name}: no page {page}; it has {len(document)}", parameter="page"
                )
            yield document[page - 1]
        except pypdfium2.PdfiumError as error:
            raise ConversionFailed(
                f"{source.name}: page {page} cannot be read; repair the PDF"
            ) from error


@contextmanager
def _opened(source: Path, password: str | None) -> Iterator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(source, password=password)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
            raise PasswordNeeded.of(source.name, given=bool(password)) from error
        raise ConversionFailed(
            f"{source.name}: cannot be opened as PDF; download it again"
        ) from error
    try:
        yield document
    finally:
        document.close()


def png_within(image: Image.Image, limit: PictureLimit | None) -> bytes:
    """``image`` as PNG, within ``limit``: with 256 colours, then smaller, where it has to be."""
    if limit is None:
        return _png(image)
    image.thumbnail((limit.longest_side, limit.longest_side))
    made = _png(image)
    while len(made) > limit.bytes and max(image.size) > 1:
        made = _png(image.quantize(256, dither=Image.Dither.NONE))
        width, height = (max(1, int(side * _SMALLER)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    return made


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    # Grey pages in one channel: a third of the work.
    (image.convert("L") if _is_grey(image) else image).save(buffer, "PNG", compress_level=_EFFORT)
    return buffer.getvalue()


def _is_grey(image: Image.Image) -> bool:
    if image.mode != "RGB":
        return False
    red, green, blue = image.split()
    return not (
        ImageChops.difference(red, green).getbbox() or ImageChops.difference(green, blue).getbbox()
    )
