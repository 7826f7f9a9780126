"""Form fields: what is filled in is read with its label; buttons, hidden fields and notes are
not."""

from pathlib import Path

import pytest

from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from tests.support.pdf.drawn_pdf import form
from tests.support.pdf.odd_pdf import raw

TEXT, CHOICE, BUTTON = "/FT /Tx", "/FT /Ch /Ff 131072", "/FT /Btn /Ff 65536"
SHOWN, HIDDEN, NOT_VIEWED = 4, 6, 36


def filled(fields: list[tuple[str, int, str]], needs_drawing: bool = False) -> bytes:
    """A page with the label "Name:" and fields of a kind, with flags, below each other."""
    content = "BT /F1 12 Tf 72 700 Td (Name:) Tj ET"
    drawings, widgets = [], []
    for at, (kind, flags, value) in enumerate(fields):
        top = 712 - 30 * at
        kind = f"/Subtype /Widget {kind}" if "/Subtype" not in kind else kind
        look = "" if needs_drawing else f"/AP << /N {6 + len(fields) + at} 0 R >>"
        widgets.append(
            f"<< /Type /Annot {kind} /T (f{at}) /V ({value}) /DA (/F1 12 Tf 0 g) "
            f"/Rect [110 {top - 15} 300 {top}] /F {flags} {look} >>"
        )
        drawings.append(form(f"BT /F1 12 Tf 2 3 Td ({value}) Tj ET", "0 0 190 15"))
    references = " ".join(f"{6 + at} 0 R" for at in range(len(fields)))
    needs = "/NeedAppearances true" if needs_drawing else ""
    return raw(
        [
            f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{references}] {needs} "
            "/DR << /Font << /F1 5 0 R >> >> >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            f"/Annots [{references}] /Resources << /Font << /F1 5 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *widgets,
            *([] if needs_drawing else drawings),
        ]
    )


def text_of(folder: Path, data: bytes) -> str:
    path = folder / "form.pdf"
    path.write_bytes(data)
    return convert_pdf(path, "0" * 64).plain_text


@pytest.mark.parametrize("kind", [TEXT, CHOICE])
@pytest.mark.parametrize("needs_drawing", [False, True])
def test_what_is_filled_in_stands_behind_its_label(
    tmp_path: Path, kind: str, needs_drawing: bool
) -> None:
    data = filled([(kind, SHOWN, "Garzas")], needs_drawing)
    assert text_of(tmp_path, data) == "Name: Garzas"


@pytest.mark.parametrize(
    "other",
    [
        (BUTTON, SHOWN, "Print"),
        (TEXT, HIDDEN, "Secret"),
        (TEXT, NOT_VIEWED, "Secret"),
        ("/Subtype /Stamp", SHOWN, "Draft"),
    ],
)
def test_buttons_unseen_fields_and_notes_are_not_read(
    tmp_path: Path, other: tuple[str, int, str]
) -> None:
    assert text_of(tmp_path, filled([(TEXT, SHOWN, "Garzas"), other])) == "Name: Garzas"
    assert text_of(tmp_path, filled([other])) == "Name:"


def test_a_text_box_is_read_beside_fields_only(tmp_path: Path) -> None:
    box = ("/Subtype /FreeText", SHOWN, "Town")
    assert "Town" in text_of(tmp_path, filled([(TEXT, SHOWN, "Garzas"), box]))
    assert text_of(tmp_path, filled([box])) == "Name:"
