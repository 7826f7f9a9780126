"""Pages with formulas, set as TeX sets them: fractions on bars, roots under rules, limits over and
under their operators. Large signs are drawn below their origin, as those of cmex10."""

import random
from pathlib import Path
from typing import NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf
from support.pdf.written_pdf import paragraph, write_pdf

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import character_metrics

_WIDTHS = {chr(m.code): m.width / 1000 for m in character_metrics("Helvetica") if m.code > 0}
_AXIS, _RULE = 0.25, 0.04
# Signs of the font /M by code: glyph name, width, height below the origin, in thousandths.
_SIGNS = {"√": (1, "radical", 833, 1000), "∑": (2, "summationtext", 1056, 1000)}


class Set(NamedTuple):
    """A formula that is set: content operators around an origin, with width, height and depth in
    points, and how it is written on one line."""

    text: str
    width: float
    height: float
    depth: float
    pieces: tuple[tuple[float, float, str, float], ...] = ()  # x, rise, text, em
    bars: tuple[tuple[float, float, float], ...] = ()  # x, rise, width

    def at(self, x: float, rise: float) -> "Set":
        return self._replace(
            pieces=tuple((px + x, py + rise, t, em) for px, py, t, em in self.pieces),
            bars=tuple((bx + x, by + rise, width) for bx, by, width in self.bars),
        )

    def content(self, x: float, y: float) -> str:
        parts = []
        for px, rise, text, em in self.pieces:
            font, shown = (
                ("M", f"<{_SIGNS[text][0]:02x}>")
                if text in _SIGNS
                else ("F1", f"<{text.encode().hex()}>")
            )
            parts.append(f"BT /{font} {em:.2f} Tf {x + px:.2f} {y + rise:.2f} Td {shown} Tj ET")
        for bx, rise, width in self.bars:
            parts.append(f"{x + bx:.2f} {y + rise - 0.2:.2f} {width:.2f} 0.4 re f")
        return "\n".join(parts)


def letters(text: str, em: float) -> Set:
    width = sum(_WIDTHS[char] for char in text) * em
    return Set(text, width, 0.72 * em, 0.2 * em, ((0.0, 0.0, text, em),))


def row(parts: list[Set], em: float) -> Set:
    """Parts with spaces between them."""
    x, placed = 0.0, []
    for part in parts:
        placed.append(part.at(x, 0.0))
        x += part.width + 0.28 * em
    return Set(
        " ".join(part.text for part in parts), x - 0.28 * em,
        max(p.height for p in parts), max(p.depth for p in parts),
        tuple(piece for p in placed for piece in p.pieces),
        tuple(bar for p in placed for bar in p.bars),
    )  # fmt: skip


def fraction(over: Set, under: Set, em: float) -> Set:
    wide = max(over.width, under.width)
    axis, gap = _AXIS * em, 0.12 * em
    up, down = axis + gap + over.depth, axis - gap - under.height
    upper = over.at(0.12 * em + (wide - over.width) / 2, up)
    lower = under.at(0.12 * em + (wide - under.width) / 2, down)
    return Set(
        f"{_part(over.text)}/{_part(under.text)}", wide + 0.24 * em, up + over.height,
        under.depth - down, upper.pieces + lower.pieces,
        ((0.12 * em, axis, wide), *upper.bars, *lower.bars),
    )  # fmt: skip


def root(inner: Set, em: float) -> Set:
    top, width = inner.height + 0.15 * em, _SIGNS["√"][2] / 1000 * em
    placed = inner.at(width, 0.0)
    return Set(
        f"√{_part(inner.text)}", width + inner.width, top + _RULE * em, inner.depth,
        ((0.0, top, "√", em), *placed.pieces), ((width, top, inner.width), *placed.bars),
    )  # fmt: skip


def total(upper: str, lower: str, em: float) -> Set:
    """A sum with its limits."""
    over, under = letters(upper, 0.7 * em), letters(lower, 0.7 * em)
    sign = _SIGNS["∑"][2] / 1000 * em
    wide = max(over.width, under.width, sign)
    pieces = (
        *over.at((wide - over.width) / 2, 0.95 * em).pieces,
        ((wide - sign) / 2, 0.75 * em, "∑", em),
        *under.at((wide - under.width) / 2, -0.95 * em).pieces,
    )
    return Set(f"∑_({lower})^{upper}", wide, 1.5 * em, 1.1 * em, pieces)


def _part(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def term(rng: random.Random, em: float, depth: int) -> Set:
    kind = rng.choice("lllfr" if depth else "l")
    if kind == "f":
        return fraction(expression(rng, em, depth - 1), expression(rng, em, depth - 1), em)
    if kind == "r":
        return root(expression(rng, em, depth - 1), em)
    return letters(rng.choice(["a", "b", "x", "y", "12", "3n", "kT"]), em)


def expression(rng: random.Random, em: float, depth: int) -> Set:
    parts = [term(rng, em, depth)]
    for _ in range(rng.randrange(3)):
        parts += [letters(rng.choice("+="), em), term(rng, em, depth)]
    return row(parts, em)


class FormulaPage(NamedTuple):
    """A page's file, and what it holds: prose, a displayed formula with its number, prose with a
    formula in its last line."""

    path: Path
    before: str
    formula: str
    number: str
    after: str
    inline: str


def formula_page(path: Path, seed: int) -> FormulaPage:
    rng, em = random.Random(seed), 10.0
    above, below = paragraph(4, 720, seed=seed), paragraph(4, 560, seed=seed + 5)
    write_pdf(path, [above])
    start = letters("W", em), letters("=", em)
    shown = row([*start, total("n", "i=1", em), term(rng, em, 2), letters("+", em),
                 fraction(letters("a", em), expression(rng, em, 1), em)], em)  # fmt: skip
    inline = _inline(rng, em)
    number = f"({rng.randrange(1, 40)})"
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        page.Resources.Font["/M"] = _large_signs(pdf)
        drawn = [
            *(letters(line.text, em).content(line.x, line.y) for line in above),
            shown.content(160, 625),
            letters(number, em).content(500, 625),
            *(letters(line.text, em).content(line.x, line.y) for line in below),
            inline.content(72, 512),
        ]
        page.Contents = pdf.make_stream("\n".join(drawn).encode("latin-1"))
        pdf.save(path)
    before, after = (" ".join(line.text for line in lines) for lines in (above, below))
    return FormulaPage(path, before, shown.text, number, after, inline.text)


def _inline(rng: random.Random, em: float) -> Set:
    """A line of words with a root and a small fraction: its bar is on the axis of the line."""
    over, under = letters(rng.choice(["1", "3n"]), 0.7 * em), letters("kT", 0.7 * em)
    wide = max(over.width, under.width)
    small = Set(
        f"{over.text}/{under.text}", wide + 2.4, 0.9 * em, 0.4 * em,
        (*over.at(1.2 + (wide - over.width) / 2, 3.9).pieces,
         *under.at(1.2 + (wide - under.width) / 2, -3.5).pieces),
        ((1.2, 2.5, wide),),
    )  # fmt: skip
    words = [letters(word, em) for word in ("so", "it", "is", "as", "much", "as")]
    return row([*words, root(letters("3n", em), em), letters("or", em), small,
                letters("of", em), letters("all", em)], em)  # fmt: skip


def _large_signs(pdf: Pdf) -> pikepdf.Object:
    """A font of signs that hang below their origin."""
    signs = sorted(_SIGNS.values())
    procedures = {
        f"/{name}": pdf.make_stream(
            f"{width} 0 0 {-height} {width} 40 d1 0 {-height} {width} {height + 40} re f".encode()
        )
        for _, name, width, height in signs
    }
    differences: list[object] = [1, *(Name(f"/{name}") for _, name, _, _ in signs)]
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, -1000, 1100, 100]),
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]), FirstChar=1, LastChar=len(signs),
            Widths=Array([width for _, _, width, _ in signs]), CharProcs=Dictionary(procedures),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array(differences)),
        )
    )  # fmt: skip
