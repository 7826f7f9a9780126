"""What every look-up of works promises, on every adapter."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from support.in_memory.references import InMemoryWorkLookup

from citeloom.application.ports.citation import PUBLISHED, OpenPdf, WorkLookup
from citeloom.domain.errors import LookupFailed
from citeloom.infrastructure.references.lookup.services import WorkServices
from citeloom.infrastructure.system.http_client import ClientClock

ITEMS: dict[str, dict[str, Any]] = {
    "10.5555/ponds": {"type": "book", "title": "Ponds cool the street", "DOI": "10.5555/ponds"},
    "10.5555/grids": {"type": "book", "title": "Grids of random points", "DOI": "10.5555/grids"},
}
BROKEN = "10.5555/broken"
OPEN = OpenPdf("https://weir.example/ponds.pdf", PUBLISHED)


def _services(folder: Path) -> WorkLookup:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "doi.org":
            doi = request.url.path.strip("/")
            if doi == BROKEN:
                return httpx2.Response(503)
            return httpx2.Response(200, json=ITEMS[doi]) if doi in ITEMS else httpx2.Response(404)
        if request.url.host == "api.openalex.org" and request.url.path.startswith("/works/doi:"):
            doi = request.url.path.removeprefix("/works/doi:")
            if doi == BROKEN:
                return httpx2.Response(503)
            place = {"pdf_url": OPEN.url, "version": OPEN.version}
            known = doi == "10.5555/ponds"
            return httpx2.Response(200, json={"locations": [place]} if known else {})
        query = json.dumps(dict(request.url.params))
        found = [item for item in ITEMS.values() if str(item["title"])[:12] in query]
        return httpx2.Response(200, json={"message": {"items": found}, "results": found})

    clock = ClientClock(lambda: 0.0, lambda _: None, lambda: 1.0)
    transport = httpx2.MockTransport(answer)
    return WorkServices(folder, version="1", clock=clock, transport=transport)


@pytest.fixture(params=["memory", "services"])
def lookup(request: pytest.FixtureRequest, tmp_path: Path) -> WorkLookup:
    if request.param == "services":
        return _services(tmp_path)
    memory = InMemoryWorkLookup()
    memory.items |= ITEMS
    memory.pdfs["10.5555/ponds"] = [OPEN]
    memory.failing |= {BROKEN, f"pdf of {BROKEN}"}
    return memory


def test_a_known_identifier_gives_its_item(lookup: WorkLookup) -> None:
    found = lookup.by_identifier("10.5555/ponds")
    assert found is not None
    assert found.service
    assert ITEMS["10.5555/ponds"].items() <= found.item.items()


def test_an_unknown_identifier_gives_none(lookup: WorkLookup) -> None:
    assert lookup.by_identifier("10.5555/nothing") is None


def test_a_failure_of_the_service_is_told(lookup: WorkLookup) -> None:
    with pytest.raises(LookupFailed, match=r"[\w.]+: it answers 503"):
        lookup.by_identifier(BROKEN)


def test_the_likest_title_comes_first(lookup: WorkLookup) -> None:
    for catalogue in lookup.catalogues:
        found = lookup.by_title(catalogue, "Ponds cool the street", "Weir")
        assert found[0].item["title"] == "Ponds cool the street"
        assert list(lookup.by_title(catalogue, "Unheard of", "")) == []


def test_open_pdfs_are_named_with_their_version(lookup: WorkLookup) -> None:
    assert list(lookup.open_pdfs(ITEMS["10.5555/ponds"])) == [OPEN]
    assert list(lookup.open_pdfs(ITEMS["10.5555/grids"])) == []
    assert list(lookup.open_pdfs({"type": "book", "title": "No identifier"})) == []


def test_a_failure_to_look_for_pdfs_is_told(lookup: WorkLookup) -> None:
    with pytest.raises(LookupFailed, match="503"):
        lookup.open_pdfs({"DOI": BROKEN})
