"""Look-ups over REST, and what the library shows of them."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_server import serving
from support.served import ended
from support.world import HERE, World, an_item

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
TITLE = "Ponds cool the evening street"
PAPER = f"# {TITLE}\n\nOriana Weir, 2020\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
OTHER = "# Grids of many points\n\nBo Quill\n\ndoi:10.5555/grids\n\nA grid has errors.\n"
LOOKUPS = "/projects/local/thesis/lookups"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.write("ponds.md", PAPER)
    world.write("grids.md", OTHER)
    world.ingest()
    author = [{"family": "Weir", "given": "Oriana"}]
    world.lookup.items["10.5555/ponds"] = an_item("x", "10.5555/ponds", title=TITLE, author=author)
    wrong = an_item("x", "10.5555/grids", title="Kites <b>in</b> wind", author=author)
    world.lookup.items["10.5555/grids"] = wrong
    return world


@pytest.fixture
def client(world: World) -> Iterator[httpx2.Client]:
    with (
        serving(world, secret=SECRET) as address,
        httpx2.Client(base_url=f"{address}/api/v1", headers={HEADER: SECRET}) as client,
    ):
        yield client


def looked_up(client: httpx2.Client, **body: object) -> str:
    begun = client.post(LOOKUPS, json=body)
    assert begun.status_code == 202, begun.text
    state = ended(client, f"/jobs/{begun.json()['id']}")
    assert (state["kind"], state["status"]) == ("lookup", "done")
    return str(state["id"])


def library(client: httpx2.Client, job: str = "") -> str:
    page = client.get(
        str(client.base_url).replace("/api/v1/", "/library"),
        params={"project": "local/thesis", "lookup": job},
    )
    assert page.status_code == 200
    return page.text


def grids(world: World) -> str:
    (found,) = [one for one in world.stored() if one.path and one.path.endswith("grids.md")]
    return found.document_id


def test_all_are_looked_up_and_what_does_not_agree_is_taken_on_request(
    client: httpx2.Client, world: World
) -> None:
    job = looked_up(client)
    found = client.get(f"/jobs/{job}/lookup").json()
    outcomes = {one["name"]: one["outcome"] for one in found["documents"]}
    assert sorted(outcomes.values()) == ["proposed", "taken"]
    page = library(client, job)
    assert "Looked up: 1 taken, 1 to accept or leave" in page
    assert "neither title nor authors agree" in page
    assert "Kites &lt;b&gt;in&lt;/b&gt; wind" in page
    assert "1 of 2 papers has a provisional citation" in page
    looked_up(client, documents=[grids(world)], accept=True)
    assert "Looked up: 2 taken" in library(client, job)
    assert "provisional citation" not in library(client)


def test_the_library_says_what_is_sent_before_it_is(client: httpx2.Client, world: World) -> None:
    page = library(client)
    assert "2 of 2 papers have a provisional citation" in page
    assert page.count('class="flag uncited"') == 1
    assert "doi.org, DataCite, PubMed, OpenLibrary, Crossref or OpenAlex" in page
    assert world.lookup.asked == []


def test_a_page_that_may_change_nothing_names_the_command(world: World) -> None:
    with serving(world) as address:
        page = httpx2.get(f"{address}/library?project=local/thesis").text
    assert "citeloom identify --all -p local/thesis" in page
    assert 'id="lookup"' not in page


def test_only_our_own_page_may_look_up(client: httpx2.Client, world: World) -> None:
    del client.headers[HEADER]
    assert client.post(LOOKUPS, json={}).status_code == 403
    assert world.lookup.asked == []


def test_what_is_wrong_is_said_before_anything_is_sent(client: httpx2.Client, world: World) -> None:
    assert client.post(LOOKUPS, json={"documents": ["nothing"]}).status_code == 404
    assert client.post("/projects/local/none/lookups", json={}).status_code == 404
    assert client.post(LOOKUPS, json={"documents": [], "accept": True}).status_code in (400, 422)
    assert world.lookup.asked == []
    assert world.own_records.last(HERE) is None


def test_a_lookup_of_another_time_is_an_error_of_the_view(client: httpx2.Client) -> None:
    page = client.get(
        str(client.base_url).replace("/api/v1/", "/library"),
        params={"project": "local/thesis", "lookup": "0" * 32},
    )
    assert page.status_code == 404
    assert "papers have a provisional citation" in page.text
