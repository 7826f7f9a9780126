"""How near a converted paper comes to its truth.

usage: PYTHONPATH=tests python -m generated.measure [--latex] [--seeds 0-19] [--keep FOLDER]

Prints a line a paper and one for all: headings found, right of those claimed, level and page
right of those found, and words in order; of LaTeX's papers (these need pdflatex) also what
``latex_measure`` tells. Sources and PDFs stay in FOLDER and are not typeset again.
"""

import argparse
import difflib
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from generated import latex_measure
from generated.typeset import latex_papers
from generated.typeset.papers import Paper, typeset

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

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


def _counts(found: Score, paper: Paper) -> Counter[str]:
    """The counts of a typst paper by the names that LaTeX's have."""
    return Counter(
        wanted=found.wanted,
        claimed=found.found,
        hits=found.hits,
        level=found.levels,
        page=found.pages,
        text=len(paper.words),
    ) + Counter({"in order": round(found.order * len(paper.words))})


_TYPST = {"R": ("hits", "wanted"), "P": ("hits", "claimed"), "level": ("level", "hits"),
          "page": ("page", "hits"), "order": ("in order", "text")}  # fmt: skip
_LATEX = {**_TYPST, "kept": ("kept", "all"), "placed": ("placed", "found"),
          "chunks": ("exact", "judged"), "title": ("title", "papers"),
          "leaked": ("leaked", "papers")}  # fmt: skip


def _row(counts: Counter[str], columns: dict[str, tuple[str, str]]) -> str:
    return "  ".join(
        f"{name} {counts[part] / counts[whole] if counts[whole] else 1.0:.4f}"
        for name, (part, whole) in columns.items()
    )


class _Measured(NamedTuple):
    name: str
    group: str
    counts: Counter[str]
    missed: tuple[str, ...]
    extra: tuple[str, ...]


def _with_typst(seed: int) -> _Measured:
    paper = typeset(seed)
    found = score(paper)
    return _Measured("typst", "typst", _counts(found, paper), found.missed, found.extra)


def _with_latex(seed: int, folder: Path) -> _Measured:
    paper = latex_papers.typeset(seed, folder)
    found = latex_measure.score(paper)
    look = paper.look
    name = f"{look.name} [{look.options}] {look.font}"
    return _Measured(name, f"columns: {look.columns}", *found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--latex", action="store_true", help="papers typeset by LaTeX")
    parser.add_argument("--seeds", default="0-19", help="first and last seed, as in 0-19")
    parser.add_argument("--keep", type=Path, help="where LaTeX's papers are left")
    parser.add_argument("--verbose", action="store_true", help="name headings that are wrong")
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    sums: dict[str, Counter[str]] = {}
    columns = _LATEX if options.latex else _TYPST
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last or first) + 1):
            if options.latex:
                found = _with_latex(seed, options.keep or Path(folder))
            else:
                found = _with_typst(seed)
            for key in (found.group, "all"):
                sums.setdefault(key, Counter()).update(found.counts)
            print(f"{seed:>4}  {_row(found.counts, columns)}  {found.name}", flush=True)
            for sign, titles in (("-", found.missed), ("+", found.extra)):
                for title in titles if options.verbose else ():
                    print(f"      {sign} {title}", flush=True)
    for key, counts in sorted(sums.items()):
        print(f"{key}:  {_row(counts, columns)}")


if __name__ == "__main__":
    main()
