"""Reviews of published papers: every quotation verbatim at its offsets and on its page."""

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.cases import MANY
from support.command_line import inside
from support.files.real_papers import JOSE, Ingested

from citeloom.application.review.requests import ReviewRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import Depth
from citeloom.infrastructure.composition.application import Application, open_application

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not JOSE.is_dir(), reason=f"the papers are not at {JOSE}"),
]
QUESTIONS = (
    "Did students answer more questions correctly after the course?",
    "Do Jupyter notebooks help students learn programming?",
    "How can reproducibility be taught?",
    "How is student work graded automatically?",
)
if MANY:
    QUESTIONS += (
        "How many students took part in the Neuromatch Academy, and how satisfied were they?",
        "What are the challenges of teaching high-performance computing?",
        "Is Python better than R for teaching?",
        "What is the Hartree-Fock method?",
    )
OFF_TOPIC = "Does caffeine improve the sleep quality of rats?"


@pytest.fixture(scope="module")
def workspace(jose: Ingested) -> Path:
    return jose.workspace


@pytest.fixture(scope="module")
def papers(workspace: Path) -> dict[str, Path]:
    """The files by document id."""
    done = inside("inspect", "-p", "jose", "--sample", "all", "--json", workspace=workspace)
    return {one["document_id"]: Path(one["source_path"]) for one in done.json["samples"]}


@pytest.fixture(scope="module")
def opened(workspace: Path) -> Iterator[Application]:
    application = open_application(workspace)
    yield application
    application.close()


def reviewed(opened: Application, question: str) -> dict[str, Any]:
    """What ``session export --format json`` tells of an extended review."""
    done = opened.research.review(
        ReviewRequest(project_id=ProjectId.parse("jose"), question=question, depth=Depth.EXTENDED)
    )
    told: dict[str, Any] = opened.research.export.document(done.session_id).model_dump(mode="json")
    return told


@pytest.fixture(scope="module")
def reviews(opened: Application) -> list[dict[str, Any]]:
    return [reviewed(opened, question) for question in QUESTIONS]


def squeezed(text: str) -> str:
    """Letters and digits: what two readers of the same PDF agree on."""
    plain = unicodedata.normalize("NFKD", re.sub(r"[-\u00ad\u2010\ufffe]\s*\n\s*", "", text))
    return re.sub(r"[\W_]", "", plain).casefold()


@cache
def on_pages(path: Path, first: int, last: int) -> str:
    with pypdfium2.PdfDocument(path) as document:
        read = [document[n - 1].get_textpage().get_text_range() for n in range(first, last + 1)]
    return squeezed("\n".join(text.replace("\r\n", "\n") for text in read))


def quotations(review: dict[str, Any]) -> list[dict[str, Any]]:
    """Each claim of the report with the span that it cites and its source."""
    spans = {one["id"]: one for one in review["evidence"]}
    sources = {one["id"]: one for one in review["sources"]}
    claims = {one["id"]: one for one in review["claims"]}
    return [
        {"claim": claims[one["claim_id"]], "span": span, "source": sources[span["source_id"]]}
        for one in review["citations"]
        for span in [spans[one["evidence_span_id"]]]
    ]


def test_each_quotation_stands_in_the_report_and_in_its_document_at_its_offsets(
    opened: Application, reviews: list[dict[str, Any]]
) -> None:
    checked = 0
    for review in reviews:
        report = review["report"]["content"]
        stated = re.sub(r"Nearest, not judged:\n\n(?:- “.*\n)+", "", report)
        printed = re.findall(r"^ *- (?:[^“\n]*: )?“(.+)” \[@", stated, re.M)
        assert len(printed) == len(quotations(review)) == len(review["claims"])
        for one in quotations(review):
            claim, span = one["claim"], one["span"]
            start, end = claim["position_start"], claim["position_end"]
            assert report[start:end] == claim["claim_text"] == span["quote"]
            assert claim["claim_text"] in printed
            document = opened.stores.bundles.load(one["source"]["document_id"])
            assert document is not None
            text = document.plain_text[span["start_offset"] : span["end_offset"]]
            assert text == span["quote"]
            checked += 1
    assert checked >= 2 * len(QUESTIONS)


def test_each_quotation_is_on_its_page_as_another_reader_of_pdfs_sees_it(
    papers: dict[str, Path], reviews: list[dict[str, Any]]
) -> None:
    missing = []
    for review in reviews:
        for one in quotations(review):
            span, path = one["span"], papers[one["source"]["document_id"]]
            pages = sorted({region["page"] for region in span["regions"]})
            assert span["page"] == pages[0]
            assert pages[-1] - pages[0] <= 1
            quote, page = squeezed(span["quote"]), on_pages(path, pages[0], pages[0])
            # A quotation that goes on overleaf has a foot and a head between its halves.
            whole = quote in page if len(pages) == 1 else _halves(quote, path, pages)
            if not whole:
                missing.append((path.name, pages, span["quote"]))
    assert missing == []


def _halves(quote: str, path: Path, pages: list[int]) -> bool:
    first, second = (on_pages(path, n, n) for n in pages)
    return any(quote[:cut] in first and quote[cut:] in second for cut in range(1, len(quote)))


def test_each_place_opens_by_the_address_that_the_record_has(
    workspace: Path, reviews: list[dict[str, Any]]
) -> None:
    for one in quotations(reviews[0])[:3]:
        read = inside("read", one["span"]["knowledge_uri"], workspace=workspace)
        assert read.code == 0, read.err
        assert squeezed(one["span"]["quote"]) in squeezed(html.unescape(read.out))


def test_sections_are_those_of_the_papers(reviews: list[dict[str, Any]]) -> None:
    spans = [one["span"] for review in reviews for one in quotations(review)]
    named = [span["section_heading"] for span in spans if span["section_heading"]]
    assert len(named) >= 0.9 * len(spans)
    assert not any(re.match(r"\W*(?:references|acknowledge?ments?)\b", one, re.I) for one in named)


def test_what_was_found_comes_before_what_is_believed(reviews: list[dict[str, Any]]) -> None:
    report = reviews[0]["report"]["content"]
    found = report.index("statistically significant improvements")
    assert found < (report.find("We believe students") % len(report))


def test_a_question_on_something_else_is_answered_by_nothing_and_why(
    opened: Application,
) -> None:
    review = reviewed(opened, OFF_TOPIC)
    assert review["claims"] == []
    report = review["report"]["content"]
    assert "Nothing was found on this in the project." in report
    assert "No passage of it has *caffeine*, *sleep* or *rats*." in report
    assert "The closest passages have only " in report
