"""Sections of documents that have no pages: their words, as converted, in a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.in_process import InProcess

from citeloom.application.places.cut import ResolveRequest
from citeloom.domain.errors import NodeNotFound, SourceChanged
from citeloom.infrastructure.composition.application import Application, open_application
from citeloom.infrastructure.composition.workspace import Overrides

PAGE = """<html><head><title>Ponds</title></head><body><h1>Ponds</h1>
<h2>Ponds cool</h2><p>We looked.</p>
<h3>Results</h3><p>Ninety <b>metres</b>, no more.</p><table><tr><td>a</td><td>b</td></tr></table>
<h3>Ends</h3><p>Nothing &amp; no more.</p></body></html>"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Application]:
    application = open_application(tmp_path, overrides=Overrides(converter=InProcess()))
    yield application
    application.close()


def test_each_section_of_a_page_of_the_web(opened: Application, tmp_path: Path) -> None:
    page = tmp_path / "ponds.html"
    page.write_text(PAGE, encoding="utf-8")
    found = opened.maps.files.map(page)
    ids = found.list_node_ids()
    assert ids == ["ponds-cool", "ponds-cool.results", "ponds-cool.ends"]

    def words(node_id: str, **more: bool) -> str:
        request = ResolveRequest(name=found.resource_id, node_id=node_id, **more)
        evidence = opened.maps.cut.resolve(request).evidence
        assert evidence.address == f"virtual://{found.resource_id}#{node_id}"
        path = Path(str(evidence.output_path))
        assert (path.parent, path.suffix) == (opened.workspace.evidence, ".txt")
        return path.read_text("utf-8")

    whole, results, ends = map(words, ids)
    assert ends == "Ends\n\nNothing & no more.\n"
    assert results.startswith("Results\n\nNinety metres, no more.\n\n")
    assert whole == f"Ponds cool\n\nWe looked.\n\n{results}\n{ends}"
    page.write_text(PAGE.replace("Ninety", "Eighty").replace("Ends", "End"), encoding="utf-8")
    with pytest.raises(SourceChanged):
        words(ids[1])
    assert "Eighty metres" in words(ids[1], allow_stale=True)
    with pytest.raises(NodeNotFound, match=r"no section 'ponds-cool\.ends'"):
        words(ids[2], allow_stale=True)
