"""Questions as people ask them: each answer is printed on the page that it names."""

import json
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.paths import SHARED

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for file in ("questions_asked.jsonl", "questions_asked2.jsonl")
    for line in (Path(__file__).parents[2] / "benchmarks" / file).read_text("utf-8").splitlines()
]
LIBRARIES = {
    "jose": SHARED / "jose" / "pdf",
    "latex": SHARED / "latex" / "pdf",
    "wild": SHARED / "wild",
    "wild2": SHARED / "wild",
}
# Its fonts have no letters for pdfium.
UNREADABLE = "security__ids-evasion-ptacek-newsham.pdf"
TYPES = frozenset(
    "number definition finding reason method comparison opposite table who-when fact who "
    "example".split()
)
KEYS = {"id", "half", "library", "type", "question", "answers"}
SHORTEST, LONGEST = 4, 15
LEAST_OF_TYPE = {
    "number": 25,
    "definition": 20,
    "finding": 25,
    "reason": 10,
    "method": 15,
    "table": 12,
}

pytestmark = pytest.mark.real


def letters(text: str) -> str:
    """Letters and digits alone: spacing, hyphens and ligatures differ between readers."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


@cache
def page_letters(path: Path, page: int) -> str:
    with pypdfium2.PdfDocument(path) as document:
        return letters(document[page - 1].get_textpage().get_text_range())


def papers(row: dict[str, Any]) -> set[str]:
    named = {answer["document"] for answer in row["answers"]}
    return named | ({row["about"]} if "about" in row else set())


def test_every_row_has_the_shape() -> None:
    assert len({row["id"] for row in ROWS}) == len({row["question"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        extra = {"near"} | ({"about"} if row.get("near") else set())
        assert row.keys() == (KEYS if row["answers"] else KEYS | extra), row["id"]
        assert row["half"] in ("develop", "held"), row["id"]
        assert row["library"] in LIBRARIES, row["id"]
        assert row["type"] in TYPES, row["id"]
        assert row["question"].strip() == row["question"] != "", row["id"]
        for answer in row["answers"]:
            assert answer.keys() == {"document", "page", "snippet"}, row["id"]
            assert "\n" not in answer["snippet"], row["id"]
            assert SHORTEST <= len(answer["snippet"].split()) <= LONGEST, row["id"]


def test_the_set_is_as_large_and_mixed_as_its_figures_need() -> None:
    types = Counter(row["type"] for row in ROWS)
    without = [row for row in ROWS if not row["answers"]]
    assert {name: types[name] for name, least in LEAST_OF_TYPE.items() if types[name] < least} == {}
    assert len(ROWS) >= 160
    assert len(without) >= 55
    assert sum(row["near"] for row in without) * 3 >= 2 * len(without)


def test_each_paper_is_asked_about_in_one_half() -> None:
    halves: dict[tuple[str, str], set[str]] = {}
    for row in ROWS:
        for paper in papers(row):
            halves.setdefault((row["library"], paper), set()).add(row["half"])
    assert [paper for paper, found in halves.items() if len(found) > 1] == []


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_answer_is_printed_on_its_page(library: str) -> None:
    folder = LIBRARIES[library]
    if not folder.is_dir():
        pytest.skip(f"the papers are not at {folder}")
    missing = [
        (row["id"], answer)
        for row in ROWS
        if row["library"] == library
        for answer in row["answers"]
        if answer["document"] != UNREADABLE
        and letters(answer["snippet"])
        not in page_letters(folder / answer["document"], answer["page"])
    ]
    assert missing == []
