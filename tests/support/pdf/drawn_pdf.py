"""Pages drawn by hand for the tests: any content, forms, pictures."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pypdfium2

from tests.support.pdf.odd_pdf import raw


def form(content: str, box: str = "0 0 612 792", matrix: str = "1 0 0 1 0 0") -> str:
    return (
        f"<< /Type /XObject /Subtype /Form /BBox [{box}] /Matrix [{matrix}] "
        f"/Resources << /Font << /F1 5 0 R >> >> /Length {len(content)} >>\n"
        f"stream\n{content}\nendstream"
    )


def picture(grey: int = 128) -> str:
    """A bitmap of one pixel."""
    return (
        "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
        f"/BitsPerComponent 8 /Filter /ASCIIHexDecode /Length 3 >>\nstream\n{grey:02x}>\nendstream"
    )


def drawn(content: str, objects: Mapping[str, str] | None = None, page: str = "") -> bytes:
    """A page of 612 by 792 points with this content. ``objects`` are forms and pictures by
    name, ``page`` further entries of the page; /G0 is a graphics state that paints nothing,
    /G5 one that paints half."""
    named = dict(objects or {})
    references = " ".join(f"/{name} {6 + i} 0 R" for i, name in enumerate(named))
    states = "/G0 << /ca 0 /CA 0 >> /G5 << /ca 0.5 /CA 0.5 >>"
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {page} /Contents 4 0 R "
            f"/Resources << /Font << /F1 5 0 R >> /XObject << {references} >> "
            f"/ExtGState << {states} >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *named.values(),
        ]
    )


@contextmanager
def opened(data: bytes) -> Iterator[pypdfium2.PdfPage]:
    """The only page of a file."""
    document = pypdfium2.PdfDocument(data)
    try:
        yield document[0]
    finally:
        document.close()
