"""Many papers from a few, for benchmarks of ingest: same pages, other text.

usage: python benchmarks/ingest_copies.py FOLDER TARGET COUNT

Copy n of a paper has the lines of each page in another order, among lines of the same font and
length, and a first page with its number. So it has the words, fonts and pictures of the paper, but
few of its sentences (two copies share 10 to 20 in 100): nothing is a duplicate, and few vectors can
be taken from another copy. The first copy of each paper has its lines shuffled too.
"""

import random
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pikepdf

# Shorter strings are parts of lines: marks of citation, words in another font.
_LINE_BYTES = 30
# Lines change places with those of about their length, so that none runs into another.
_ALIKE_BYTES = 12


def papers(folder: Path) -> list[Path]:
    """PDFs of a folder and its folders, by name."""
    return sorted(folder.rglob("*.pdf"), key=lambda path: path.name)


def copies(folder: Path, target: Path, count: int) -> None:
    """Write ``count`` PDFs to ``target``, going round the papers of ``folder``."""
    target.mkdir(parents=True, exist_ok=True)
    for number, paper in enumerate(islice(cycle(papers(folder)), count), start=1):
        with pikepdf.open(paper) as document:
            for page in document.pages:
                _shuffle_lines(document, page, random.Random(f"{number} {paper.name}"))
            document.pages.insert(0, _cover(document, number))
            document.save(target / f"{number:04d}-{paper.name}")


def _shuffle_lines(document: pikepdf.Pdf, page: pikepdf.Page, dice: random.Random) -> None:
    instructions = list(pikepdf.parse_content_stream(page))
    alike: dict[tuple[str, int], list[int]] = {}
    for place, font, length in _lines(instructions):
        alike.setdefault((font, length // _ALIKE_BYTES), []).append(place)
    for places in alike.values():
        operands = [instructions[place].operands for place in places]
        dice.shuffle(operands)
        for place, shuffled in zip(places, operands, strict=True):
            operator = instructions[place].operator
            instructions[place] = pikepdf.ContentStreamInstruction(shuffled, operator)
    page.Contents = document.make_stream(pikepdf.unparse_content_stream(instructions))


def _lines(instructions: list[pikepdf.ContentStreamInstruction]) -> Iterator[tuple[int, str, int]]:
    """Place, font and bytes of each instruction that shows a line."""
    font = ""
    for place, instruction in enumerate(instructions):
        operator = str(instruction.operator)
        if operator == "Tf":
            font = str(instruction.operands[0])
        elif operator == "TJ":
            shown = [part for part in instruction.operands[0] if isinstance(part, pikepdf.String)]
            length = sum(len(bytes(part)) for part in shown)
            if length >= _LINE_BYTES:
                yield place, font, length


def _cover(document: pikepdf.Pdf, number: int) -> pikepdf.Page:
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1,
                              BaseFont=pikepdf.Name.Helvetica)  # fmt: skip
    text = f"BT /F1 14 Tf 72 700 Td (Copy number {number} of a paper for measuring.) Tj ET"
    page = pikepdf.Dictionary(
        Type=pikepdf.Name.Page,
        MediaBox=[0, 0, 612, 792],
        Resources=pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font)),
        Contents=document.make_stream(text.encode()),
    )
    return pikepdf.Page(document.make_indirect(page))


if __name__ == "__main__":
    copies(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
