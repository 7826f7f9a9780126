"""Characters of glyph names."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import (
    adobe_text,
    glyph_text,
    is_numbered,
    pdfium_text,
)

PRINTABLE = st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn"))
LETTERS = ("a", "B", "eacute", "germandbls", "alpha", "fi", "ff")


@each(
    ("name", "text"),
    [
        ("quotedblleft", "“"),
        ("uni20AC", "€"),
        ("uni00660066", "ff"),
        ("u1D400", "\U0001d400"),
        ("f_f_i", "ffi"),
        ("f_f_i.liga", "ffi"),
        ("T_h", "Th"),
        ("ffl", "ffl"),
        ("a.sc", "a"),
        ("Asmall", "a"),
        ("Eacutesmall", "é"),
        ("oneoldstyle", "1"),
        ("two.taboldstyle", "2"),
        ("asuperior", "a"),
        ("prime", "′"),
        ("mapsto", "↦"),
        ("clockwise", "⟳"),
        ("FFIsmall", "ffi"),
        ("cwm", None),
        ("angbracketleft", "⟨"),
        ("parenleftBigg", "("),
        ("summationdisplay", "∑"),
        ("bracelefttp", "⎧"),
        ("dotlessj", "ȷ"),
        ("H9262", "μ"),
        (".notdef", None),
        ("a84", None),
        ("uni0007", None),
        ("uniE000", None),
        ("uD800", None),
        ("a_g84", None),
    ],
)
def test_character_of_a_glyph_name(name: str, text: str | None) -> None:
    assert glyph_text(name) == text


@given(PRINTABLE)
def test_names_with_code_points_stand_for_them(char: str) -> None:
    name = f"u{ord(char):04X}"
    assert glyph_text(name) == char or unicodedata.normalize("NFKC", char) == glyph_text(name)


@given(st.sampled_from(LETTERS), st.from_regex(r"[a-z]{1,6}", fullmatch=True))
def test_a_suffix_changes_nothing(name: str, suffix: str) -> None:
    assert glyph_text(f"{name}.{suffix}") == glyph_text(name)


@given(st.lists(st.sampled_from(LETTERS), min_size=2, max_size=4))
def test_a_compound_is_its_parts(names: list[str]) -> None:
    assert glyph_text("_".join(names)) == "".join(glyph_text(name) or "" for name in names)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12))
def test_no_name_gives_a_control_or_private_character(name: str) -> None:
    assert not {"Cc", "Co", "Cs"} & set(map(unicodedata.category, glyph_text(name) or ""))


@each("name", ["a84", "g84", "C84", "c84", "G54", "glyph12", "BP", "D0", "A0"])
def test_names_that_number_their_glyph(name: str) -> None:
    assert is_numbered(name)


@each("name", ["AE", "a", "afii10017", "one", "ff", "prime"])
def test_names_that_say_something(name: str) -> None:
    assert not is_numbered(name)


def test_what_pdfium_reads_of_a_name() -> None:
    assert pdfium_text("quotedblleft.alt") == "“"
    assert pdfium_text("prime") == ""
    assert pdfium_text("mapsto") == ""
    assert pdfium_text("oneoldstyle") == "\uf731"


def test_private_characters_of_adobe() -> None:
    assert (adobe_text("\uf761"), adobe_text("\uf731"), adobe_text("\ue000")) == ("a", "1", None)
