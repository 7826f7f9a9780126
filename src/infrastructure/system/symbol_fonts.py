"""Symbol fonts of Word and LaTeX: the characters of their codes.

Adobe, "Symbol Set and Encoding" and "ITC Zapf Dingbats"; for Microsoft's fonts the characters that
Unicode 7.0 took from them (L2/12-368), limited to those that occur in texts.
"""

from typing import Final

from citeloom.domain.text.characters import whole_number

#: Of a code whose character is not known: a sign, never a letter.
UNKNOWN: Final = "▯"

# The codes of the font Symbol from 0x20 and from 0xA0 on (Adobe, "Symbol Set and Encoding").
_LOW: Final = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾"
    "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_HIGH: Final = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪▯⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_SYMBOL: Final = {
    **dict(enumerate(_LOW, start=0x20)),
    **dict(enumerate(_HIGH, start=0xA0)),
}
_WINGDINGS: Final = {
    0x20: " ", 0x4A: "☺", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖",
    0x9F: "•", 0xA0: "▪", 0xA1: "○", 0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xDF: "←", 0xE0: "→",
    0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄",
    0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2: Final = {
    0x20: " ", 0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x54: "☒",
    **{0x69 + at: chr(0x24EA if not at else 0x245F + at) for at in range(11)},
    0x97: "●", 0x98: "●", 0x99: "○", 0xA2: "■", 0xA3: "□",
}  # fmt: skip
_WEBDINGS: Final = {
    0x20: " ", 0x33: "◀", 0x34: "▶", 0x35: "▲", 0x36: "▼", 0x61: "✔", 0x63: "□", 0x67: "■",
    0x6E: "●", 0x72: "✖",
}  # fmt: skip
_WINGDINGS_3: Final = {
    0x20: " ", 0x66: "←", 0x67: "→", 0x68: "↑", 0x69: "↓", 0x6A: "↖", 0x6B: "↗", 0x6C: "↙",
    0x6D: "↘", 0x70: "▲", 0x71: "▼", 0x72: "△", 0x73: "▽", 0x74: "◀", 0x75: "▶",
}  # fmt: skip
_MT_EXTRA: Final = {0x20: " ", 0x4B: "…", 0x4C: "⋯", 0x4D: "⋮", 0x4F: "⋱", 0x6C: "ℓ", 0x68: "ℏ"}
_OUT_OF_ORDER: Final = {
    0x20: " ", 0x25: "☎", 0x2A: "☛", 0x2B: "☞", 0x48: "★", 0x6C: "●", 0x6E: "■", 0x73: "▲",
    0x74: "▼", 0x75: "◆", 0x77: "◗", 0xA8: "♣", 0xA9: "♦", 0xAA: "♥", 0xAB: "♠", 0xD5: "→",
    0xD6: "↔", 0xD7: "↕", 0xF0: UNKNOWN,
}  # fmt: skip
_DINGBATS: Final = {
    **{code: chr(0x2701 + code - 0x21) for code in range(0x21, 0x7F)},
    **{code: chr(0x2761 + code - 0xA1) for code in range(0xA1, 0xFF)},
    **{code: chr(0x2460 + code - 0xAC) for code in range(0xAC, 0xB6)},
    **_OUT_OF_ORDER,
}
_FONTS: Final = {
    "symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2,
    "wingdings 3": _WINGDINGS_3, "webdings": _WEBDINGS, "mt extra": _MT_EXTRA,
    "zapf dingbats": _DINGBATS, "itc zapf dingbats": _DINGBATS, "zapfdingbats": _DINGBATS,
    "monotype sorts": _DINGBATS, "marlett": {}, "bookshelf symbol 7": {},
}  # fmt: skip


def is_symbol_font(font: str) -> bool:
    return font.lower() in _FONTS


def spelt(char: str, font: str) -> str:
    """The character for a code of a font, with U+F000 added or without it; UNKNOWN if there is
    none. A letter of another font is itself."""
    code, table = ord(char), _FONTS.get(font.lower())
    if 0xF000 <= code <= 0xF0FF:
        return (table or {}).get(code - 0xF000, UNKNOWN)
    return char if table is None or code > 0xFF else table.get(code, UNKNOWN)


def dingbat(number: str) -> str:
    """The character of ``\\ding{51}``, by the code of Zapf Dingbats."""
    return _DINGBATS.get(whole_number(number.strip()) or 0, UNKNOWN)
