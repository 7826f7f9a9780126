from io import BytesIO

import pypdfium2
import pytest
from support.pdf.page_lines import ADVANCE, SIZE, SPACE, words

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.words import pdfium_text
from citeloom.infrastructure.ingest.conversion.pdf.words.formula_symbols import Glyph
from citeloom.infrastructure.ingest.conversion.pdf.words.pdfium_text import (
    ExactText,
    PdfiumText,
    exact_words,
)


def _reading(text: str, x: float = 50.0, base: float = 100.0, gap: float = SPACE) -> PdfiumText:
    """What pdfium would see: characters of one width, made-up spaces for gaps."""
    boxes: list[BBox | None] = []
    for char in text:
        if char == " ":
            boxes.append(None)
            x += gap
        else:
            boxes.append((x, base - SIZE, x + ADVANCE, base))
            x += ADVANCE
    glyphs = [Glyph(b[0], b[2], SIZE, base, "Roman") if b else None for b in boxes]
    return PdfiumText(text, boxes.__getitem__, glyphs.__getitem__)


def _formula(text: str, low: str, font: str = "CMMI10", base: float = 100.0) -> PdfiumText:
    """``text`` in ``font``; the characters in ``low`` are subscripts."""
    plain = _reading(text)
    glyphs: list[Glyph | None] = []
    for at, char in enumerate(text):
        box = plain.box_of(at)
        size, y = (0.7 * SIZE, base + 1.5) if char in low else (SIZE, base)
        glyphs.append(Glyph(box[0], box[2], size, y, font) if box else None)
    return PdfiumText(text, plain.box_of, glyphs.__getitem__)


def _texts(own: str, seen: str, gap: float = SPACE) -> list[str]:
    return [word.text for word in exact_words(words(own), _reading(seen, gap=gap))]


def test_dashes_and_quotes_get_their_own_characters_back() -> None:
    seen = "\u201cpages 127\u2013130\u201d \u2212 it\u2019s"
    assert _texts('"pages 127-130" - it\'s', seen) == seen.split()


def test_hyphens_beside_a_dash_stay_hyphens() -> None:
    assert _texts("low-cost-high-cost", "low-cost\u2013high-cost") == ["low-cost\u2013high-cost"]


def test_a_word_with_a_gap_in_it_is_two() -> None:
    own = words("3.2Wet")[0]._replace(x1=50.0 + 6 * ADVANCE + SPACE)
    parts = exact_words([own], _reading("3.2 Wet banks"))
    assert [part.text for part in parts] == ["3.2", "Wet"]
    assert parts[0].x1 == 50.0 + 3 * ADVANCE
    assert parts[1].x0 == 50.0 + 3 * ADVANCE + SPACE


def test_a_section_number_is_parted_from_a_short_word() -> None:
    own = words("6.3A")[0]._replace(x1=50.0 + 4 * ADVANCE + SPACE)
    assert [w.text for w in exact_words([own], _reading("6.3 A study"))] == ["6.3", "A"]


def test_a_narrow_gap_in_a_word_is_kerning() -> None:
    assert _texts("ToWards", "To Wards", gap=0.5) == ["ToWards"]


def test_single_letters_are_not_split_off() -> None:
    assert _texts("Table", "T able") == ["Table"]


def test_words_of_another_place_are_left_alone() -> None:
    (word,) = exact_words(words("3.2Wet", base=300.0), _reading("3.2 Wet"))
    assert word.text == "3.2Wet"


def test_a_symbol_begins_behind_the_script_of_the_one_before_it() -> None:
    own = words("B1C2", font="CMMI10")
    parts = exact_words(own, _formula("B1C2", low="12"))
    assert [part.text for part in parts] == ["B1", "C2"]
    assert parts[0].x0 == own[0].x0
    assert parts[0].x1 < parts[1].x0 == 50.0 + 2 * ADVANCE
    assert parts[1].x1 == own[0].x1


def test_a_script_stays_with_its_symbol_and_so_do_brackets() -> None:
    found = exact_words(words("Mr(x)", font="CMMI10"), _formula("Mr(x)", low="r"))
    assert [part.text for part in found] == ["Mr(x)"]


def test_chemical_formulas_in_the_font_of_the_text_stay_whole() -> None:
    found = exact_words(words("H2O"), _formula("H2O", low="2", font="Times-Roman"))
    assert [part.text for part in found] == ["H2O"]


def test_small_capitals_are_no_scripts() -> None:
    text = "McDo"
    plain = _reading(text)
    boxes = [box for box in map(plain.box_of, range(4)) if box]
    glyphs = [
        Glyph(box[0], box[2], 0.7 * SIZE if char == "c" else SIZE, 100.0, "CMMI10")
        for char, box in zip(text, boxes, strict=True)
    ]
    found = exact_words(
        words(text, font="CMMI10"), PdfiumText(text, plain.box_of, glyphs.__getitem__)
    )
    assert [part.text for part in found] == ["McDo"]


def test_a_symbol_is_parted_from_the_word_that_it_stands_behind() -> None:
    seen = "minimum m"
    plain = _reading(seen)
    boxes = [plain.box_of(at) for at in range(len(seen))]
    glyphs = [
        Glyph(box[0], box[2], SIZE, 100.0, "CMMI9" if at == 8 else "Times") if box else None
        for at, box in enumerate(boxes)
    ]
    own = words("minimumm")[0]._replace(x1=50.0 + 8 * ADVANCE + SPACE)
    found = exact_words([own], PdfiumText(seen, plain.box_of, glyphs.__getitem__))
    assert [part.text for part in found] == ["minimum", "m"]


def test_a_document_that_is_opened_anew_goes_on_with_the_next_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = pypdfium2.PdfDocument.new()
    sizes = [(100.0 + page, 200.0) for page in range(5)]
    for width, height in sizes:
        made.new_page(width, height).close()
    file = BytesIO()
    made.save(file)
    monkeypatch.setattr(pdfium_text, "_REOPEN_EVERY", 2)
    with ExactText(file, None) as text:
        found = []
        for number in range(1, 6):
            with text.page(number) as page:
                found.append(page.image().size)
    assert found == sizes
