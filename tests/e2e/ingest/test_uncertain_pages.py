"""A page whose text cannot be trusted is marked from the hit to the check of the project."""

from contextlib import closing
from pathlib import Path

import pikepdf
import pytest
from support.command_line import Done, inside
from support.pdf.unreadable_fonts import type3
from support.pdf.written_pdf import paragraph, write_pdf

from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.composition.application import open_application
from citeloom.infrastructure.mcp.answers.contents import found


def every_fourth_line(content: bytes) -> bytes:
    lines = content.split(b"\n")
    return b"\n".join(
        line.replace(b"/F1 ", b"/F3 ") if n % 4 == 0 else line for n, line in enumerate(lines)
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages; a quarter of the second is in a font that names no characters."""
    folder = tmp_path_factory.mktemp("uncertain")
    paper = write_pdf(folder / "paper.pdf", [paragraph(30, 700, seed=n) for n in range(3)])
    with pikepdf.open(paper, allow_overwriting_input=True) as pdf:
        page = pdf.pages[1]
        page.Resources.Font.F3 = type3(pdf, lambda code: f"g{code}")
        page.Contents = pdf.make_stream(every_fourth_line(page.Contents.read_bytes()))
        pdf.save(paper)
    workspace = folder / "library"
    done = inside("ingest", paper, "-p", "p", workspace=workspace, CITELOOM_OCR__ENGINE="none")
    assert done.code == 0, done.err
    return workspace


def ask(workspace: Path, *arguments: str) -> Done:
    return inside(*arguments, "-p", "p", workspace=workspace)


def test_hits_on_it_are_marked_and_others_are_not(workspace: Path) -> None:
    items = ask(workspace, "query", "quick brown fox", "-k", "20", "--json").json["items"]
    marked = {tuple(item["page_span"]): item["text_uncertain"] for item in items}
    assert {uncertain for (a, b), uncertain in marked.items() if a <= 2 <= b} == {True}
    assert {uncertain for (a, b), uncertain in marked.items() if not a <= 2 <= b} == {False}
    printed = ask(workspace, "query", "quick brown fox", "-k", "20", "--brief").out.splitlines()
    first = {str(item["rank"]): item["text_uncertain"] for item in items}
    ranks = [line.split("  ")[0].split(", ") for line in printed]
    assert sorted(rank for some in ranks for rank in some) == sorted(first)
    assert ["(text uncertain)" in line for line in printed] == [first[some[0]] for some in ranks]
    joined = ask(workspace, "query", "quick brown fox", "-k", "20").out
    assert "PDF pp. 1–3] (provisional) (text uncertain)" in joined


def test_an_agent_is_told(workspace: Path) -> None:
    with closing(open_application(workspace)) as opened:
        request = QueryRequest(
            project_id=ProjectId.parse("p"), query_text="quick brown fox", top_k=20
        )
        items = found([opened.search.query(request)])["items"]
    assert {item.get("text_uncertain", False) for item in items} == {True, False}
    for item in items:
        first, last = item["page_span"]
        assert item.get("text_uncertain", False) == (first <= 2 <= last)
