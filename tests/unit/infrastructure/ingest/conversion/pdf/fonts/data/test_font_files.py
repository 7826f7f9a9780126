"""Glyph lists, encodings and metrics that docling-parse brings along, and our own."""

from collections.abc import Callable

import pytest

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import (
    CharacterMetric,
    character_metrics,
    encoding,
    glyph_list,
    own_encoding,
    own_glyph_list,
    own_table,
)


@pytest.mark.parametrize(
    ("font", "metric"),
    [
        ("custom/TeX/cmr10", CharacterMetric(0x61, "a", 500, -11, 448)),
        ("standard/Times-Roman", CharacterMetric(-1, "Aacute", 722, 0, 890)),
        ("standard/Symbol", CharacterMetric(0xE6, "parenlefttp", 384, -293, 926)),
    ],
)
def test_metrics_of_docling_parse(font: str, metric: CharacterMetric) -> None:
    assert metric in character_metrics(font)


def test_glyph_lists_of_docling_parse() -> None:
    adobe = glyph_list("standard/glyphlist.dat")
    assert len(adobe) > 4200
    assert (adobe["Aacute"], adobe["dalethatafpatah"]) == (["Á"], ["ד\u05b2"])
    assert glyph_list("custom/TeX/glyphs_01.dat")["FFsmall"] == ["\uf766\uf766", "ff"]
    assert glyph_list("custom/TeX/glyphs_03.dat")["arrowtp"] == ["↑"]


def test_encodings_of_docling_parse() -> None:
    assert encoding("winansi")[0x93] == "quotedblleft"


@pytest.mark.parametrize(
    "read",
    [
        lambda: character_metrics("custom/TeX/absent"),
        lambda: glyph_list("absent.dat"),
        lambda: encoding("absent"),
    ],
    ids=["metrics", "glyph list", "encoding"],
)
def test_a_missing_file_is_named(read: Callable[[], object]) -> None:
    with pytest.raises(ImportError, match=r"docling-parse lacks pdf_resources/\w+/.*absent"):
        read()


def test_own_tables() -> None:
    assert own_encoding("t1")[0xC9] == "Eacute"
    assert own_glyph_list()["mapsto"] == ["↦"]
    assert own_table("cff_strings.txt").split()[-1] == "Semibold"


def test_own_names_are_in_no_other_list() -> None:
    lists = [f"custom/TeX/{file}.dat" for file in ("glyphs_01", "glyphs_03")]
    known = [glyph_list(path) for path in lists]
    own = own_glyph_list()
    assert [name for name in own if any(own[name] == names.get(name) for names in known)] == []
