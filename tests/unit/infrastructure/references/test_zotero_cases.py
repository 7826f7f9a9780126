"""The tables of tests/cases/citeloom_zotero.json: keys, titles, dates, DOIs of reference items."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.cases import each
from support.paths import cases

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.references.dates import csl_date, year_of
from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.identifiers import (
    find_dois,
    normalise_doi,
    normalise_title,
    same_title,
)
from citeloom.domain.references.matching import ItemMatcher
from citeloom.infrastructure.references.formats.csl import given_key
from citeloom.infrastructure.references.reader import FileReferenceReader

CASES: dict[str, Any] = cases("citeloom_zotero")
LIBRARY = CASES["csl_json"]


@pytest.fixture
def items(tmp_path: Path) -> tuple[CitationMeta, ...]:
    path = tmp_path / "library.json"
    path.write_text(json.dumps({"items": LIBRARY["items"]}), encoding="utf-8")
    return FileReferenceReader().read(path).items


@each("row", CASES["normalize_doi"], ids=lambda row: row["in"])
def test_dois_lose_their_dress(row: dict[str, Any]) -> None:
    assert normalise_doi(row["in"]) == row["out"]


@each("row", CASES["normalize_title"], ids=lambda row: row["in"])
def test_titles_are_compared_in_plain(row: dict[str, Any]) -> None:
    expected = row.get("out") or row["ours"].partition(" (")[0]
    assert normalise_title(row["in"]) == expected


@each("row", CASES["title_score"], ids=lambda row: row["a"])
def test_titles_that_nearly_share_their_words_are_the_same(row: dict[str, Any]) -> None:
    assert same_title(row["a"], row["b"]) == (row["score"] >= 0.8)


@each("row", CASES["year"], ids=lambda row: row["in"])
def test_years_are_read(row: dict[str, Any]) -> None:
    year = row.get("out", row.get("ours"))
    assert year_of(row["in"]) == year_of(csl_date(row["in"])) == year


@each("row", CASES["edtf"], ids=lambda row: row["in"])
def test_dates_become_the_csl_dates_that_better_bibtex_gives(row: dict[str, Any]) -> None:
    date = csl_date(row["in"])
    if "literal" in row["out"]:
        date.pop("date-parts", None)
    assert date == row["out"]


@each("row", CASES["extra_citation_key"], ids=lambda row: row["extra"])
def test_the_key_is_found_in_extra(row: dict[str, Any]) -> None:
    key = row["key"] if "key" in row else row["ours"].partition(" ")[0]
    assert given_key({"note": row["extra"]}) == key


@pytest.mark.parametrize(
    "row", [row for row in LIBRARY["resolve"] if "hint" in row], ids=lambda row: row["hint"]
)
def test_a_paper_finds_its_item(row: dict[str, Any], items: tuple[CitationMeta, ...]) -> None:
    hint = row["hint"]
    match = ItemMatcher(items).match(
        DocumentEvidence(
            file_name="paper.pdf", title=hint, identifiers=find_dois(hint), first_text=hint
        )
    )
    assert (match.item.citekey if match else row["result"]) == row.get("citekey")
    if match and "authors" in row:
        found = match.item
        assert [found.year, list(found.authors), found.doi] == [
            row["year"], row["authors"], row["doi"],
        ]  # fmt: skip


@pytest.mark.parametrize(
    "row", [row for row in LIBRARY["resolve"] if "hint" not in row and "citekey" in row],
    ids=lambda row: row["citekey"],
)  # fmt: skip
def test_an_item_says_what_its_source_says(
    row: dict[str, Any], items: tuple[CitationMeta, ...]
) -> None:
    (item,) = [item for item in items if item.citekey == row["citekey"]]
    assert row.get("title_contains", "") in item.title
    if "url" in row:
        assert (item.doi, item.url) == (row["doi"], row["url"])
