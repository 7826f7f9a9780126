"""Edits of a paper over REST, the form of its page, and the undo of the library."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_server import serving
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
SHOWN = {HEADER: SECRET}
DOCUMENTS = "/api/v1/projects/local/thesis/documents"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest(references=[world.cite(an_item("grids", "10.5555/grids"))])
    return world


@pytest.fixture
def client(world: World) -> Iterator[httpx2.Client]:
    with serving(world, secret=SECRET) as address, httpx2.Client(base_url=address) as client:
        yield client


def ponds(world: World) -> str:
    (found,) = [one for one in world.stored() if one.path and one.path.endswith("ponds.md")]
    return found.document_id


def edit(
    client: httpx2.Client, document: str, *changes: str, force: bool = False
) -> httpx2.Response:
    body = {"changes": list(changes), "force": force}
    return client.post(f"{DOCUMENTS}/{document}/edits", json=body, headers=SHOWN)


def undo(client: httpx2.Client) -> httpx2.Response:
    return client.post("/api/v1/projects/local/thesis/undo", headers=SHOWN)


def test_a_paper_is_edited_and_the_edit_taken_back(client: httpx2.Client, world: World) -> None:
    answer = edit(client, ponds(world), "key=mine", "tag=cool", "status=read")
    assert answer.status_code == 200, answer.text
    assert {one["field"]: one["after"] for one in answer.json()["changes"]} == {
        "key": "mine",
        "tag": "cool",
        "status": "read",
    }
    shown = client.get(f"{DOCUMENTS}/mine").json()
    assert (shown["tags"], shown["own_tags"], shown["status"]) == (["cool"], ["cool"], "read")
    taken_back = undo(client).json()["undone"]
    assert taken_back["what"] == "edited: key, tag, status"
    assert client.get(f"{DOCUMENTS}/{ponds(world)}").json()["status"] is None
    assert undo(client).json() == {"undone": None}


def test_only_our_own_page_may_edit(client: httpx2.Client, world: World) -> None:
    body = {"changes": ["status=read"]}
    assert client.post(f"{DOCUMENTS}/{ponds(world)}/edits", json=body).status_code == 403
    assert client.post("/api/v1/projects/local/thesis/undo").status_code == 403
    assert world.own_records.last(HERE) is None


@pytest.mark.parametrize("change", ["titel=x", "year=x", "x"])
def test_what_cannot_be_is_refused_with_the_reason(
    client: httpx2.Client, world: World, change: str
) -> None:
    answer = edit(client, ponds(world), change)
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"]


def test_the_entry_of_a_reference_file_is_changed_by_force_only(client: httpx2.Client) -> None:
    refused = edit(client, "grids", "volume=3")
    assert refused.status_code in (400, 422)
    assert "its entry is in" in refused.json()["detail"]
    assert edit(client, "grids", "volume=3", force=True).status_code == 200


def test_the_form_has_what_is_known(client: httpx2.Client, world: World) -> None:
    edit(client, ponds(world), "author=Weir, Ann; {Met Office}", 'title=A "pond" <b>', "note=N & M")
    page = client.get("/paper", params={"project": "local/thesis", "document": ponds(world)}).text
    assert f'data-path="projects/local/thesis/documents/{ponds(world)}/edits"' in page
    assert 'value="Weir"' in page
    assert 'value="{Met Office}"' in page
    assert re.search(r'<textarea name="title" rows="2">A &#34;pond&#34; &lt;b&gt;</textarea>', page)
    assert "N &amp; M" in page
    assert "The entry is in" not in page
    grids = client.get("/paper", params={"project": "local/thesis", "document": "grids"}).text
    assert "The entry is in" in grids


def test_the_library_shows_the_status_and_the_last_edit(client: httpx2.Client) -> None:
    before = client.get("/library", params={"project": "local/thesis"}).text
    assert 'id="undo"' not in before
    edit(client, "grids", "because=wrong population")
    page = client.get("/library", params={"project": "local/thesis"}).text
    assert "excluded: wrong population" in page
    assert "Undo: @grids, edited: because" in page
    only = {"project": "local/thesis", "filter": "status=excluded"}
    assert "1 paper of 2" in client.get("/library", params=only).text
