"""Sets read by hand from papers have their shape, and their words stand on their pages."""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.files.real_papers import JOSE
from support.paths import ROOT, SHARED

SETS = ROOT / "benchmarks"
FOLDERS = {"jose": JOSE / "pdf", "wild": SHARED / "wild"}
TRUE = {"verbatim", "close", "free"}
ERRORS = {
    "number", "negation", "direction", "entity", "population",
    "hedge", "cause", "scope", "invention", "role",
}  # fmt: skip
needs_papers = pytest.mark.skipif(
    not all(one.is_dir() for one in FOLDERS.values()), reason=f"the papers are not at {SHARED}"
)

pytestmark = pytest.mark.real


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / name).read_text("utf-8").splitlines()]


def questions() -> list[dict[str, Any]]:
    text = (SETS / "review_questions_wild.json").read_text("utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def folded(text: str) -> str:
    """Letters and digits only: ligatures, hyphens and line ends do not count."""
    return re.sub(r"[\W_\x02\ufffe]+", "", unicodedata.normalize("NFKC", text)).casefold()


@cache
def pages(library: str, document: str) -> tuple[str, ...]:
    with pypdfium2.PdfDocument(FOLDERS[library] / document) as pdf:
        return tuple(folded(page.get_textpage().get_text_bounded()) for page in pdf)


@cache
def file_names() -> dict[str, str]:
    """The files of ``jose`` by citation key."""
    truth = json.loads((JOSE / "truth.json").read_text("utf-8"))
    return {one["citekey"]: name for name, one in truth.items()}


def halves_apart(rows: list[dict[str, Any]]) -> None:
    halves = defaultdict(set)
    for row in rows:
        halves[row["document"]].add(row["half"])
    assert set(map(frozenset, halves.values())) == {frozenset(["develop"]), frozenset(["held"])}


def test_a_document_is_in_one_half_of_both_sets() -> None:
    halves_apart(lines("table_truth.jsonl") + lines("claims_hand.jsonl"))
    halves_apart([row for n in ("", "2", "3") for row in lines(f"claims_fresh{n}.jsonl")])


def test_the_table_is_full() -> None:
    rows = lines("table_truth.jsonl")
    cells = Counter((row["library"], row["question"]) for row in rows)
    assert (len(rows), set(cells.values()), len(cells)) == (72, {6}, 12)
    for row in rows:
        assert row["stated"] == bool(row["answers"]) == bool(row["pages"]), row


@needs_papers
def test_an_answer_of_the_table_stands_on_each_of_its_pages() -> None:
    for row in lines("table_truth.jsonl"):
        words = [folded(one) for one in row["answers"]]
        printed = pages(row["library"], row["document"])
        for page in row["pages"]:
            assert any(one in printed[page - 1] for one in words), row


def test_claims_have_their_shape() -> None:
    rows = lines("claims_hand.jsonl")
    assert {row["kind"] for row in rows} == TRUE | ERRORS
    assert len({row["claim"] for row in rows}) == len(rows) >= 210
    for row in rows:
        assert row["true"] == (row["kind"] in TRUE), row
        assert row["true"] or row["changed"] in row["claim"], row
        assert bool(row["page"]) == bool(row["evidence"]) == (row["kind"] != "invention"), row


@needs_papers
def test_the_deciding_sentence_of_a_claim_stands_on_its_page() -> None:
    for row in lines("claims_hand.jsonl"):
        if row["page"]:
            printed = pages(row["library"], row["document"])[row["page"] - 1]
            assert folded(row["evidence"]) in printed, row
            assert row["kind"] != "verbatim" or folded(row["claim"]) in printed, row


def test_a_part_of_the_review_questions_has_no_answer() -> None:
    rows = questions()
    assert len({row["id"] for row in rows}) == len(rows) == 40
    assert Counter(row["answerable"] for row in rows) == {True: 30, False: 10}
    assert Counter(row["part"] for row in rows) == {"develop": 20, "held": 20}
    for row in rows:
        assert row["answerable"] == bool(row["answers"]), row


@needs_papers
def test_a_mark_of_a_review_question_stands_on_a_page() -> None:
    for row in questions():
        for key, words in row["answers"] + row["touches"] + row["hypotheses"]:
            name = file_names()[key] if row["library"] == "jose" else f"{key}.pdf"
            assert Path(FOLDERS[row["library"]] / name).is_file(), name
            assert any(folded(words) in one for one in pages(row["library"], name)), (key, words)
