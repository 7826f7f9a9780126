"""Real libraries and real papers: everything is read, and no paper gets another one's key."""

import json
import random
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.cases import MANY
from support.files.reference_writers import WRITERS
from support.paths import SHARED

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.identifiers import find_dois
from citeloom.domain.references.matching import ItemMatcher
from citeloom.infrastructure.references.reader import FileReferenceReader

DATA = SHARED

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data beside the checkout"),
]

Papers = dict[str, str]


@pytest.fixture(scope="module")
def truth() -> dict[str, str]:
    known = json.loads((DATA / "jose/truth.json").read_text(encoding="utf-8"))
    return {name: paper["citekey"] for name, paper in known.items()}


@pytest.fixture(scope="module")
def papers(truth: dict[str, str]) -> Papers:
    """The first 3,000 characters of each paper."""
    if shutil.which("pdftotext") is None:
        pytest.skip("needs pdftotext (poppler-utils)")
    return {name: _first_text(DATA / "jose/pdf" / name) for name in truth}


def _first_text(pdf: Path) -> str:
    command = ["pdftotext", "-l", "2", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()[:3000]


@pytest.fixture(scope="module")
def items() -> tuple[CitationMeta, ...]:
    return FileReferenceReader().read(DATA / "jose/library.csl.json").items


@pytest.fixture(scope="module")
def distractors() -> tuple[CitationMeta, ...]:
    return FileReferenceReader().read(DATA / "zotero/bbt-1241-items.json").items


def without_doi(items: Iterable[CitationMeta]) -> list[CitationMeta]:
    return [
        item.model_copy(
            update={
                "doi": None,
                "url": None,
                "csl": {k: v for k, v in item.csl.items() if k not in ("DOI", "URL")},
            }
        )
        for item in items
    ]


def links(
    papers: Papers, items: Iterable[CitationMeta], *, named: bool = False, by_doi: bool = True
) -> dict[str, str]:
    """The citation key that each paper was given; papers without a match are left out."""
    matcher = ItemMatcher(items)
    found = {
        name: matcher.match(
            DocumentEvidence(
                file_name=name if named else "paper.pdf",
                identifiers=find_dois(text) if by_doi else (),
                first_text=text,
            )
        )
        for name, text in papers.items()
    }
    return {name: match.item.citekey for name, match in found.items() if match}


def expected(truth: dict[str, str], items: Iterable[CitationMeta]) -> dict[str, str]:
    keys = {item.citekey for item in items}
    return {name: key for name, key in truth.items() if key in keys}


def test_1241_items_are_all_read() -> None:
    library = FileReferenceReader().read(DATA / "zotero/bbt-1241-items.json")
    assert len(library.items) == len({item.citekey for item in library.items}) == 1241
    assert sum(item.year is not None for item in library.items) == 1182  # all that have a date
    assert sum(item.doi is not None for item in library.items) >= 88
    assert all(item.title != "[no title]" for item in library.items)
    assert len(library.warnings) == 1


@pytest.mark.parametrize(
    "name",
    [
        "authority.csl.json", "citation-export.csl.json", "dates.csl.json", "ordering.csl.json",
        "season-ranges.csl.json", "uppercase-doi.csl.json",
    ],
)  # fmt: skip
def test_odd_libraries_lose_no_item(name: str) -> None:
    library = FileReferenceReader().read(DATA / "zotero" / name)
    raw = json.loads((DATA / "zotero" / name).read_text(encoding="utf-8"))
    assert [item.citekey for item in library.items] == [entry["citation-key"] for entry in raw]


def test_every_paper_finds_its_item(
    papers: Papers, truth: dict[str, str], items: tuple[CitationMeta, ...]
) -> None:
    assert links(papers, items, named=True) == truth
    assert links(papers, items) == truth
    assert links(papers, without_doi(items), by_doi=False) == truth


def test_a_thousand_other_items_distract_no_paper(
    papers: Papers,
    truth: dict[str, str],
    items: tuple[CitationMeta, ...],
    distractors: tuple[CitationMeta, ...],
) -> None:
    assert links(papers, [*without_doi(items), *distractors], by_doi=False) == truth
    assert links(papers, distractors) == {}


@pytest.mark.parametrize("seed", range(10 if MANY else 1))
def test_with_half_of_the_items_gone_no_paper_gets_a_wrong_one(
    papers: Papers, truth: dict[str, str], items: tuple[CitationMeta, ...], seed: int
) -> None:
    half = random.Random(seed).sample(items, len(items) // 2)
    assert links(papers, half, named=True) == expected(truth, half)
    assert links(papers, without_doi(half), by_doi=False) == expected(truth, half)


@pytest.fixture(scope="module", params=WRITERS)
def in_format(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[CitationMeta, ...]:
    """The library of the papers, written in one of the formats and read back."""
    written = json.loads((DATA / "jose/library.csl.json").read_text(encoding="utf-8"))
    path = tmp_path_factory.mktemp("formats") / "library"
    path.write_bytes(WRITERS[request.param](written).encode())
    return FileReferenceReader().read(path).items


def test_every_paper_finds_its_item_in_every_format(
    papers: Papers, truth: dict[str, str], in_format: tuple[CitationMeta, ...]
) -> None:
    assert links(papers, in_format, named=True) == truth
    assert links(papers, in_format) == truth
    assert links(papers, without_doi(in_format), by_doi=False) == truth


@pytest.mark.parametrize("seed", range(3 if MANY else 1))
def test_with_half_of_the_items_gone_no_format_links_a_wrong_one(
    papers: Papers, truth: dict[str, str], in_format: tuple[CitationMeta, ...], seed: int
) -> None:
    half = random.Random(seed).sample(in_format, len(in_format) // 2)
    assert links(papers, half, named=True) == expected(truth, half)
    assert links(papers, without_doi(half), by_doi=False) == expected(truth, half)
