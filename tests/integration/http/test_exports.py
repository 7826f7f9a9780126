"""Quotations as files over HTTP."""

import io
from collections.abc import Iterator

import httpx2
import pytest
from docx import Document
from support.http_client import client_at
from support.http_server import serving
from support.world import PONDS, World

PATH = "/api/v1/exports/quotations"
WORK = {
    "id": "smith2020", "type": "article-journal", "title": "Pond cooling",
    "author": [{"family": "Smith", "given": "Ann"}], "issued": {"date-parts": [[2020]]},
}  # fmt: skip
QUOTATION = {
    "project": "thesis",
    "text": "gone at one <b>hundred</b>\nmetres",
    "citation": "[@smith2020, p. 3]",
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    world = World(tmp_path_factory.mktemp("library"))
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(WORK))
    with serving(world, secret="s" * 40) as address, client_at(address) as client:
        yield client


def test_a_word_document_has_quotation_citation_and_bibliography(client: httpx2.Client) -> None:
    answer = client.post(PATH, json={"quotations": [QUOTATION]})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == 'attachment; filename="quotations.docx"'
    texts = [one.text for one in Document(io.BytesIO(answer.content)).paragraphs]
    assert texts[:3] == [
        "Quotations", "“gone at one <b>hundred</b> metres” (Smith, 2020, p. 3)", "References"
    ]  # fmt: skip
    assert texts[3].startswith("Smith, A. (2020). Pond cooling")


def test_bibtex_has_each_work_once(client: httpx2.Client) -> None:
    answer = client.post(PATH, json={"format": "bibtex", "quotations": [QUOTATION] * 2})
    assert answer.headers["content-type"].startswith("application/x-bibtex")
    assert answer.text.count("@article{smith2020") == 1


def test_what_cannot_be_cited_is_refused(client: httpx2.Client) -> None:
    unknown = {**QUOTATION, "citation": "[@nobody1999]"}
    assert client.post(PATH, json={"quotations": [unknown]}).status_code == 404
    assert client.post(PATH, json={"quotations": []}).status_code == 400
    styled = {"quotations": [QUOTATION], "style": "../../etc"}
    assert client.post(PATH, json=styled).status_code == 400
