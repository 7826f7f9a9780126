"""Glyph lists, encodings and font metrics: the tables beside this file."""

from functools import cache
from importlib import resources
from typing import NamedTuple


class CharacterMetric(NamedTuple):
    """A glyph of a font: its code (-1: none), name, advance width, lower and upper edge, in
    thousandths of the font size."""

    code: int
    name: str
    width: float
    low: float
    high: float


def character_metrics(font: str) -> list[CharacterMetric]:
    """The glyphs of a font of TeX (``cmr10``) or PDF (``Times-Roman``). Raises KeyError for a font
    that is in neither table."""
    return _metrics()[font]


def glyph_list(name: str) -> dict[str, str]:
    """The text that each glyph name stands for, of a list: adobe, tex, other."""
    return {
        glyph: "".join(chr(int(code, 16)) for code in codes.split())
        for glyph, codes in _pairs(f"{name}_glyphs.txt")
    }


def encoding(name: str) -> dict[int, str]:
    """Glyph names by code of an encoding: winansi, t1, ts1, lasy, wingdings."""
    return {int(code, 16): glyph for code, glyph in _pairs(f"{name}.txt")}


def table(file: str) -> str:
    """The text of a file of this package."""
    return resources.files(__package__).joinpath(file).read_text("ascii")


@cache
def _metrics() -> dict[str, list[CharacterMetric]]:
    fonts: dict[str, list[CharacterMetric]] = {}
    for line in (table("tex_metrics.txt") + table("standard_metrics.txt")).splitlines():
        if line.startswith("= "):
            metrics = fonts.setdefault(line[2:], [])
        elif not line.startswith("#"):
            code, name, width, low, high = line.split()
            metrics.append(CharacterMetric(int(code), name, float(width), float(low), float(high)))
    return fonts


def _pairs(file: str) -> list[tuple[str, str]]:
    """The two fields of each line, with a semicolon between them; comments begin with #."""
    lines = (line.partition(";") for line in table(file).splitlines() if not line.startswith("#"))
    return [(first.strip(), second.strip()) for first, found, second in lines if found]
