"""Ask over HTTP: the words of a passage are those under its marks, on papers and on scans."""

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from statistics import mean
from typing import Any

import httpx2
import pikepdf
import pypdfium2
import pytest
from PIL import Image
from rapidfuzz import fuzz
from support.cases import MANY
from support.command_line import inside
from support.files.real_papers import JOSE, Ingested
from support.http_client import client_at
from support.http_server import serving_application
from support.paths import SHARED

from citeloom.infrastructure.composition.application import open_application

# Its text layer lies up to 18 points beside the printed words; one of its pages is taken.
SCAN = (
    SHARED
    / "wild"
    / ("comp_sci_fundamentals_and_history__axiomatic-basis-computer-programming.pdf")
)
SCANNED_PAGE = 3
PICTURE = SHARED / "documents" / "ocr_test.pdf"
QUESTIONS = (
    "How do students learn reproducible research with notebooks?",
    "How is dark matter taught with rotation curves?",
)
if MANY:
    QUESTIONS += (
        "How are assignments graded automatically?",
        "How do students make ecological forecasts from data?",
    )
RECT = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>')

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not JOSE.is_dir(), reason=f"the papers are not at {JOSE}"),
]
needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the tesseract program is not installed"
)


@pytest.fixture(scope="module")
def papers(jose: Ingested) -> Iterator[httpx2.Client]:
    with (
        closing(open_application(jose.workspace)) as application,
        serving_application(application) as url,
        client_at(url) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    workspace = tmp_path_factory.mktemp("scans")
    with pikepdf.open(SCAN) as whole, pikepdf.new() as page:
        page.pages.append(whole.pages[SCANNED_PAGE - 1])
        page.save(workspace / "scan.pdf")
    scan = workspace / "scan.pdf"
    done = inside("ingest", scan, PICTURE, "-p", "scans", workspace=workspace)
    assert done.code == 0, done.err
    with (
        closing(open_application(workspace)) as application,
        serving_application(application) as url,
        client_at(url) as client,
    ):
        yield client


def likeness(text: str, other: str) -> float:
    """Of the letters and digits of two texts, 0 to 100: hyphens and line ends do not count."""
    both = (re.sub(r"[\W_\x02\ufffe]+", "", one).casefold() for one in (text, other))
    return fuzz.ratio(*both)


def hits(client: httpx2.Client, project: str, question: str) -> list[dict[str, Any]]:
    asked = {"project": project, "text": question, "top_k": 12}
    found: list[dict[str, Any]] = client.get("/api/v1/query", params=asked).json()["items"]
    return found


def layers(client: httpx2.Client, project: str, hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The pages of a passage with its marks."""
    start, end = hit["char_span"]
    first, last = hit["page_span"]
    for page in range(first, last + 1):
        path = f"/api/v1/documents/{hit['document_id']}/pages/{page}/lines"
        yield client.get(path, params={"project": project, "start": start, "end": end}).json()


def printed(source: str, layer: dict[str, Any]) -> str:
    """The text of the file under the marks."""
    with closing(pypdfium2.PdfDocument(source)) as document:
        text, height = document[layer["page"] - 1].get_textpage(), layer["height"]
        boxes = [(x0, height - y1, x1, height - y0) for x0, y0, x1, y1 in layer["marks"]]
        return "\n".join(text.get_text_bounded(*box) for box in boxes)


def seen(client: httpx2.Client, project: str, hit: dict[str, Any], layer: dict[str, Any]) -> str:
    """What an OCR program reads under the marks, all else blank."""
    path = f"/api/v1/documents/{hit['document_id']}/pages/{layer['page']}.png"
    answer = client.get(path, params={"project": project, "pixels": 2400})
    page = Image.open(io.BytesIO(answer.content)).convert("L")
    scale = page.width / layer["width"]
    blank = Image.new("L", page.size, 255)
    for mark in layer["marks"]:
        box = tuple(round(edge * scale) for edge in mark)
        blank.paste(page.crop(box), box[:2])
    buffer = io.BytesIO()
    blank.save(buffer, "PNG")
    command = ["tesseract", "stdin", "stdout", "--psm", "6"]
    return subprocess.run(
        command, input=buffer.getvalue(), capture_output=True, check=True
    ).stdout.decode()


def test_the_words_under_the_marks_are_those_of_the_passage(papers: httpx2.Client) -> None:
    found = []
    for question in QUESTIONS:
        for hit in hits(papers, "jose", question):
            marked = [printed(hit["source_path"], one) for one in layers(papers, "jose", hit)]
            found.append(likeness(hit["text"], "".join(marked)))
    assert min(found) >= 90
    assert mean(found) >= 99


def test_the_page_beside_the_passages_has_the_same_marks(papers: httpx2.Client) -> None:
    hit = hits(papers, "jose", QUESTIONS[1])[0]
    layer = next(layers(papers, "jose", hit))
    view = papers.get("/ask", params={"project": "jose", "q": QUESTIONS[1], "page": layer["page"]})
    passage, _, sentence = view.text.partition('<g class="marks best">')
    marks = [[float(number) for number in rect] for rect in RECT.findall(passage)]
    lines = {rect[1] for rect in RECT.findall(sentence)}
    assert lines
    assert lines <= {rect[1] for rect in RECT.findall(passage)}
    assert marks == [
        pytest.approx([x0, y0, x1 - x0, y1 - y0], abs=0.02) for x0, y0, x1, y1 in layer["marks"]
    ]


@needs_tesseract
@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("What is the rule of iteration for while loops?", 2),
        ("What can docling do with documents in pictures?", 1),
    ],
)
def test_the_words_seen_under_the_marks_of_a_scan_are_those_of_the_passage(
    question: str, columns: int, scans: httpx2.Client
) -> None:
    """Of a passage within one column: the program reads from margin to margin."""
    for hit in hits(scans, "scans", question):
        found = [*layers(scans, "scans", hit)]
        edges = [(layer["width"], *mark[0:3:2]) for layer in found for mark in layer["marks"]]
        left, right = min(edge[1] for edge in edges), max(edge[2] for edge in edges)
        if right - left <= edges[0][0] / columns:
            break
    read = [seen(scans, "scans", hit, layer) for layer in found]
    assert likeness(hit["text"], "".join(read)) >= 90
