"""PDFs get a character map for the fonts that pdfium cannot read."""

from collections.abc import Callable, Mapping

import pytest
from pikepdf import Array, Dictionary, Encryption, Name, Object, Pdf
from support.cases import each
from support.pdf.coded_text import (
    ROMAN,
    SYMBOLS,
    bitmap_font,
    differences,
    page_of,
    read_text,
    saved,
)

from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import (
    with_character_maps,
    write_cmap,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.simple_fonts import sure_texts

WORD = b"e\x0bectio\x0b"
MARKED = {0x41: "prime", 0x42: "x"}
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def text_of(font: Callable[[Pdf], Object], codes: bytes, in_form: bool = False) -> str:
    """What pdfium reads of the codes once the font has its map."""
    with Pdf.new() as pdf:
        page_of(pdf, font(pdf), codes, in_form)
        mapped = with_character_maps(saved(pdf))
    assert mapped is not None
    return read_text(mapped)


def is_left_alone(font: Callable[[Pdf], Object], codes: bytes) -> bool:
    with Pdf.new() as pdf:
        page_of(pdf, font(pdf), codes)
        return with_character_maps(saved(pdf)) is None


def type1(
    names: Mapping[int, str], cmap: Mapping[int, str] | None = None, **entries: object
) -> Callable[[Pdf], Object]:
    def font(pdf: Pdf) -> Object:
        dictionary = Dictionary(
            Type=Name.Font,
            Subtype=Name.Type1,
            Encoding=Dictionary(Differences=differences(names)),
            **{"BaseFont": Name.Helvetica} | entries,
        )
        if cmap is not None:
            dictionary.ToUnicode = pdf.make_stream(write_cmap(cmap, 1))
        return dictionary

    return font


@pytest.mark.parametrize(
    "name",
    [
        lambda code: f"a{code}",
        lambda code: f"C{code}",
        lambda code: f"G{code:02X}",
        lambda code: "ABCD"[code // 36] + DIGITS[code % 36],
        lambda code: f"#{code:02X}",
    ],
    ids=["decimal", "letter and decimal", "hexadecimal", "base 36", "the character"],
)
@pytest.mark.parametrize("in_form", [False, True])
def test_bitmap_fonts_of_tex_by_their_metrics(name: Callable[[int], str], in_form: bool) -> None:
    def font(pdf: Pdf) -> Object:
        return bitmap_font(pdf, ROMAN, {code: name(code) for code in ROMAN})

    assert text_of(font, WORD, in_form) == "effectioff"
    assert text_of(font, b"\x5cice\x22\x7btoo.") == "“ice”–too."


def test_symbols_of_tex_by_their_metrics() -> None:
    def font(pdf: Pdf) -> Object:
        return bitmap_font(pdf, SYMBOLS, {code: f"a{code}" for code in SYMBOLS})

    assert text_of(font, b"h\x001i") == "⟨−∞⟩"


@pytest.mark.parametrize("prefix", ["C", "a", ""])
def test_glyphs_numbered_by_their_codes_in_another_order(prefix: str) -> None:
    codes = dict(enumerate(ROMAN, start=1))  # code 1 shows the glyph of 0x0B

    def font(pdf: Pdf) -> Object:
        metrics = {code: ROMAN[shown] for code, shown in codes.items()}
        return bitmap_font(
            pdf, metrics, {code: f"{prefix}{shown}" for code, shown in codes.items()}
        )

    by_character = {shown: code for code, shown in codes.items()}
    assert text_of(font, bytes(by_character[shown] for shown in WORD)) == "effectioff"


def test_numbered_glyphs_that_fit_no_font_are_unknown() -> None:
    def font(pdf: Pdf) -> Object:
        metrics = {code: (500.0 + 37 * code % 300, 0.0, 900.0 - 11 * code) for code in range(30)}
        return bitmap_font(pdf, metrics, {code: f"a{code}" for code in metrics})

    assert set(text_of(font, bytes(range(30))).replace("\r\n", "")) == {"\ufffd"}


def test_type_3_fonts_by_glyph_names() -> None:
    names = {1: "T", 2: "eacute", 3: "f_f_i", 4: "quoteright", 5: "one"}

    def font(pdf: Pdf) -> Object:
        return bitmap_font(pdf, dict.fromkeys(names, (500, 0, 700)), names)

    assert text_of(font, bytes(names)) == "Téffi’1"


def test_letters_that_are_the_codes_of_bitmaps() -> None:
    sum_and_integral = {0x50: (1055, -999, 0), 0x52: (472, -1111, 0)}

    def font(pdf: Pdf) -> Object:
        return bitmap_font(pdf, sum_and_integral, {code: chr(code) for code in sum_and_integral})

    assert text_of(font, b"PR") == "∑∫"


def test_letters_that_name_outlines() -> None:
    def font(pdf: Pdf) -> Object:
        dictionary = bitmap_font(pdf, {1: (480, 0, 700), 2: (611, 0, 700)}, {1: "k", 2: "T"})
        for name in ("/k", "/T"):
            dictionary.CharProcs[name] = pdf.make_stream(b"480 0 d0 0 0 m 9 9 l 5 0 l f")
        return dictionary

    assert text_of(font, b"\1\2") == "kT"


def test_blank_glyphs_are_spaces() -> None:
    def font(pdf: Pdf) -> Object:
        names = {1: "T", 2: "one", 3: "odd4"}
        dictionary = bitmap_font(pdf, dict.fromkeys(names, (500, 0, 700)), names)
        dictionary.CharProcs["/odd4"] = pdf.make_stream(b"500 0 0 0 0 0 d1")
        return dictionary

    assert text_of(font, b"\1\3\2") == "T 1"


def test_a_partial_map_of_a_type_3_font_is_completed() -> None:
    def font(pdf: Pdf) -> Object:
        dictionary = bitmap_font(pdf, ROMAN, {code: f"#{code:02X}" for code in ROMAN})
        stated = {ord("e"): "e", ord("c"): "\r"}
        dictionary["/ToUnicode"] = pdf.make_stream(write_cmap(stated, 1))
        return dictionary

    assert text_of(font, WORD) == "effectioff"


@pytest.mark.parametrize(
    ("stated", "text"), [({0x68: "h", 0x69: "i"}, "⟨−∞⟩"), ({0x68: "h", 0x69: "!"}, "h−∞!")]
)
def test_a_map_that_repeats_codes_gives_way_to_metrics(stated: dict[int, str], text: str) -> None:
    def font(pdf: Pdf) -> Object:
        dictionary = bitmap_font(pdf, SYMBOLS, {code: f"a{code}" for code in SYMBOLS})
        dictionary["/ToUnicode"] = pdf.make_stream(write_cmap(stated, 1))
        return dictionary

    assert text_of(font, b"h\x001i") == text


def test_a_map_that_repeats_the_codes_of_brackets_is_none() -> None:
    brackets = {0x66: (386, -217, 880), 0x67: (386, -217, 880), 0x6A: (253, -205, 880)}
    others = {0x3A: (819, 253, 494), 0x5E: (928, -12, 855), 0x5F: (928, -12, 819)}
    stated = {code: chr(code) for code in (*brackets, *others)}
    with Pdf.new() as pdf:
        font = bitmap_font(pdf, brackets | others, stated)
        assert sure_texts(font, stated) == dict.fromkeys(brackets, "\ufffd")
        font = bitmap_font(pdf, brackets | others | {0x67: (386, -217, 570)}, stated)
        assert sure_texts(font, stated) == {}


@each(
    ("name", "text"),
    [
        ("prime", "′"),
        ("angbracketleft", "⟨"),
        ("f_f_i", "ffi"),
        ("oneoldstyle", "1"),
        ("Asmall", "a"),
        ("parenleftbt", "⎝"),
        ("g84", "\ufffd"),
    ],
)
def test_names_that_pdfium_does_not_know(name: str, text: str) -> None:
    assert text_of(type1({0x41: name, 0x42: "x"}), b"BAB") == f"x{text}x"


def test_entries_of_a_map_that_are_plainly_wrong() -> None:
    names = {1: "f_f", 2: "x", 3: "g5"}
    stated = {1: "\x01", 2: "x", 3: "\ue005"}
    assert text_of(type1(names, stated), b"\2\1\2\3\2") == "xffx\ufffdx"


@each(
    ("font", "names", "stated"),
    [
        ("ABCDEF+CMMI10", {15: "alpha"}, {15: "ǫ"}),  # the name is not that of the encoding
        ("ABCDEF+Times", {15: "epsilon1"}, {15: "ǫ"}),  # of no known encoding
        ("ABCDEF+CMMI10", {15: "epsilon1"}, {15: "ϵ"}),
        ("ABCDEF+CMR10", {1: "D"}, {1: "D"}),  # codes in the order of a subset
    ],
)
def test_a_map_is_believed_where_name_or_encoding_agree_with_it(
    font: str, names: dict[int, str], stated: dict[int, str]
) -> None:
    assert is_left_alone(type1(names, stated, BaseFont=Name(f"/{font}")), bytes(names))


def test_a_letter_is_what_its_name_and_the_encoding_of_its_font_say_against_the_map() -> None:
    font = type1({15: "epsilon1", 97: "a"}, {15: "ǫ", 97: "a"}, BaseFont=Name("/ABCDEF+CMMI10"))
    assert text_of(font, b"a\x0fa") == "aϵa"


def test_quotation_marks_and_dashes_are_what_they_are_named_in_a_font_whose_names_are_right() -> (
    None
):
    names = {16: "quotedblleft", 17: "quotedblright", 22: "emdash", 97: "a", 98: "lslash"}
    stated = {16: "ł", 17: "ž", 22: "Ð", 97: "a", 98: "ł"}
    font = type1(names, stated, BaseFont=Name("/ABCDEF+LinLibertineT"))
    assert text_of(font, b"\x10a\x11\x16b") == "“a”—ł"
    slots = {16: "quotedblleft", 97: "a", 98: "b", 99: "c"}  # names that number the glyphs
    other = {16: "ж", 97: "п", 98: "р", 99: "и"}
    assert is_left_alone(type1(slots, other, BaseFont=Name("/ABCDEF+Own")), b"\x10abc")


@each(
    ("font", "names", "stated", "text"),
    [
        ("MacmillanRoman", {1: "FF", 2: "x", 3: "VT"}, {1: "\x0c", 2: "x", 3: "\x0b"}, "fixff"),
        ("MacmillanMath", {1: "semicolon", 2: "equal"}, {1: ";", 2: "="}, ",/"),
        ("MacmillanMath", {1: "x", 2: "SO", 3: "colon"}, None, "xδ."),
        ("Own", {1: "DC3", 2: "equal", 3: "semicolon"}, {2: "=", 3: ";"}, "´=;"),
    ],
)  # fmt: skip
def test_glyphs_of_tex_that_are_named_after_the_codes_of_other_fonts(
    font: str, names: dict[int, str], stated: dict[int, str] | None, text: str
) -> None:
    made = type1(names, stated, BaseFont=Name(f"/ABCDEF+{font}"))
    assert text_of(made, bytes(names)) == text


def test_a_blank_glyph_with_the_name_of_a_code_is_no_ligature() -> None:
    with Pdf.new() as pdf:
        font = type1({1: "x", 2: "CR"}, None, BaseFont=Name("/Own"))(pdf)
        assert sure_texts(Dictionary(font), {1: "x", 2: " "}) == {}


def test_a_map_of_one_character_for_everything_is_none() -> None:
    names = dict(enumerate(("f_i", "f_l", "f_f", "T_h", "f_t", "f_j"), start=0x61))
    assert text_of(type1(names, dict.fromkeys(names, "?")), b"abcdef") == "fiflffThftfj"


def test_private_codes_of_a_symbol_font() -> None:
    font = type1({}, {0x61: "\uf062", 0x62: "x"}, FirstChar=97, LastChar=98)

    def symbol(pdf: Pdf) -> Object:
        dictionary = font(pdf)
        dictionary["/BaseFont"] = Name("/ABCDEF+SymbolMT")
        return dictionary

    assert text_of(symbol, b"bab") == "xβx"


def test_fonts_that_draw_lines_have_no_characters() -> None:
    def font(pdf: Pdf) -> Object:
        dictionary = type1({0x61: "l27", 0x62: "l28"})(pdf)
        dictionary["/BaseFont"] = Name("/ABCDEF+LINE10")
        return dictionary

    assert text_of(font, b"ab").strip() == ""


@pytest.mark.parametrize(
    "font",
    [
        type1({0x61: "a", 0x8A: "eacute", 0xDE: "fi"}),
        type1({1: "g7", 2: "g9"}, {1: "T", 2: "h"}),
        type1({1: "g7", 2: "g9"}, {1: " ", 2: "\t\r \xa0"}),
        lambda _: Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier),
        lambda _: Dictionary(
            Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.ZapfDingbats,
            Encoding=Dictionary(Differences=Array([97, Name("/a20")])),
        ),
        lambda _: Dictionary(Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/UniJIS-UCS2-H")),
        lambda _: Array([1]),
    ],
    ids=["known names", "mapped", "blanks", "standard", "dingbats", "collection", "no font"],
)  # fmt: skip
def test_fonts_that_need_no_map(font: Callable[[Pdf], Object]) -> None:
    assert is_left_alone(font, b"ab")


def glyph_font(pdf: Pdf, stated: Mapping[int, str] | None, program: bytes | None) -> Object:
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name("/ABCDEF+Arial"),
        CIDSystemInfo=Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        W=Array([3, Array([278, 278]), 68, 69, 556]),
        FontDescriptor=Dictionary(
            Type=Name.FontDescriptor, FontName=Name("/ABCDEF+Arial"), Flags=4
        ),
    )
    if program is not None:
        descendant.FontDescriptor.FontFile2 = pdf.make_stream(program)
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name("/ABCDEF+Arial"),
        Encoding=Name("/Identity-H"),
        DescendantFonts=Array([pdf.make_indirect(descendant)]),
    )
    if stated is not None:
        font.ToUnicode = pdf.make_stream(write_cmap(stated, 2))
    return font


def test_glyph_numbers_without_any_evidence_are_unknown() -> None:
    assert text_of(lambda pdf: glyph_font(pdf, None, None), b"\0\x44\0\x45") == "\ufffd\ufffd"


def test_damaged_font_programs_tell_nothing() -> None:
    assert is_left_alone(lambda pdf: glyph_font(pdf, None, b"\0\1\0\0\0\7"), b"\0\x44")


def test_a_sound_map_of_glyph_numbers_is_kept() -> None:
    assert is_left_alone(lambda pdf: glyph_font(pdf, {0x44: "a"}, None), b"\0\x44\0\x45")


def test_codes_under_a_named_map_are_characters() -> None:
    def font(pdf: Pdf) -> Object:
        dictionary = glyph_font(pdf, None, None)
        dictionary.ToUnicode = Name("/Identity-H")
        return dictionary

    assert text_of(font, "削除 ab".encode("utf-16-be")) == "削除 ab"


def test_an_encrypted_file_is_mapped_with_its_password_only() -> None:
    with Pdf.new() as pdf:
        page_of(pdf, type1(MARKED)(pdf), b"BAB")
        data = saved(pdf, encryption=Encryption(owner="owner", user="user"))
    assert with_character_maps(data) is None
    mapped = with_character_maps(data, "user")
    assert mapped is not None
    assert read_text(mapped) == "x′x"


def test_a_damaged_file_keeps_its_pages() -> None:
    with Pdf.new() as pdf:
        page_of(pdf, type1(MARKED)(pdf), b"BAB")
        data = saved(pdf)
    cut = with_character_maps(data.replace(b"startxref", b"startxxxx"))
    assert cut is not None
    assert read_text(cut) == "x′x"
    assert with_character_maps(b"no PDF") is None


def test_resources_that_go_round_in_a_circle() -> None:
    with Pdf.new() as pdf:
        font = pdf.make_indirect(type1(MARKED)(pdf))
        page_of(pdf, font, b"BAB")
        form = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form)
        form.Resources = Dictionary(XObject=Dictionary(X1=form))
        font.Resources = Dictionary(Font=Dictionary(F1=font))
        pdf.pages[0].Resources.XObject = Dictionary(X1=form)
        mapped = with_character_maps(saved(pdf))
    assert mapped is not None
    assert read_text(mapped) == "x′x"
