"""How paragraphs may begin on a typeset page: with large initials and with run-in heads."""

from pathlib import Path

import pytest
import typst

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

_PROSE = "quick brown foxes jump over the lazy dog and go on to the river where they drink a lot"
_PAGE = """
#set page(width: 110mm, height: 150mm, margin: 12mm)
#set text(size: 9pt)
#set par(justify: true, first-line-indent: 1.2em, leading: 0.6em)
#set heading(numbering: "1.")
"""


def _convert(folder: Path, source: str) -> ConversionResult:
    path = folder / "page.pdf"
    path.write_bytes(typst.compile((_PAGE + source).encode(), ignore_system_fonts=True))
    return convert_pdf(path, "id")


def _texts(found: ConversionResult) -> list[str]:
    return [found.text_of(b.span) for b in found.blocks if b.label == BlockLabel.TEXT]


@pytest.mark.parametrize(
    ("initial", "rest", "read"),
    [
        ("T", "HE", "THE quick"),
        ("I", "n", "In quick"),
        ("A", " study of", "A study of quick"),
        ("\u201cW", "hen", "\u201cWhen quick"),
    ],
)
def test_an_initial_is_joined_to_its_word(
    tmp_path: Path, initial: str, rest: str, read: str
) -> None:
    first, second = _PROSE.split(" over ")
    source = f"""
= Introduction
#let gap = context h(measure(text(size: 27pt)[{initial}]).width + 4pt)
#block[
  #place(top + left, text(size: 27pt, top-edge: "cap-height")[{initial}])
  #par(first-line-indent: 0pt)[
    #gap#[{rest}] {first} or run and walk \\
    #gap#[over {second[:44]}] \\
    which is where {_PROSE} and is a study of something, {_PROSE}.
  ]
]

Then {_PROSE}, {_PROSE}, {_PROSE}.
"""
    found = _convert(tmp_path, source)
    opening = _texts(found)[0]
    assert opening.startswith(f"{read} brown foxes jump or run and walk over the lazy dog")
    assert opening.endswith(f"is a study of something, {_PROSE}.")
    assert [h.title for h in found.structure.headings()] == ["1. Introduction"]
    block = next(b for b in found.blocks if b.label == BlockLabel.TEXT)
    assert max(line.bbox[0] for line in block.lines) < min(ln.bbox[0] for ln in block.lines) + 1


def test_run_in_heads_over_two_lines_and_in_italics(tmp_path: Path) -> None:
    long = "A head that is much longer than the line which it begins so that it has to be broken"
    source = f"""
= Introduction
{_PROSE}. {_PROSE}.

*{long}* #h(1em) Then {_PROSE}. {_PROSE}.

_Data sets._ We use {_PROSE}. {_PROSE}.

_In vitro_ studies show {_PROSE}.

_Training details._ All {_PROSE}. {_PROSE}.

*Theorem 1.* _Let {_PROSE}._

_Proof._ Since {_PROSE}.
= Methods
{_PROSE}. {_PROSE}.
"""
    found = _convert(tmp_path, source)
    assert [(h.title, h.level) for h in found.structure.headings()] == [
        ("1. Introduction", 1),
        (long, 2),
        ("Data sets.", 3),  # italics rank below bold
        ("Training details.", 3),
        ("2. Methods", 1),
    ]
    assert any(text.startswith(f"Then {_PROSE}") for text in _texts(found))
