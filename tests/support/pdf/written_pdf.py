"""PDFs written by hand for the tests: lines of Helvetica at given places."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Text(NamedTuple):
    """``x`` and ``y`` in points from the bottom left, before the page is rotated."""

    x: float
    y: float
    text: str
    size: float = 10.0
    bold: bool = False


WORDS = "the quick brown fox jumps over a lazy dog and then it goes on its way home".split()


def paragraph(count: int, top: float, x: float = 72.0, seed: int = 0) -> list[Text]:
    """Lines of different words: what repeats from page to page would be furniture."""
    lines = []
    for i in range(count):
        at = (seed * 7 + i * 5) % len(WORDS)
        lines.append(Text(x, top - 12 * i, " ".join(WORDS[at:] + WORDS[:at])))
    return lines


def write_pdf(
    path: Path, pages: Sequence[Sequence[Text]], labels: str = "", rotate: int = 0
) -> Path:
    """Write a PDF with these pages of 612 by 792 points.

    ``labels`` is the content of the /PageLabels dictionary, if there shall be one.
    """
    objects: list[bytes] = []
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(len(pages)))
    page_labels = f"/PageLabels << {labels} >>" if labels else ""
    objects.append(f"<< /Type /Catalog /Pages 2 0 R {page_labels} >>".encode())
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    objects.extend(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} >>".encode()
        for font in ("Helvetica", "Helvetica-Bold")
    )
    for i, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {rotate} "
            f"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> "
            f"/Contents {6 + 2 * i} 0 R >>".encode()
        )
        content = "\n".join(
            f"BT /F{2 if t.bold else 1} {t.size} Tf {t.x} {t.y} Td ({t.text}) Tj ET" for t in page
        ).encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % start
    path.write_bytes(out)
    return path
