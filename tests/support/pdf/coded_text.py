"""Pages that show codes in a font whose dictionary a test writes."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO

import pikepdf
import pypdfium2
from pikepdf import Array, Dictionary, Name, Object, Pdf

# Advance width, lower and upper edge in thousandths of the font size: figures of the font metrics
# of cmr10 (OT1) and cmsy10 (OMS), by code.
ROMAN = {
    0x0B: (583, 0, 705), 0x0C: (555, 0, 705), 0x0E: (833, 0, 705), 0x22: (500, 379, 694),
    0x2E: (277, 0, 105), 0x5C: (500, 379, 694), 0x7B: (500, 255, 278), 0x61: (500, -11, 448),
    0x63: (444, -11, 448), 0x65: (444, -11, 448), 0x69: (277, 0, 657), 0x6C: (277, 0, 694),
    0x6D: (833, 0, 442), 0x6E: (555, 0, 442), 0x6F: (500, -11, 448), 0x73: (394, -11, 448),
    0x74: (388, -10, 615),
}  # fmt: skip
SYMBOLS = {
    0x00: (777, 230, 270), 0x02: (777, 9, 491), 0x14: (777, -138, 636), 0x15: (777, -138, 636),
    0x31: (1000, -11, 442), 0x68: (388, -250, 750), 0x69: (388, -250, 750),
}  # fmt: skip


_IMAGE = "q 9 0 0 9 0 0 cm BI /IM true /W 1 /H 1 /BPC 1 ID \\0 EI Q"


def bitmap_font(
    pdf: Pdf, metrics: Mapping[int, tuple[float, float, float]], names: Mapping[int, str]
) -> Object:
    """A Type 3 font of whole pixels, 83 a font size (10 points at 600 dpi)."""
    first, last = min(metrics), max(metrics)
    scale = 0.083
    pixels = {code: [round(scale * n) for n in glyph] for code, glyph in metrics.items()}
    procedures = {
        f"/{names[code]}": pdf.make_stream(
            f"{width} 0 1 {low} {width - 1} {high} d1 {_IMAGE}".encode()
        )
        for code, (width, low, high) in pixels.items()
    }
    return Dictionary(
        Type=Name.Font,
        Subtype=Name.Type3,
        FontBBox=Array([0, 0, 0, 0]),
        FontMatrix=Array([1 / 83, 0, 0, 1 / 83, 0, 0]),
        FirstChar=first,
        LastChar=last,
        Widths=Array([pixels.get(code, (0, 0, 0))[0] for code in range(first, last + 1)]),
        CharProcs=Dictionary(procedures),
        Encoding=Dictionary(Differences=differences(names)),
    )


def differences(names: Mapping[int, str]) -> Array:
    entries: list[object] = []
    for code, name in names.items():
        entries += [code, Name(f"/{name}")]
    return Array(entries)


def page_of(pdf: Pdf, font: Object, codes: bytes, in_form: bool = False) -> None:
    """A page that shows the codes, by itself or in a form."""
    content = f"BT /F1 12 Tf 72 700 Td <{codes.hex()}> Tj ET".encode()
    resources = Dictionary(Font=Dictionary(F1=pdf.make_indirect(font)))
    stream = pdf.make_stream(content)
    if in_form:
        stream.update(
            {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 612, 792])}
        )
        stream["/Resources"] = resources
        resources = Dictionary(XObject=Dictionary(X1=stream))
        stream = pdf.make_stream(b"/X1 Do")
    page = Dictionary(
        Type=Name.Page, MediaBox=Array([0, 0, 612, 792]), Resources=resources, Contents=stream
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))


def saved(pdf: Pdf, **options: object) -> bytes:
    output = BytesIO()
    pdf.save(output, **options)  # type: ignore[arg-type]
    return output.getvalue()


def read_text(source: bytes | IO[bytes]) -> str:
    """The text of the first page, as pdfium reads it."""
    document = pypdfium2.PdfDocument(source)
    try:
        return str(document[0].get_textpage().get_text_range())
    finally:
        document.close()
