"""Services of bibliographic records over HTTP: what they answer, and what they answer instead."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from citeloom.domain.errors import LookupFailed
from citeloom.infrastructure.references.lookup.services import WorkServices
from citeloom.infrastructure.system.http_client import ClientClock

DOI = "10.5555/ponds"
RECORD = {
    "type": "journal-article", "title": "Ponds", "DOI": DOI, "container-title": "Weir Letters",
    "author": [{"family": "Szélkuti", "given": "Oriana"}], "issued": {"date-parts": [[2020, 3]]},
}  # fmt: skip
Answer = Callable[[httpx2.Request], httpx2.Response]


class Web:
    """``answers`` by host; requests and pauses are kept. Time passes in pauses alone."""

    def __init__(self, folder: Path, **answers: Answer) -> None:
        self.answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.requests: list[httpx2.Request] = []
        self.now = 0.0
        self.today = 0.0
        self.folder = folder

    def opened(self, contact: str = "") -> WorkServices:
        return WorkServices(
            self.folder,
            version="1.0",
            contact=contact,
            timeout=5.0,
            clock=ClientClock(lambda: self.now, self._sleep, lambda: 1.0),
            transport=httpx2.MockTransport(self._answer),
            now=lambda: self.today,
        )

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self.answers[request.url.host](request)


def answering(body: Any = RECORD, **headers: str) -> Answer:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = {"content-type": "application/json"}

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, stream=httpx2.ByteStream(content), headers=kind | named)

    return answer


def refusing(status: int, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: httpx2.Response(status, headers=named)


def leading_to(url: str) -> Answer:
    return lambda _: httpx2.Response(302, headers={"location": url})


def failing(error: type[httpx2.TransportError]) -> Answer:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error("", request=request)

    return fail


def reason(web: Web, identifier: str = DOI) -> str:
    with pytest.raises(LookupFailed) as refused:
        web.opened().by_identifier(identifier)
    return str(refused.value)


def test_a_doi_is_asked_for_at_its_agency_as_csl_json(tmp_path: Path) -> None:
    agency = "https://api.crossref.org/v1/works/10.5555%2Fponds/transform"
    web = Web(tmp_path, doi_org=leading_to(agency), api_crossref_org=answering())
    found = web.opened("me@uni.example").by_identifier("https://doi.org/10.5555/PONDS")
    assert found is not None
    assert (found.service, found.item["type"]) == ("Crossref", "article-journal")
    assert found.item["issued"] == {"date-parts": [[2020, 3]]}
    assert found.item["custom"] == {"source": "Crossref"}
    first, second = web.requests
    assert (str(first.url), str(second.url)) == ("https://doi.org/10.5555/ponds", agency)
    assert second.headers["accept"] == "application/vnd.citationstyles.csl+json"
    assert "mailto:me@uni.example" in second.headers["user-agent"]


@pytest.mark.parametrize(
    ("identifier", "url"),
    [
        ("arXiv:2302.07302v2", "https://doi.org/10.48550/arXiv.2302.07302"),
        (
            "pmid:38799228",
            "https://api.ncbi.nlm.nih.gov/lit/ctxp/v1/pubmed/?format=csl&id=38799228",
        ),
        (
            "isbn:978-0-262-03561-3",
            "https://openlibrary.org/api/books?bibkeys=ISBN%3A9780262035613&jscmd=data&format=json",
        ),
    ],
)
def test_each_kind_of_identifier_has_its_service(tmp_path: Path, identifier: str, url: str) -> None:
    book = {"ISBN:9780262035613": {"title": "Ponds", "authors": [{"name": "Oriana Szélkuti"}]}}
    web = Web(
        tmp_path,
        doi_org=answering(),
        api_ncbi_nlm_nih_gov=answering(),
        openlibrary_org=answering(book),
    )
    found = web.opened().by_identifier(identifier)
    assert found is not None
    assert found.item["title"] == "Ponds"
    assert found.item["author"] == RECORD["author"]
    assert [str(one.url) for one in web.requests] == [url]


RELATED = {
    "data": {
        "attributes": {
            "relatedIdentifiers": [
                {
                    "relationType": "IsVersionOf",
                    "relatedIdentifier": "https://doi.org/10.5555/PONDS",
                },
                {"relationType": "Cites", "relatedIdentifier": "10.5555/grids"},
                {"relationType": "HasVersion", "relatedIdentifier": "no identifier"},
            ]
        }
    }
}


def test_what_datacite_has_of_versions_comes_with_the_record(tmp_path: Path) -> None:
    record = RECORD | {"DOI": "10.48550/arXiv.2301.00001"}
    web = Web(
        tmp_path,
        doi_org=leading_to("https://data.crosscite.org/x"),
        data_crosscite_org=answering(record),
        api_datacite_org=answering(RELATED),
    )
    for _ in range(2):  # the second time from the cache
        found = web.opened().by_identifier("arXiv:2301.00001")
        assert found is not None
        assert found.item["custom"] == {
            "source": "DataCite", "versions": [{"relation": "is-version-of", "id": DOI}],
        }  # fmt: skip
    assert [one.url.host for one in web.requests].count("api.datacite.org") == 1


def test_without_the_versions_the_record_stays(tmp_path: Path) -> None:
    web = Web(
        tmp_path,
        doi_org=leading_to("https://data.crosscite.org/x"),
        data_crosscite_org=answering(),
        api_datacite_org=refusing(503),
    )
    found = web.opened().by_identifier(DOI)
    assert found is not None
    assert found.item["custom"] == {"source": "DataCite"}


def test_an_unknown_identifier_is_none_and_is_not_asked_for_again(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=refusing(404), openlibrary_org=answering({}))
    assert web.opened().by_identifier(DOI) is None
    assert web.opened().by_identifier(DOI) is None
    assert web.opened().by_identifier("isbn:9780262035613") is None
    assert len(web.requests) == 2


def test_an_answer_is_kept_for_thirty_days(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=answering())
    first = web.opened().by_identifier(DOI)
    web.today = next(tmp_path.iterdir()).stat().st_mtime + 29 * 86_400
    assert web.opened().by_identifier(DOI) == first
    assert len(web.requests) == 1
    web.today += 2 * 86_400
    web.opened().by_identifier(DOI)
    assert len(web.requests) == 2


def test_a_damaged_answer_in_the_cache_is_asked_for_again(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=answering())
    web.opened().by_identifier(DOI)
    next(tmp_path.iterdir()).write_bytes(b"{")
    assert web.opened().by_identifier(DOI) is not None


def test_a_title_is_searched_at_crossref_and_then_at_openalex(tmp_path: Path) -> None:
    work = {
        "title": "Ponds", "doi": "https://doi.org/10.5555/PONDS", "type": "article",
        "publication_year": 2020, "is_retracted": True,
        "authorships": [{"author": {"display_name": "Oriana Szélkuti"}}],
        "biblio": {"volume": "3", "first_page": "1", "last_page": "9"},
        "primary_location": {"source": {"display_name": "Weir Letters", "type": "journal"}},
    }  # fmt: skip
    none = answering({"message": {"items": []}})
    web = Web(tmp_path, api_crossref_org=none, api_openalex_org=answering({"results": [work]}))
    services = web.opened("me@uni.example")
    none_there, (found,) = (
        services.by_title(one, "Ponds: a, b|c", "Oriana Szélkuti") for one in services.catalogues
    )
    assert none_there == []
    assert found.service == "OpenAlex"
    assert found.item == {
        **RECORD, "type": "article-journal", "issued": {"date-parts": [[2020]]}, "volume": "3",
        "page": "1-9", "custom": {"source": "OpenAlex", "updates": [{"type": "retraction"}]},
    }  # fmt: skip
    crossref, openalex = (dict(one.url.params) for one in web.requests)
    assert crossref["query.bibliographic"] == "Ponds: a, b|c"
    assert crossref["query.author"] == "Oriana Szélkuti"
    assert openalex["filter"] == "title.search:Ponds a b c"
    assert crossref["mailto"] == openalex["mailto"] == "me@uni.example"


def test_a_record_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    items = [{"title": []}, 7, RECORD]
    web = Web(tmp_path, api_crossref_org=answering({"message": {"items": items}}))
    assert [one.item["title"] for one in web.opened().by_title("Crossref", "Ponds", "")] == [
        "Ponds"
    ]
    assert "query.author" not in web.requests[0].url.params


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answering(b"<html>", content_type="text/html"), "answers text/html in place of JSON"),
        (answering(b"<html>"), "its answer is not JSON"),
        (answering(b'{"title": "Po'), "its answer is not JSON"),
        (answering([RECORD]), "its answer is not a record"),
        (answering({"type": "book"}), "its answer is a record without a title"),
        (answering(b'{"title": "Sz\xe9lkuti"}'), "its answer is not JSON"),
        (
            answering(b'{"title": "Sz\xe9lkuti"}', content_type="application/json; charset=x-none"),
            "its answer is not JSON",
        ),
        (answering(b"x" * (9 * 2**20)), "answers more than 8 MiB"),
        (answering(b"no archive at all", content_encoding="gzip"), "its answer cannot be unpacked"),
        (refusing(406), "answers 406 Not Acceptable"),
        (refusing(503), "it answers 503 Service Unavailable (3 attempts)"),
        (failing(httpx2.ReadTimeout), "no answer within 5 s (3 attempts)"),
        (failing(httpx2.ConnectError), "no response (3 attempts)"),
        (leading_to("https://doi.org/10.5555/again"), "redirects 4 times"),
        (
            refusing(429, retry_after="3600"),
            "it answers 429 Too Many Requests, and is not to be asked for 3600 s",
        ),
    ],
)
def test_what_is_no_record_is_an_error_that_names_the_host(
    tmp_path: Path, answer: Answer, expected: str
) -> None:
    web = Web(tmp_path, doi_org=answer)
    assert reason(web) == f"doi.org: {expected}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("http://api.crossref.org/x", "api.crossref.org"),
        ("https://publisher.example/article", "publisher.example"),
        ("https://evilcrossref.org/x", "evilcrossref.org"),
        ("https://api.crossref.org@10.0.0.1/x", "10.0.0.1"),
        ("https://127.0.0.1/x", "127.0.0.1"),
        ("https://api.crossref.org:8443/x", "api.crossref.org"),
        ("https://[::1]/x", "::1"),
        ("file:///etc/passwd", "file:/etc/passwd"),
    ],
)
def test_a_redirect_leads_to_services_of_records_alone(
    tmp_path: Path, target: str, named: str
) -> None:
    web = Web(tmp_path, doi_org=leading_to(target))
    expected = f"doi.org: redirects to {named}, which is not a service of records"
    assert reason(web) == expected
    assert len(web.requests) == 1


def test_a_redirect_to_no_address_is_an_error(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=leading_to("https://[x"))
    assert reason(web) == "doi.org: redirects to 'https://[x', no address"


def test_latin_1_is_read_where_the_header_names_it_and_utf_8_whatever_it_says(
    tmp_path: Path,
) -> None:
    latin = "application/json; charset=iso-8859-1"
    for number, body in enumerate((b'{"title": "Sz\xe9lkuti"}', '{"title": "Szélkuti"}'.encode())):
        web = Web(tmp_path / str(number), doi_org=answering(body, content_type=latin))
        found = web.opened().by_identifier(DOI)
        assert found is not None
        assert found.item["title"] == "Szélkuti"


def test_a_busy_service_is_asked_again_when_it_says(tmp_path: Path) -> None:
    answers = iter([refusing(429, retry_after="7"), answering()])
    web = Web(tmp_path, doi_org=lambda request: next(answers)(request))
    assert web.opened().by_identifier(DOI) is not None
    assert web.now >= 7


def test_requests_to_a_host_are_at_most_three_a_second(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=answering())
    services = web.opened()
    for number in range(4):
        services.by_identifier(f"10.5555/{number}x")
    assert web.now >= 3 * 0.33


def test_a_host_that_failed_twice_is_not_asked_again(tmp_path: Path) -> None:
    web = Web(tmp_path, doi_org=failing(httpx2.ConnectTimeout))
    services = web.opened()
    for number in range(3):
        with pytest.raises(LookupFailed, match="not asked again" if number == 2 else "no response"):
            services.by_identifier(f"10.5555/{number}x")
    assert len(web.requests) == 6


PLACE = {"pdf_url": "https://weir.example/ponds.pdf", "version": "publishedVersion"}
OWN = {"pdf_url": "https://repo.example/ponds.pdf", "version": "submittedVersion"}


def test_the_pdf_of_a_paper_at_arxiv_is_known_without_asking(tmp_path: Path) -> None:
    web = Web(tmp_path)
    for item in ({"DOI": "10.48550/arxiv.2302.07302"}, {"number": "arXiv:2302.07302"}):
        (pdf,) = web.opened().open_pdfs(item)
        assert pdf == ("https://arxiv.org/pdf/2302.07302", "publishedVersion")
    assert web.requests == []


def test_published_pdfs_come_first_and_each_once(tmp_path: Path) -> None:
    work = {"best_oa_location": OWN, "locations": [OWN, None, {"pdf_url": None}, PLACE, "x"]}
    web = Web(tmp_path, api_openalex_org=answering(work))
    found = web.opened().open_pdfs({"DOI": DOI})
    assert [one.url for one in found] == [PLACE["pdf_url"], OWN["pdf_url"]]
    assert [str(one.url) for one in web.requests] == [f"https://api.openalex.org/works/doi:{DOI}"]


def test_unpaywall_is_asked_with_the_contact_address_alone(tmp_path: Path) -> None:
    place = {"url_for_pdf": PLACE["pdf_url"], "version": "publishedVersion"}
    answers = {"oa_locations": [place]}
    web = Web(tmp_path, api_openalex_org=refusing(404), api_unpaywall_org=answering(answers))
    assert web.opened().open_pdfs({"DOI": DOI}) == []
    found = web.opened("me@uni.example").open_pdfs({"DOI": DOI})
    assert [one.url for one in found] == [PLACE["pdf_url"]]
    assert str(web.requests[-1].url) == (
        f"https://api.unpaywall.org/v2/{DOI}?email=me%40uni.example"
    )


def test_one_service_that_fails_does_not_hide_the_other(tmp_path: Path) -> None:
    answers = {"locations": [PLACE]}
    web = Web(tmp_path, api_openalex_org=answering(answers), api_unpaywall_org=refusing(500))
    assert len(web.opened("me@uni.example").open_pdfs({"DOI": DOI})) == 1
    web.answers["api.openalex.org"] = refusing(500)
    with pytest.raises(LookupFailed, match=r"api\.openalex\.org: it answers 500"):
        Web(tmp_path / "other", **web.answers).opened().open_pdfs({"DOI": DOI})


@pytest.mark.parametrize("body", [[], None, "x", {"locations": {}}, {"locations": [[1]]}])
def test_an_answer_of_another_form_names_no_pdf(tmp_path: Path, body: Any) -> None:
    web = Web(tmp_path, api_openalex_org=answering(body))
    assert web.opened().open_pdfs({"DOI": DOI}) == []
