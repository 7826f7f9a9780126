"""PDFs that are not as they should be, each as one function from a good one's bytes."""

import io
import re

import pikepdf
from PIL import Image


def raw(objects: list[str], trailer: str = "") -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\n".encode()
    return out + b"startxref\n%d\n%%%%EOF\n" % start


def unknown_encryption() -> bytes:
    key = "(" + "x" * 32 + ")"
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>",
            f"<< /Filter /Acme.Rot13 /V 99 /R 99 /O {key} /U {key} /P -4 >>",
        ],
        "/Encrypt 4 0 R /ID [(a) (a)]",
    )


def damaged_xref(good: bytes) -> bytes:
    return re.sub(rb"(\d{10}) 00000 n", b"0000000007 00000 n", good)


def without_xref(good: bytes) -> bytes:
    return good[: good.rindex(b"xref\n0 ")] + b"%%EOF\n"


def page_tree_loop() -> bytes:
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 2 >>",
            "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 3 0 R] /Count 2 >>",
        ]
    )


def page_box(box: str, content: str = "BT /F1 12 Tf 72 700 Td (Words on a page) Tj ET") -> bytes:
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def many_pages(count: int) -> bytes:
    kids = " ".join(f"{5 + i} 0 R" for i in range(count))
    content = "BT /F1 12 Tf 20 50 Td (Card) Tj ET"
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 3 0 R "
        "/Resources << /Font << /F1 4 0 R >> >> >>"
    )
    return raw(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *[page] * count,
        ]
    )


def corrupt_image() -> bytes:
    """A page that is one JPEG, of which the second half is noise."""
    sheet = Image.effect_noise((600, 800), 80)
    made = io.BytesIO()
    sheet.save(made, "PDF", resolution=72)
    with pikepdf.open(made) as pdf:
        image = next(iter(pdf.pages[0].get_images().values()))
        data = image.read_raw_bytes()
        image.write(data[: len(data) // 2] + b"\x00" * 1000, filter=pikepdf.Name.DCTDecode)
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()
