"""Keys of sources and citations in text that a model wrote, by the table of the cases."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from support.cases import each
from support.paths import cases

from citeloom.domain.research.session import Source
from citeloom.domain.review.report.report import (
    CitedSentence,
    cited_sentences,
    derived_key,
    distinct_keys,
    domain_key,
    keys_of,
    parse_key,
    read_citations,
    replace_markers,
    title_key,
)

CASES: dict[str, Any] = cases("deep_research_citations")


def a_source(citekey: str | None, title: str = "Ponds", url: str = "citeloom://p/1") -> Source:
    return Source(
        id=uuid4(),
        research_session_id=uuid4(),
        url=url,
        title=title,
        snippet="",
        citekey=citekey,
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


@each("row", CASES["domain_key"])
def test_a_key_of_a_web_source_names_its_domain(row: dict[str, str]) -> None:
    assert domain_key(row["url"]) == row["key"]


def test_an_address_that_is_broken_has_a_key_all_the_same() -> None:
    assert domain_key("https://[::1/x") == "Web"


@each("row", CASES["title_key"])
def test_a_key_of_a_document_names_its_title(row: dict[str, str]) -> None:
    assert title_key(row["title"]) == row["key"]


@each("row", CASES["key_map"])
def test_keys_of_several_sources(row: dict[str, Any]) -> None:
    pairs = [
        (one, "") if isinstance(one, str) else ("", one.get("title", "")) for one in row["sources"]
    ]
    assert distinct_keys(derived_key(url, title) for url, title in pairs) == row["keys"]


def test_a_source_has_one_key_whatever_is_quoted_of_it() -> None:
    ponds, grids = a_source("ponds2020"), a_source(None, "GLM-4.7 Technical Report")
    other = a_source(None, "GLM-4.7 Technical Report")
    keys = keys_of([ponds, grids, other])
    assert [keys[one.id] for one in (ponds, grids, other)] == ["ponds2020", "GLM47", "GLM47-2"]


def test_no_key_can_be_taken_for_a_number() -> None:
    (key,) = keys_of([a_source(None, "1984")]).values()
    assert parse_key(f"[{key}]") == key


@each("row", CASES["parse_key"])
def test_keys_are_parsed_and_anything_else_is_not(row: dict[str, str | None]) -> None:
    assert parse_key(row["in"] or "") == row["out"]


@each("key", ["smith2020", "2020smith", "müller_2019:a", "doi:10.1/x"])
def test_citation_keys_are_keys(key: str) -> None:
    assert parse_key(f"[{key}]") == key


@each("row", CASES["replace_markers"])
def test_numbers_give_way_to_keys(row: dict[str, Any]) -> None:
    keys = {int(number): key for number, key in row["map"].items()}
    assert replace_markers(row["text"], keys) == row["out"]


@each(
    ("text", "said"),
    [
        ("One is so [0]. Two is so [1].", [("One is so.", (0,)), ("Two is so.", (1,))]),
        ("One is so. [0] Two is so. [1]", [("One is so.", (0,)), ("Two is so.", (1,))]),
        ("Both are so [0, 2][3].", [("Both are so.", (0, 2, 3))]),
        ("# Ponds\n\n- One is so [0].\n2. Two is so.", [("One is so.", (0,)), ("Two is so.", ())]),
        ("It lies in [0, 1.5] there.", [("It lies in [0, 1.5] there.", ())]),
    ],
)
def test_sentences_with_what_they_cite(text: str, said: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(one.text, one.numbers) for one in cited_sentences(text)] == said


def test_keys_are_read_beside_numbers() -> None:
    assert read_citations("So it is [@smith2020; 3].") == CitedSentence(
        text="So it is.", numbers=(3,), keys=("smith2020",)
    )
