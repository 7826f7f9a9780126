"""add on the command line, with answers of services that were recorded before, and a server on
this machine for files."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from support.command_line import Done, inside
from support.paths import LIBRARY

from citeloom.infrastructure.references.lookup import downloads
from citeloom.infrastructure.references.lookup.services import WorkServices

DOI = "10.5555/ponds"
KEY = "szelkuti2022Evening"
PAPER = LIBRARY / "papers" / "pond-cooling.pdf"
TITLE = "Evening Cooling beside Small Urban Ponds: One Summer in Four Districts"
RECORD: dict[str, Any] = {
    "type": "journal-article", "title": TITLE, "DOI": DOI, "issued": {"date-parts": [[2022]]},
    "container-title": "Weir Letters", "volume": "3",
    "author": [{"family": "Szélkuti", "given": "Oriana"},
               {"family": "Marrowfield", "given": "Tadeo"}],
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "workspace"
    recorded(folder)
    return folder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "1-s2.0-main.pdf").write_bytes(PAPER.read_bytes())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def recorded(workspace: Path, pdf: str | None = None) -> None:
    """The answers are in the workspace's cache."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "api.openalex.org":
            place = {"pdf_url": pdf, "version": "publishedVersion"}
            return httpx2.Response(200, json={"locations": [place]})
        known = request.url.path == f"/{DOI}"
        return httpx2.Response(200, json=RECORD) if known else httpx2.Response(404)

    cache = workspace / ".citeloom" / "cache" / "lookups"
    services = WorkServices(cache, version="1", transport=httpx2.MockTransport(answer))
    services.by_identifier("10.5555/nothing")
    found = services.by_identifier(DOI)
    assert found is not None
    if pdf:
        services.open_pdfs(found.item)
    services.close()


def run(workspace: Path, *arguments: str | Path) -> Done:
    return inside(*arguments, workspace=workspace)


def test_a_work_is_added_cited_and_read_when_its_file_comes(workspace: Path) -> None:
    done = run(workspace, "add", DOI, "10.5555/nothing")
    assert done.code == 1
    assert done.err.splitlines() == [
        "the first project here will be library; use --project for another name",
        f"1 of 2: {DOI}",
        "2 of 2: 10.5555/nothing",
    ]
    assert done.out.splitlines() == [
        f"{KEY}: added (doi.org)",
        f"  {TITLE}. Szélkuti, Marrowfield. Weir Letters 3, 2022. doi:{DOI}",
        "failed: 10.5555/nothing: no service knows it; check its spelling",
        "local/library: 1 added, 1 failed; 1 without text: `citeloom ingest FILE` adds it",
    ]
    (paper,) = json.loads(run(workspace, "list", "--json").out)["resources"]
    assert (paper["state"], paper["citation_source"]) == ("no text", "lookup")
    assert run(workspace, "cite", KEY).out == f"[@{KEY}]\n"
    assert "volume = {3}" in run(workspace, "export", KEY).out
    for command in ("read", "open"):
        refused = run(workspace, command, KEY)
        assert refused.code == 3
        assert refused.err == (
            f"citeloom: {KEY}: has no text yet; add its PDF with "
            "`citeloom ingest FILE --project local/library`\n"
        )
    assert run(workspace, "edit", KEY, "tag+=cool").code == 0
    assert "1 added" in run(workspace, "ingest", PAPER).out
    (paper,) = json.loads(run(workspace, "list", "--json").out)["resources"]
    assert (paper["citekey"], paper["state"], paper["tags"]) == (KEY, "complete", ["cool"])
    assert run(workspace, "add", DOI).out.splitlines()[0] == f"{KEY}: already in the project"
    assert run(workspace, "validate").code == 0


def test_an_open_pdf_is_fetched(
    workspace: Path, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(workspace, f"{site}/1-s2.0-main.pdf")
    done = run(workspace, "add", DOI, "--pdf")
    assert "no PDF: 127.0.0.1: is an address of this machine or its network" in done.out
    monkeypatch.setattr(downloads, "_is_public", lambda _: True)
    done = run(workspace, "add", DOI, "--pdf", "--json")
    (work,) = done.json["works"]
    assert (work["outcome"], work["citekey"], work["has_text"]) == ("known", KEY, True)
    assert Path(work["file"]).name == (
        "Szélkuti 2022 - Evening Cooling beside Small Urban Ponds One Summer in Four Districts.pdf"
    )
    assert run(workspace, "query", "pond", "--format", "json").json["count"] > 0


def test_a_web_address_is_fetched_and_read(workspace: Path, site: str) -> None:
    done = run(workspace, "add", f"{site}/1-s2.0-main.pdf", f"{site}/gone.pdf")
    lines = done.out.splitlines()
    assert lines[0] == f"{KEY} (provisional): added"
    assert lines[2].startswith("  file: ")
    assert lines[3] == f"failed: {site}/gone.pdf: 127.0.0.1: answers 404 File not found"
    assert lines[4] == "local/library: 1 added, 1 failed"


def test_the_works_of_a_bibtex_file_are_added(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(
        "@article{weir, title={Ponds}, author={Weir, O.}, year={2020}}\n"
        "@book{grid, title={Grids}, author={Quill, B.}, year={2019}}\n"
    )
    done = run(workspace, "add", path)
    assert done.out == "local/library: 2 added; 2 without text: `citeloom ingest FILE` adds it\n"
    assert "weir" in run(workspace, "list").out
    assert run(workspace, "remove", "grid", "--yes").code == 0


def test_an_ingest_of_an_identifier_points_to_add(workspace: Path) -> None:
    done = run(workspace, "ingest", "10.1145/3292500.3330701")
    assert done.err == (
        "citeloom: 10.1145/3292500.3330701: is not a file; "
        "add the work with `citeloom add 10.1145/3292500.3330701`\n"
    )
    assert "no such file or folder" in run(workspace, "ingest", "2020").err


def test_an_ingest_with_look_ups_is_one_json_document(workspace: Path, tmp_path: Path) -> None:
    paper = tmp_path / "ponds.md"
    paper.write_text(
        f"# {TITLE}\n\nOriana Szélkuti, Tadeo Marrowfield\n\ndoi:{DOI}, 2022\n\nCool.\n"
    )
    done = run(workspace, "ingest", paper, "--identify", "--json")
    assert done.code == 0, done.out
    document = done.json
    assert [one["status"] for one in document["documents"]] == ["added"]
    (found,) = document["looked_up"]
    assert document["identified"] == {"taken": 1}
    assert (found["outcome"], found["found"]["DOI"]) == ("taken", DOI)
    assert "looked_up" not in run(workspace, "ingest", paper, "--json").json
