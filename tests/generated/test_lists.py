"""Nested lists of a typeset page: their depth, their text, and where each line stands."""

from pathlib import Path

import pytest
import typst

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

_LONG = "the quick brown fox jumps over the lazy dog and goes on to the river where it drinks"
_SOURCE = f"""
#set page(width: %dmm, height: 70mm, columns: %d, margin: 10mm)
#set text(size: 8pt)
#set par(justify: true)
#set enum(numbering: "1.a.i.")
= Lists
{_LONG}. {_LONG}.

+ First {_LONG}. Again {_LONG}.
  + Letter {_LONG}. Again {_LONG}. Again {_LONG}.
  + Short letter.
    + Roman.
    + Another {_LONG}.
  + Third letter.
+ Second.

  A paragraph of the second {_LONG}.
  - Bullet {_LONG}
    - Below
  - Last
%s

After the list {_LONG}. {_LONG}.
"""
_ENDS = "\n".join(f"+ Number {n}." for n in range(3, 12))
_DEPTHS = [
    *[(1, "1. First"), (2, "a. Letter"), (2, "b. Short letter."), (3, "i. Roman.")],
    *[(3, "ii. Another"), (2, "c. Third letter."), (1, "2. Second."), (2, "\u2022 Bullet")],
    *[(3, "\u2023 Below"), (2, "\u2022 Last")],
    *[(1, f"{n}. Number {n}.") for n in range(3, 12)],
]


def _convert(folder: Path, columns: int) -> ConversionResult:
    path = folder / "lists.pdf"
    path.write_bytes(
        typst.compile(
            (_SOURCE % (100 * columns, columns, _ENDS)).encode(), ignore_system_fonts=True
        )
    )
    return convert_pdf(path, "id")


@pytest.mark.parametrize("columns", [1, 2])
def test_items_are_nested_by_their_indents_and_joined_over_lines_and_pages(
    tmp_path: Path, columns: int
) -> None:
    found = _convert(tmp_path, columns)
    items = [b for b in found.blocks if b.label == BlockLabel.LIST_ITEM]
    assert len(found.structure.page_map) > 1
    assert len(items) == len(_DEPTHS)
    for block, (depth, begins) in zip(items, _DEPTHS, strict=True):
        text = found.text_of(block.span)
        assert text.startswith(begins)
        before = found.plain_text[: block.span.start]
        assert len(before) - len(before.rstrip(" ")) == 2 * (depth - 1), text
        assert text.count(_LONG) == {"1. First": 2, "a. Letter": 3}.get(begins, _LONG in text)
    inside = next(b for b in found.blocks if found.text_of(b.span).startswith("A paragraph"))
    assert inside.label == BlockLabel.TEXT


def test_every_character_of_an_item_stands_on_one_of_its_lines(tmp_path: Path) -> None:
    found = _convert(tmp_path, 1)
    for block in found.blocks:
        told = "".join(found.plain_text[line.start : line.end] for line in block.lines)
        assert told.replace(" ", "") == found.text_of(block.span).replace(" ", "")
