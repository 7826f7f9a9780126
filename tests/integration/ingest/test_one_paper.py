"""The same paper in every format gives the same sentences."""

import hashlib
import random
from collections import Counter
from pathlib import Path

import pytest
from support.files.one_paper import FORMULA, WRITERS, Block, Paper, Run
from support.files.paper_pdf import pdf

from citeloom.infrastructure.ingest.conversion.convert import convert_file


def line(*runs: Run | str) -> tuple[Run, ...]:
    return tuple(Run("text", run) if isinstance(run, str) else run for run in runs)


def power(exponent: str) -> Run:
    return Run("sup", exponent)


def index(number: str) -> Run:
    return Run("sub", number)


PAPER: Paper = (
    Block("heading", (line("1 Walls—old and new"),)),
    Block(
        "text",
        (
            line(
                "The “green” walls of 1990–1995 weren’t bare: 3.2 × 10", power("6"), " cells, CO",
                index("2"), " and inter", Run("style", "disci"), "plinary (",
                Run("style", "quoted"), ") words, 3 ± 1 K.",
                Run("note", "Plots were drawn by lot—twice."), " It was so (",
                FORMULA, "). Café & 5 %…",
            ),
        ),
    ),
    Block("heading", (line("1.1 On CO", index("2")),), 2),
    Block("quote", (line("No slate is ever ‘bare’ for long."),)),
    Block("list", (line("First—item"), line("5 m", power("2")), line(Run("style", "L"), "ast"))),
    Block("table", (line("Site"), line("mm"), line("quarry"), line("0.4–0.5 × 10", power("−3")))),
    Block("text", (line("The last words."),)),
)  # fmt: skip

SENTENCES = [
    "1 Walls—old and new",
    "The “green” walls of 1990–1995 weren’t bare: 3.2 × 10⁶ cells, CO₂ and interdisciplinary "
    "(quoted) words, 3 ± 1 K. It was so (P < 0.03). Café & 5 %…",
    "Plots were drawn by lot—twice.",
    "1.1 On CO₂",
    "No slate is ever ‘bare’ for long.",
    "First—item",
    "5 m²",
    "Last",
    "| Site | mm | | quarry | 0.4–0.5 × 10⁻³ |",
    "The last words.",
]


def blocks(name: str, paper: Paper, folder: Path) -> list[str]:
    content = pdf(paper) if name == "paper.pdf" else WRITERS[name](paper)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    result = convert_file(path, hashlib.sha256(path.read_bytes()).hexdigest())
    return [" ".join(result.text_of(block.span).split()) for block in result.blocks]


@pytest.mark.parametrize("name", WRITERS)
def test_a_paper_has_the_same_sentences_in_every_format(name: str, tmp_path: Path) -> None:
    found = blocks(name, PAPER, tmp_path)
    assert Counter(found) == Counter(SENTENCES)
    note = SENTENCES[2]
    assert [one for one in found if one != note] == [one for one in SENTENCES if one != note]


WORDS = (
    "moss slate ‘bare’ “green” 1990–1995 walls—old it’s café 3 ± 1 K 5 % Łódź × ≤ α naïve (so) "
    "Moss, grew. & straße"
).split()
PIECES = (
    (power("6"), "10{}"), (power("−3"), "10{}"), (power("2"), "m{}"), (index("2"), "CO{}"),
    (index("i"), "x{}"), (power("12"), "survey.{}"), (Run("style", "disci"), "inter{}plinary"),
    (Run("style", "quoted"), "({}),"), (Run("note", "By lot—twice."), "noted{}."),
    (FORMULA, "({})"),
)  # fmt: skip


def drawn_line(draw: random.Random, *, notes: bool = False) -> tuple[Run, ...]:
    runs: list[Run] = []
    for _ in range(draw.randint(1, 3)):
        runs.append(Run("text", " ".join(draw.choices(WORDS, k=draw.randint(2, 6))) + " "))
        piece, around = draw.choice(PIECES)
        if piece.kind != "note" or notes:
            before, after = around.split("{}")
            runs += [Run("text", before), piece, Run("text", f"{after} ")]
    return (*runs, Run("text", "end."))


def drawn_paper(seed: int) -> Paper:
    draw = random.Random(seed)
    blocks = [Block("heading", (drawn_line(draw),))]
    for _ in range(8):
        kind = draw.choice(("text", "text", "heading", "quote", "list", "table"))
        count = {"list": 3, "table": 4}.get(kind, 1)
        lines = tuple(drawn_line(draw, notes=kind == "text") for _ in range(count))
        blocks.append(Block(kind, lines, 2 if kind == "heading" else 1))
    return tuple(blocks)


@pytest.mark.parametrize("seed", range(6))
def test_any_paper_has_the_same_sentences_in_every_format(seed: int, tmp_path: Path) -> None:
    paper = drawn_paper(seed)
    found = {name: Counter(blocks(name, paper, tmp_path)) for name in WRITERS}
    assert found == dict.fromkeys(WRITERS, found["paper.html"])


def test_a_printed_paper_has_the_same_sentences(tmp_path: Path) -> None:
    """What differs: items have their bullets, two rows are no grid and stand behind the text."""
    found = blocks("paper.pdf", PAPER, tmp_path)
    table = SENTENCES[8].replace("|", "").split()
    assert [one.removeprefix("• ") for one in found[:-1]] == [
        *SENTENCES[:2], SENTENCES[2], *SENTENCES[3:8], SENTENCES[9]
    ]  # fmt: skip
    assert found[-1].split() == table


@pytest.mark.parametrize("seed", range(6))
def test_any_printed_paper_has_the_same_sentences(seed: int, tmp_path: Path) -> None:
    """What differs: bullets, the cells and the place of tables, where a block ends."""
    paper = drawn_paper(seed)
    printed = " ".join(blocks("paper.pdf", paper, tmp_path)).replace("• ", "")
    written = blocks("paper.html", paper, tmp_path)
    assert [one for one in written if "|" not in one and one not in printed] == []
    words = (text.replace("|", " ").split() for text in (printed, " ".join(written)))
    assert Counter(next(words)) == Counter(next(words))
