"""How near a converted paper comes to its truth."""

import difflib
import tempfile
from pathlib import Path
from typing import NamedTuple

from generated.papers import Paper

from citeloom.domain.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.conversion.pdf import convert_pdf
from citeloom.infrastructure.conversion.pdf.glyphs import squash

_NOT_RUNNING_TEXT = (BlockLabel.SECTION_HEADER, BlockLabel.TITLE, BlockLabel.AUTHORS)


class Score(NamedTuple):
    """Counts of headings, and the share of the body's words that are found in order."""

    wanted: int
    found: int
    hits: int
    levels: int
    pages: int
    order: float
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def score(paper: Paper) -> Score:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.pdf"
        path.write_bytes(paper.pdf)
        result = convert_pdf(path, "id")
    got = list(result.structure.headings())
    left = list(got)
    hits = levels = pages = 0
    missed = []
    for truth in paper.headings:
        match = next((h for h in left if squash(h.title) == squash(truth.title)), None)
        if match is None:
            missed.append(truth.title)
            continue
        left.remove(match)
        hits += 1
        levels += match.level == truth.level
        pages += match.page == truth.page
    return Score(
        wanted=len(paper.headings),
        found=len(got),
        hits=hits,
        levels=levels,
        pages=pages,
        order=_in_order(paper.words, _words(result)),
        missed=tuple(missed),
        extra=tuple(h.title for h in left),
    )


def _words(result: ConversionResult) -> list[str]:
    parts = [result.text_of(b.span) for b in result.blocks if b.label not in _NOT_RUNNING_TEXT]
    return " ".join(parts).split()


def _in_order(wanted: tuple[str, ...], got: list[str]) -> float:
    """Share of the words on the longest common blocks in order (difflib's, near the LCS)."""
    matcher = difflib.SequenceMatcher(None, list(wanted), got, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(wanted)
