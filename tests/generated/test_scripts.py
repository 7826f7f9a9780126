"""Pages of other scripts. Hebrew is in the fonts that typst brings along."""

from pathlib import Path

import pytest
import typst

from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

_PROSE = (
    "המחקר המדעי הוא אחת הפעילויות החשובות ביותר באוניברסיטאות. החוקרים פרסמו 125 מאמרים בשנת "
    "2021 בלבד (ראו טבלה 3), ורובם נכתבו באנגלית. מחקר זה משתמש במודל BERT Large, ומשווה את "
    "התוצאות לתוצאות קודמות [12]."
)


@pytest.mark.parametrize("columns", [1, 2])
def test_hebrew_is_read_in_its_order(tmp_path: Path, columns: int) -> None:
    source = f"""
#set page(width: {90 * columns}mm, height: 120mm, columns: {columns}, margin: 12mm)
#set text(lang: "he", size: 9pt)
#set par(justify: true)
#set heading(numbering: "1.")
= מבוא
{_PROSE}

{_PROSE} {_PROSE}
= שיטה ונתונים
{_PROSE}

- פריט ראשון
  - פריט פנימי
- פריט שני

{_PROSE} {_PROSE} {_PROSE} {_PROSE}
"""
    path = tmp_path / "hebrew.pdf"
    path.write_bytes(typst.compile(source.encode(), ignore_system_fonts=True))
    found = convert_pdf(path, "id")
    assert [h.title for h in found.structure.headings()] == ["1. מבוא", "2. שיטה ונתונים"]
    assert " ".join(found.plain_text.split()).count(_PROSE) == 8
    assert "\n\n  ‣ פריט פנימי\n\n" in found.plain_text
    first = found.blocks[0].lines[0].bbox
    width = found.structure.page_map[0].width
    assert width is not None
    assert first[2] == pytest.approx(width - 12 / 25.4 * 72, abs=2.0)
