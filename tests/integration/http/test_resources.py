"""Addresses, relations, labels, marks and bibliographies over HTTP."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from support.http_client import client_at
from support.http_server import serving
from support.world import GRIDS, PONDS, World

from citeloom.domain.resources.uris import document_uri
from citeloom.infrastructure.storage.catalogue import SqlCatalogue
from citeloom.infrastructure.system.workspace import Workspace

PROJECT = "/projects/local/thesis"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("library")
    # Labels are stored beside the projects.
    world = World(folder, catalogue=SqlCatalogue(Workspace(folder).catalogue_url))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    return world


@pytest.fixture(scope="module")
def rest(world: World) -> Iterator[httpx2.Client]:
    with serving(world) as address, client_at(f"{address}/api/v1") as client:
        yield client


@pytest.fixture(scope="module")
def document(rest: httpx2.Client) -> dict[str, Any]:
    documents = rest.get(f"{PROJECT}/documents").json()["documents"]
    return dict(next(one for one in documents if "pond" in one["title"].lower()))


def test_a_list_of_papers_is_turned_round(rest: httpx2.Client) -> None:
    listed = [
        rest.get(f"{PROJECT}/documents", params={"sort": "title", "reverse": reverse}).json()
        for reverse in (False, True)
    ]
    first, last = ([one["title"] for one in found["documents"]] for found in listed)
    assert first == sorted(first)
    assert last == first[::-1]
    page = {"sort": "title", "reverse": True, "limit": 1}
    following = rest.get(f"{PROJECT}/documents", params=page).json()["next"]
    after = {**page, "cursor": following}
    (second,) = rest.get(f"{PROJECT}/documents", params=after).json()["documents"]
    assert second["title"] == first[0]


def test_a_node_is_resolved_and_cut_out(rest: httpx2.Client, document: dict[str, Any]) -> None:
    id = document["document_id"]
    tree = rest.get(f"/documents/{id}/map").json()
    nodes = [one["id"] for one in tree["nodes"]]
    asked = {"place": id, "node": nodes[-1], "project": "thesis"}
    found = rest.get("/resolve", params=asked).json()
    assert found["evidence"]["node"]["id"] == nodes[-1]
    assert found["evidence"]["output_path"] is None
    cut = rest.get("/evidence", params=asked)
    assert cut.status_code == 200, cut.text
    assert "The cooling falls with distance" in cut.text
    assert cut.headers["content-disposition"].startswith("attachment")
    assert rest.get("/resolve", params={"place": id, "node": "nothing"}).status_code == 404
    assert rest.get("/evidence", params={"place": "/etc/passwd"}).status_code in (400, 404)


def test_relations_are_those_of_the_document_and_of_the_project(
    rest: httpx2.Client, document: dict[str, Any]
) -> None:
    graph = rest.get(f"/documents/{document['document_id']}/relations").json()
    assert document["document_id"].startswith(graph["start"].split("/")[-1])
    assert graph["relations"]
    whole = rest.get(f"{PROJECT}/relations").json()
    assert graph["start"] in {one["uri"] for one in whole["nodes"]}
    assert rest.get("/documents/nothing/relations").status_code == 404
    assert rest.get("/projects/local/nothing/relations").status_code == 404


def test_a_label_is_put_listed_and_removed(
    rest: httpx2.Client, world: World, document: dict[str, Any]
) -> None:
    project = next(one.id for one in world.catalogue.projects())
    uri = {"uri": f"{document_uri(project, document['document_id'])}/$body"}
    put = rest.put("/labels", params=uri, json={"name": "relevance", "value": "high"})
    assert put.status_code == 200, put.text
    names = [one["name"] for one in rest.get("/labels", params=uri).json()["labels"]]
    assert "relevance" in names
    gone = uri | {"name": "relevance"}
    assert rest.delete("/labels", params=gone).status_code == 204
    left = [one["name"] for one in rest.get("/labels", params=uri).json()["labels"]]
    assert "relevance" not in left
    assert rest.get("/labels", params={"uri": "no uri"}).status_code == 400


def test_marks_of_a_document_without_any_are_none(
    rest: httpx2.Client, document: dict[str, Any]
) -> None:
    path = f"{PROJECT}/documents/{document['document_id']}/annotations"
    assert rest.get(path).json() == {"annotations": [], "total": 0, "next": None}
    assert rest.get(f"{PROJECT}/documents/nothing/annotations").status_code == 404


def test_a_bibliography_counts_what_has_no_citation(rest: httpx2.Client) -> None:
    told = rest.get(f"{PROJECT}/bibliography").json()
    documents = rest.get(f"{PROJECT}/documents").json()["total"]
    assert len(told["bibliography"]) + told["without_citation"] == documents
    assert rest.get(f"{PROJECT}/bibliography", params={"style": "none"}).status_code == 400
    assert rest.get("/projects/local/nothing/bibliography").status_code == 404


@pytest.mark.parametrize("format", ["bibtex", "biblatex", "csl-json", "ris"])
def test_references_are_a_file(rest: httpx2.Client, format: str) -> None:
    answer = rest.get(f"{PROJECT}/references", params={"format": format})
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    assert rest.get(f"{PROJECT}/references", params={"key": "nothing"}).status_code == 404
