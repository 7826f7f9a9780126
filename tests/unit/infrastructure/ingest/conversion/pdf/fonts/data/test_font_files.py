"""Glyph lists, encodings and metrics of fonts."""

import pytest

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import (
    CharacterMetric,
    character_metrics,
    encoding,
    glyph_list,
    table,
)


@pytest.mark.parametrize(
    ("font", "metric"),
    [
        ("cmr10", CharacterMetric(0x61, "a", 500, -11, 448)),
        ("Times-Roman", CharacterMetric(-1, "Aacute", 722, 0, 890)),
        ("Symbol", CharacterMetric(0xE6, "parenlefttp", 384, -293, 926)),
    ],
)
def test_metrics(font: str, metric: CharacterMetric) -> None:
    assert metric in character_metrics(font)


def test_glyph_lists() -> None:
    adobe = glyph_list("adobe")
    assert len(adobe) > 4200
    assert (adobe["Aacute"], adobe["dalethatafpatah"]) == ("Á", "ד\u05b2")
    assert glyph_list("tex")["FFsmall"] == "ff"
    assert glyph_list("tex")["arrowtp"] == "↑"
    assert glyph_list("other")["mapsto"] == "↦"


def test_encodings() -> None:
    assert encoding("winansi")[0x93] == "quotedblleft"
    assert encoding("t1")[0xC9] == "Eacute"


def test_strings_of_cff_fonts() -> None:
    assert table("cff_strings.txt").split()[-1] == "Semibold"


def test_other_names_are_not_among_those_of_tex() -> None:
    known = glyph_list("tex")
    assert [name for name, text in glyph_list("other").items() if known.get(name) == text] == []


@pytest.mark.parametrize("file", ["adobe_glyphs", "tex_metrics", "standard_metrics"])
def test_tables_from_elsewhere_bear_their_notices(file: str) -> None:
    assert "Copyright" in table(f"{file}.txt")[:1500]
