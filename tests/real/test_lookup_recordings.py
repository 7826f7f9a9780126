"""Recorded answers of the services: the right work is taken, and none for what is made up.

What a document says is Semantic Scholar's answer for the same work in the recordings; the services
that are asked are Crossref and OpenAlex. Nothing goes out.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx2
import pytest
import yaml
from support.paths import SHARED

from citeloom.domain.references.first_page import DocumentEvidence
from citeloom.domain.references.identifiers import normalise_title
from citeloom.domain.references.lookup import (
    FoundWork,
    RecordJudge,
    RecordJudgement,
    RecordVerdict,
    one_taken,
)
from citeloom.infrastructure.references.formats.csl import meta_from_csl
from citeloom.infrastructure.references.lookup.services import WorkServices
from citeloom.infrastructure.system.http_client import ClientClock

DATA = SHARED / "metadata"
OPEN_ACCESS = ("api.openalex.org", "api.unpaywall.org")
WORDS = {"10.1126/science.169.3946.635": "The Structure of Ordinary Water"}
#: Works that Crossref knows and Semantic Scholar's recordings describe, by identifier.
DESCRIBED = (
    "10.1038/s42256-024-00832-8", "10.1063/1.4938384",
    "10.1023/a:1007154515475", "10.1016/j.xgen.2025.100814", "10.1016/j.addr.2015.01.008",
    "10.1073/pnas.1414271111",
)  # fmt: skip

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data/metadata"),
]


class Recording:
    """Recorded bodies: of Crossref by DOI, of Crossref and OpenAlex by title, and what Semantic
    Scholar says of works."""

    def __init__(self) -> None:
        self.works: dict[str, Any] = {}
        self.titles: dict[tuple[str, str], Any] = {}
        self.described: dict[str, Mapping[str, Any]] = {}
        self.open: dict[tuple[str, str], Any] = {}
        for path in sorted(DATA.glob("*/*.yaml")):
            loaded = yaml.load(path.read_bytes(), yaml.CSafeLoader)
            for interaction in loaded["interactions"]:
                self._read(interaction["request"]["uri"], interaction["response"])

    def _read(self, url: str, response: Mapping[str, Any]) -> None:
        body = _json(response["body"])
        if body is None or response["status"]["code"] != 200:
            return
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        if parts.hostname == "api.crossref.org" and "query.title" in query:
            key = ("api.crossref.org", normalise_title(query["query.title"][0]))
            self.titles.setdefault(key, body)
        elif parts.hostname == "api.crossref.org" and parts.path.startswith("/works/10."):
            doi = unquote(parts.path.split("/", 2)[2]).split("/transform")[0].lower()
            if "agency" not in doi:
                self.works[doi] = body.get("message", body)
        elif parts.hostname in OPEN_ACCESS and "/10." in unquote(parts.path):
            doi = unquote(parts.path).partition("/10.")[2]
            if "select" not in query:
                self.open[parts.hostname, f"10.{doi}"] = body
        elif parts.hostname == "api.openalex.org" and "filter" in query:
            title = query["filter"][0].removeprefix("title.search:")
            self.titles[("api.openalex.org", normalise_title(title))] = body
        elif parts.hostname == "api.semanticscholar.org":
            for work in body.get("data", [body]):
                if work.get("authors") is not None and work.get("year"):
                    self.described[str(work["externalIds"].get("DOI")).lower()] = work

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "doi.org":
            return httpx2.Response(
                302, headers={"location": f"https://api.crossref.org{request.url.path}"}
            )
        if request.url.host in OPEN_ACCESS and "10." in request.url.path:
            body = self.open.get((request.url.host, f"10.{request.url.path.partition('10.')[2]}"))
            return httpx2.Response(200, json=body) if body else httpx2.Response(404)
        if request.url.path.startswith("/10."):
            work = self.works.get(request.url.path.strip("/").lower())
            return httpx2.Response(200, json=work) if work else httpx2.Response(404)
        asked = request.url.params
        title = asked.get("query.bibliographic") or asked["filter"].removeprefix("title.search:")
        none = {"message": {"items": []}, "results": []}
        found = self.titles.get((request.url.host, normalise_title(title)), none)
        return httpx2.Response(200, json=found)


def _json(body: Any) -> Any:
    content = body.get("string") if isinstance(body, dict) else body
    content = content.encode() if isinstance(content, str) else content or b""
    try:
        return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    except ValueError:
        return None


@pytest.fixture(scope="module")
def recording() -> Recording:
    return Recording()


@pytest.fixture
def services(recording: Recording, tmp_path: Path) -> Iterator[WorkServices]:
    clock = ClientClock(lambda: 0.0, lambda _: None, lambda: 1.0)
    transport = httpx2.MockTransport(recording.answer)
    made = WorkServices(tmp_path, version="1", clock=clock, transport=transport)
    yield made
    made.close()


def evidence(work: Mapping[str, Any], identifiers: Sequence[str] = ()) -> DocumentEvidence:
    names = tuple(author["name"] for author in work["authors"])
    return DocumentEvidence(
        file_name="paper.pdf",
        identifiers=tuple(identifiers),
        title=work["title"],
        authors=names,
        year=work["year"],
        first_text=f"{work['title']}\n{', '.join(names)}\n{work['year']}\n",
    )


def searched(
    services: WorkServices, document: DocumentEvidence
) -> tuple[FoundWork, RecordJudgement] | None:
    judge = RecordJudge(document)
    best = None
    for catalogue in services.catalogues:
        found = services.by_title(catalogue, document.title or "", "")
        judged = one_taken((one, judge.by_title(meta_from_csl(one.item, "k"))) for one in found)
        if judged and judged[1].verdict is RecordVerdict.TAKEN:
            return judged
        best = best or judged
    return best


@pytest.mark.parametrize("doi", DESCRIBED)
def test_the_record_of_a_doi_is_taken_for_its_work_and_for_no_other(
    recording: Recording, services: WorkServices, doi: str
) -> None:
    found = services.by_identifier(doi)
    assert found is not None
    work = meta_from_csl(found.item, "k")
    assert work.doi == doi
    verdicts = {
        other: RecordJudge(evidence(described)).by_identifier(work).verdict
        for other, described in recording.described.items()
    }
    assert {other for other, how in verdicts.items() if how is RecordVerdict.TAKEN} == {doi}


def test_a_short_title_without_authors_is_proposed(
    recording: Recording, services: WorkServices
) -> None:
    """Two works of the recordings have this title, and neither has authors."""
    doi = "10.1007/s40278-023-41815-2"
    found = services.by_identifier(doi)
    assert found is not None
    judge = RecordJudge(evidence(recording.described[doi]))
    assert judge.by_identifier(meta_from_csl(found.item, "k")).verdict is RecordVerdict.PROPOSED


def test_every_recorded_work_can_be_read_and_cited(
    recording: Recording, services: WorkServices
) -> None:
    assert len(recording.works) >= 15
    for doi in recording.works:
        found = services.by_identifier(doi)
        assert found is not None
        work = meta_from_csl(found.item, "k")
        assert (work.doi, bool(work.title), work.year is not None) == (doi, True, True)
        assert "<" not in work.title
        assert found.item["type"] in {"article-journal", "article"}


@pytest.mark.parametrize(
    ("title", "doi"),
    [
        ("Effect of native oxide layers on copper thin-film tensile properties: A reactive "
         "molecular dynamics study", "10.1063/1.4938384"),
        ("An essential role of active site arginine residue in iodide binding and histidine "
         "residue in electron transfer for iodide oxidation by horseradish peroxidase",
         "10.1023/a:1007154515475"),
    ],
)  # fmt: skip
def test_a_title_finds_its_work(
    recording: Recording, services: WorkServices, title: str, doi: str
) -> None:
    document = evidence(recording.described[doi])
    assert document.title == title
    best = searched(services, document)
    assert best is not None
    found, judgement = best
    assert (judgement.verdict, found.item["DOI"]) == (RecordVerdict.TAKEN, doi)


def test_a_preprints_title_is_found_at_openalex(
    recording: Recording, services: WorkServices
) -> None:
    document = evidence(recording.described["10.48550/arxiv.2312.07559"], ["arXiv:2312.07559"])
    assert services.by_identifier("arXiv:2312.07559") is None
    best = searched(services, document)
    assert best is not None
    assert (best[0].service, best[1].verdict) == ("OpenAlex", RecordVerdict.TAKEN)
    assert best[0].item["DOI"] == "10.48550/arxiv.2312.07559"


@pytest.mark.parametrize(
    ("title", "authors"),
    [
        ("askldjrq3rjaw938h", ["Ann Weir"]),
        ("Effect of native oxide layers on copper thin-film tensile properties: A study",
         ["M. Skarlinski"]),
        ("Attention is All you Need", ["Ashish Vaswani"]),
        ("Augmenting large language models with chemistry tools.", ["Jack NoScience"]),
        ("The Dilemma and Countermeasures of Music Education under the Background of Big Data",
         ["Ann Weir"]),
    ],
)  # fmt: skip
def test_nothing_is_taken_for_a_made_up_work(
    services: WorkServices, title: str, authors: list[str]
) -> None:
    people = [{"name": name} for name in authors]
    document = evidence({"title": title, "authors": people, "year": 2015})
    best = searched(services, document)
    assert best is None or best[1].verdict is RecordVerdict.PROPOSED


def test_an_unknown_doi_is_unknown(services: WorkServices) -> None:
    assert services.by_identifier("10.1126/foo") is None


def test_corrections_and_versions_come_with_the_record(services: WorkServices) -> None:
    corrected = services.by_identifier("10.1073/pnas.1414271111")
    preprint = services.by_identifier("10.1101/2024.04.01.587366")
    assert corrected is not None
    assert preprint is not None
    assert corrected.item["custom"]["updates"][0]["type"]
    assert preprint.item["custom"]["versions"][0]["relation"] == "is-preprint-of"


def test_the_word_for_word_answer_of_content_negotiation(services: WorkServices) -> None:
    ((doi, title),) = WORDS.items()
    found = services.by_identifier(doi)
    assert found is not None
    assert found.item["title"].startswith(title)
    assert (found.item["type"], found.item["volume"]) == ("article-journal", "169")
    assert found.item["author"] == [{"family": "Frank", "given": "Henry S."}]


PNAS = "https://www.pnas.org/content/pnas/111/45/E4832.full.pdf"


@pytest.mark.parametrize(
    ("doi", "pdfs"),
    [
        ("10.1073/pnas.1414271111", [
            "https://europepmc.org/articles/pmc4234579?pdf=render",
            "https://escholarship.org/content/qt4ws805f2/qt4ws805f2.pdf?t=rt3n16",
            PNAS,
        ]),
        ("10.1016/j.addr.2015.01.008", []),  # open, but only as a page
        ("10.1023/a:1007154515475", []),
        ("10.1016/j.xgen.2025.100814", []),
    ],
)  # fmt: skip
def test_open_pdfs_are_those_that_the_services_name(
    recording: Recording, tmp_path: Path, doi: str, pdfs: list[str]
) -> None:
    clock = ClientClock(lambda: 0.0, lambda _: None, lambda: 1.0)
    transport = httpx2.MockTransport(recording.answer)
    contact = "me@uni.example"
    made = WorkServices(tmp_path, version="1", contact=contact, clock=clock, transport=transport)
    assert [one.url for one in made.open_pdfs({"DOI": doi})] == pdfs
    assert {one.version for one in made.open_pdfs({"DOI": doi})} <= {"publishedVersion"}
