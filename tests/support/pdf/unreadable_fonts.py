"""Fonts that draw letters and do not say which: what a reader sees, no program can tell."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf

FIRST, LAST = 32, 126


def type3(pdf: Pdf, glyph_name: Callable[[int], str | None]) -> pikepdf.Object:
    """A Type 3 font whose letters are boxes, with these names and no ToUnicode."""
    box = b"500 0 50 0 450 700 d1 50 0 400 700 re f"
    names = {code: name for code in range(FIRST, LAST + 1) if (name := glyph_name(code))}
    differences: list[object] = []
    for code, name in names.items():
        differences += [code, Name(f"/{name}")]
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type3,
        FontBBox=Array([0, -200, 500, 800]),
        FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        FirstChar=FIRST,
        LastChar=LAST,
        Widths=Array([500] * (LAST - FIRST + 1)),
        CharProcs=Dictionary({f"/{name}": pdf.make_stream(box) for name in names.values()}),
        Encoding=Dictionary(Type=Name.Encoding, Differences=Array(differences)),
    )
    return pdf.make_indirect(font)


def with_fonts(
    source: Path, path: Path, pages: Sequence[int], made: Callable[[Pdf, pikepdf.Object], object]
) -> Path:
    """``source`` with other fonts on these pages, from 1: ``made`` gets each old one."""
    with pikepdf.open(source) as pdf:
        for number in pages:
            page = pdf.pages[number - 1]
            resources = Dictionary(dict(page.Resources.items()))
            resources.Font = Dictionary(
                {name: made(pdf, font) for name, font in page.Resources.Font.items()}
            )
            page.Resources = resources
        pdf.save(path)
    return path


def without_characters(pdf: Pdf, font: pikepdf.Object) -> pikepdf.Object:
    """The same font without its ToUnicode."""
    kept = {name: value for name, value in font.items() if name != "/ToUnicode"}
    return pdf.make_indirect(Dictionary(kept))
