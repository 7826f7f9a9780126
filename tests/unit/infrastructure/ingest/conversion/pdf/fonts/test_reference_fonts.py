"""Fonts known by their names."""

import pytest
from pikepdf import Dictionary, Name, Pdf
from support.cases import each
from support.pdf.coded_text import differences, page_of, read_text, saved

from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import with_character_maps
from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import (
    Glyph,
    draws_lines,
    private_texts,
    reference_fonts,
    texts_by_font_name,
    texts_by_likeness,
    texts_by_metrics,
)


@each(
    ("font", "code", "text"),
    [
        ("/ABCDEF+CMR10", 0x0E, "ffi"),
        ("CMBX12", 0x5C, "“"),
        ("CMTT9", 0x5C, "\\"),
        ("CMMI7", 0x3B, ","),
        ("CMSY10", 0x30, "′"),
        ("CMEX10", 0x58, "∑"),
        ("MSBM10", 0x52, "R"),
        ("LASY10", 0x32, "□"),
        ("SFRM1095", 0x1C, "fi"),
        ("ECTT1000", 0x5C, "\\"),
        ("Symbol", 0xE6, "⎛"),
        ("SymbolMT", 0xB7, "•"),
        ("Wingdings-Regular", 0xD8, "➢"),
    ],
)
def test_characters_of_a_known_font(font: str, code: int, text: str) -> None:
    assert texts_by_font_name(font)[code] == text


@each("font", ["Times-Roman", "CMRoman", "ABCDEF+Garamond", ""])
def test_other_fonts_are_unknown(font: str) -> None:
    assert texts_by_font_name(font) == {}


def test_fonts_of_lines() -> None:
    assert draws_lines("/ABCDEF+LINEW10")
    assert draws_lines("XYATIP10")
    assert not draws_lines("LinLibertine")


def test_private_characters_by_font() -> None:
    texts = {1: "\uf0b7", 2: "\uf761", 3: "\ue000", 4: "xy"}
    assert private_texts("ABCDEF+Symbol", texts) == {1: "•", 2: "a"}
    assert private_texts("Garamond", texts) == {2: "a"}


def test_reference_fonts_have_metrics_of_all_their_characters() -> None:
    fonts = dict(reference_fonts())
    assert fonts.pop("Wingdings").glyphs == {}
    assert {"cmr10", "cmmi10", "cmsy10", "cmex10", "ecrm1000", "Times-Roman"} <= fonts.keys()
    assert all(font.texts and set(font.texts) <= set(font.glyphs) for font in fonts.values())


def test_metrics_of_letters_with_accents_are_those_of_the_letters() -> None:
    font = reference_fonts()["ecrm1000"]
    codes = {text: code for code, text in font.texts.items()}
    letter, above, below = (font.glyphs[codes[text]] for text in "EÉĘ")
    assert above == letter._replace(high=(letter.high or 0) + 250)
    assert below == letter


def test_signs_of_european_fonts_are_those_of_mathematical_fonts() -> None:
    fonts = reference_fonts()
    assert fonts["ecrm1000"].glyphs[0x7B] == fonts["cmsy10"].glyphs[0x66]
    assert fonts["ecrm1000"].glyphs[0x3C] == fonts["cmmi10"].glyphs[0x3C]
    assert fonts["ectt1000"].glyphs[0x7B] == fonts["cmtt10"].glyphs[0x7B]


def test_symbols_of_latex_have_metrics_by_code() -> None:
    font = reference_fonts()["lasy10"]
    assert (font.texts[0x32], font.glyphs[0x32].width) == ("□", 747)


@pytest.mark.parametrize(
    ("font", "codes", "text"),
    [
        (Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Symbol), b"a\xe6a", "α⎛α"),
        (
            Dictionary(
                Type=Name.Font,
                Subtype=Name.Type1,
                BaseFont=Name("/ABCDEF+LASY10"),
                Encoding=Dictionary(Differences=differences({0x31: "x", 0x32: "a50"})),
            ),
            b"121",
            "x□x",
        ),
    ],
    ids=["standard", "numbered glyphs"],
)
def test_maps_of_known_fonts(font: Dictionary, codes: bytes, text: str) -> None:
    with Pdf.new() as pdf:
        page_of(pdf, font, codes)
        mapped = with_character_maps(saved(pdf))
    assert mapped is not None
    assert read_text(mapped) == text


def test_a_font_like_a_reference_font_has_its_encoding() -> None:
    glyphs, texts = reference_fonts()["cmmi10"]
    wide = {
        code: Glyph(1.4 * one.width + 90 + 60 * (code % 2), one.low, one.high)
        for code, one in glyphs.items()
        if code % 3
    }
    assert texts_by_metrics(wide) == {}
    assert texts_by_likeness(wide) == {code: texts[code] for code in wide if code in texts}
    few = {code: wide[code] for code in sorted(wide)[:15]}
    turned = dict(zip(wide, reversed(wide.values()), strict=True))
    assert texts_by_likeness(few) == texts_by_likeness(turned) == {}
