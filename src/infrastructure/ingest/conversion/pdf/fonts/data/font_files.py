"""Glyph lists, encodings and font metrics of docling-parse, and the tables beside this file.

docling-parse has them as data (``pdf_resources``) of its own parser: the Adobe Glyph List, names of
TeX glyphs, the encodings of PDF, and metrics (AFM) of Computer Modern, the fonts of the AMS and of
LaTeX, and the standard fonts. All readers raise ImportError where it lacks a file.
"""

import re
from importlib import resources
from typing import NamedTuple

_METRIC = re.compile(
    r"C\s+(-?\d+)\s*;\s*WX\s+(\S+)\s*;\s*N\s+(\S+)\s*;\s*B\s+\S+\s+(\S+)\s+\S+\s+(\S+)\s*;"
)


class CharacterMetric(NamedTuple):
    """A glyph of a font: its code (-1: none), name, advance width, lower and upper edge, in
    thousandths of the font size."""

    code: int
    name: str
    width: float
    low: float
    high: float


def character_metrics(font: str) -> list[CharacterMetric]:
    """The glyphs of a font, by its path below ``fonts`` without suffix: ``standard/Symbol``."""
    text, _, _ = _docling_parse(f"fonts/{font}.afm").partition("EndCharMetrics")
    return [
        CharacterMetric(int(code), name, float(width), float(low), float(high))
        for code, width, name, low, high in _METRIC.findall(text)
    ]


def glyph_list(path: str) -> dict[str, list[str]]:
    """Texts that each name stands for, the usual one first, of a list below ``glyphs``."""
    return _texts(_docling_parse(f"glyphs/{path}"))


def own_glyph_list() -> dict[str, list[str]]:
    """As ``glyph_list``, of names that are in none of them, or otherwise."""
    return _texts(own_table("other_glyphs.txt"))


def encoding(name: str) -> dict[int, str]:
    """Glyph names by code of an encoding of PDF: std, winansi, macroman, macexpert."""
    return _names(_docling_parse(f"encodings/{name}.dat"))


def own_encoding(name: str) -> dict[int, str]:
    """Glyph names by code of an encoding that is none of PDF's: t1, ts1, lasy, wingdings."""
    return _names(own_table(f"{name}.txt"))


def own_table(file: str) -> str:
    """The text of a file of this package."""
    return resources.files(__package__).joinpath(file).read_text("ascii")


def _docling_parse(path: str) -> str:
    file = resources.files("docling_parse").joinpath("pdf_resources", *path.split("/"))
    try:
        return file.read_text("latin-1")
    except OSError as error:
        raise ImportError(
            f"docling-parse lacks pdf_resources/{path}; install the version that CiteLoom requires"
        ) from error


def _texts(text: str) -> dict[str, list[str]]:
    return {
        name: ["".join(chr(int(code, 16)) for code in codes.split()) for codes in texts.split(",")]
        for name, texts in _pairs(text)
    }


def _names(text: str) -> dict[int, str]:
    return {int(code, 16): name for code, name in _pairs(text)}


def _pairs(text: str) -> list[tuple[str, str]]:
    """The two fields of each line, with a semicolon between them; comments begin with #."""
    lines = (line.partition(";") for line in text.splitlines() if not line.startswith("#"))
    return [(first.strip(), second.strip()) for first, found, second in lines if found]
