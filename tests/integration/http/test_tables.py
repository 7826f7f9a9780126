"""Tables over REST and on the page: filled by jobs, kept, and written as files."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from support.http_server import serving
from support.served import ended
from support.world import World

from citeloom.infrastructure.http.guards import SECRET_HEADER as HEADER

SECRET = "s" * 43
TABLE = "/projects/local/thesis/table"
MANY = "How many participants took part <i>?"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx2.Client]:
    world = World(tmp_path)
    world.write("a.md", "# Ponds\n\n## Course\n\nIn all 27 students took part in the workshop.\n")
    world.ingest()
    with (
        serving(world, secret=SECRET) as address,
        httpx2.Client(base_url=f"{address}/api/v1", headers={HEADER: SECRET}) as client,
    ):
        yield client


def page(client: httpx2.Client) -> str:
    address = str(client.base_url).replace("/api/v1/", "/table")
    return client.get(address, params={"project": "local/thesis"}).text


def test_a_table_is_filled_by_a_job_kept_and_written(client: httpx2.Client) -> None:
    assert "What a table is" in page(client)
    begun = client.post(f"{TABLE}s", json={"questions": [MANY]})
    assert begun.status_code == 202, begun.text
    state = ended(client, f"/jobs/{begun.json()['id']}")
    assert (state["kind"], state["status"]) == ("table", "done")
    table = client.get(f"/jobs/{state['id']}/table").json()
    assert table["rows"][0]["cells"][0]["answer"] == "27 students"
    assert client.get(TABLE).json()["rows"] == table["rows"]
    csv = client.get(TABLE, params={"format": "csv"})
    assert csv.headers["content-disposition"] == 'attachment; filename="table.csv"'
    assert '"27 students"' in csv.text
    assert client.get(TABLE, params={"format": "xlsx"}).content.startswith(b"PK")
    shown = page(client)
    assert "<mark>27 students</mark>" in shown
    assert "<i>" not in shown
    dropped = client.post(f"{TABLE}s", json={"drop": [MANY]})
    ended(client, f"/jobs/{dropped.json()['id']}")
    assert client.get(TABLE).json()["questions"] == []


def test_what_is_wrong_is_refused(client: httpx2.Client) -> None:
    assert client.post(f"{TABLE}s", json={"questions": [" ? "]}).status_code in (400, 422)
    assert client.post("/projects/local/none/tables", json={}).status_code == 404
    assert client.get(TABLE, params={"filter": "page=3"}).status_code in (400, 422)
