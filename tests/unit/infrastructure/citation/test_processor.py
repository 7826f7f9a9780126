"""Works of our own in the bundled styles, letter for letter as citeproc-js has them.

``python benchmarks/citation_styles.py --golden`` writes ``golden.json`` from ``works.json``.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.infrastructure.citation.csl.processor import Processor, Reference
from citeloom.infrastructure.citation.csl.rendering.rich_text import as_html
from citeloom.infrastructure.citation.csl.style import BUNDLED, load_style

HERE = Path(__file__).parent
WORKS: list[dict[str, Any]] = json.loads((HERE / "works.json").read_text("utf-8"))
GOLDEN: dict[str, Any] = json.loads((HERE / "golden.json").read_text("utf-8"))["styles"]
PLACES = (None, ("12", "page"), ("127-135", "page"))


@pytest.fixture(scope="module", params=sorted(BUNDLED))
def style(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def processor(style: str) -> Processor:
    return Processor(load_style(style), [(work["id"], work) for work in WORKS])


def test_every_bundled_style_is_compared() -> None:
    assert set(GOLDEN) == set(BUNDLED)


def test_entries_and_their_order_are_those_of_the_reference_processor(
    style: str, processor: Processor
) -> None:
    made = {id: as_html(text) for id, text in processor.bibliography()}
    assert made == GOLDEN[style]["entries"]
    assert list(made) == list(GOLDEN[style]["entries"])


def test_citations_in_the_text_are_those_of_the_reference_processor(
    style: str, processor: Processor
) -> None:
    made = [
        as_html(processor.cite([Reference(work["id"], PLACES[n % 3])]))
        for n, work in enumerate(WORKS)
    ]
    assert made == GOLDEN[style]["cites"]


def others(*families: str) -> dict[str, Any]:
    people = [{"family": family, "given": "Ilka"} for family in families]
    return {
        "id": "w",
        "type": "article-journal",
        "title": "Moss",
        "issued": {"date-parts": [[2018]]},
        "author": [*people, {"literal": "others"}],
    }


@pytest.mark.parametrize("families", [("Varga",), ("Varga", "Nyland"), ("Varga", "Ek", "Lund")])
def test_authors_who_are_not_listed_are_et_al(style: str, families: tuple[str, ...]) -> None:
    processor = Processor(load_style(style), [("w", others(*families))])
    ((_, entry),) = processor.bibliography()
    written = as_html(entry) + as_html(processor.cite([Reference("w", None)]))
    assert "et al" in written
    assert "others" not in written
    assert "Varga" in written


@pytest.mark.parametrize("families", [("Varga",), ("Varga", "Nyland")])
def test_a_citation_in_the_text_has_et_al(families: tuple[str, ...]) -> None:
    processor = Processor(load_style("apa"), [("w", others(*families))])
    assert as_html(processor.cite([Reference("w", None)])) == "(Varga et al., 2018)"
