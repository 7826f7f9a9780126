"""Only the page range of an item changes: the printed pages in answers change with it."""

import json
from pathlib import Path

from support.command_line import Done, inside
from support.pdf.written_pdf import Text, paragraph, write_pdf


def cite(folder: Path, page: str) -> Path:
    item = {
        "id": "weir2016",
        "type": "article-journal",
        "title": "Sluices of the north",
        "author": [{"family": "Weir", "given": "A."}],
        "DOI": "10.5555/weir.1",
        "page": page,
    }
    path = folder / "library.json"
    path.write_text(json.dumps([item]), encoding="utf-8")
    return path


def test_an_edited_page_range_changes_the_pages_cited_and_converts_nothing(tmp_path: Path) -> None:
    doi = Text(72, 730, "Sluices of the north, doi:10.5555/weir.1")
    pages = [[doi, *paragraph(30, 700)], paragraph(30, 700, seed=1), paragraph(30, 700, seed=2)]
    paper = write_pdf(tmp_path / "weir.pdf", pages)
    workspace = tmp_path / "library"

    def ingest(page: str, *more: str) -> Done:
        done = inside("ingest", paper, "-p", "p", "--references", cite(tmp_path, page), *more,
                        workspace=workspace)  # fmt: skip
        assert done.code == 0, done.err
        return done

    def labels() -> list[tuple[list[int], list[str]]]:
        done = inside("inspect", "-p", "p", "--sample", "all", "--json", workspace=workspace)
        return [(one["page_span"], one["page_labels"]) for one in done.json["samples"]]

    def shown(page: int) -> tuple[str | None, str | None]:
        done = inside("map", "weir2016", "-p", "p", "--render", str(page), "--json",
                        "--output", tmp_path / "page.png", workspace=workspace)  # fmt: skip
        return done.json["page_label"], done.json["page_label_source"]

    def expected(offset: int) -> list[tuple[list[int], list[str]]]:
        spans = [span for span, _ in first]
        return [([a, b], [str(n + offset) for n in range(a, b + 1)]) for a, b in spans]

    ingest("127-129")
    first = labels()
    assert first == expected(126)
    told = ingest("301-303").out
    assert "1 paper has a new citation, 1 with new page labels; 0 passages written" in told
    assert labels() == expected(300)
    assert shown(3) == ("303", "csl")
    found = inside("query", "quick brown fox", "-p", "p", "--json", workspace=workspace).json
    assert {item["citation"].split()[-1].rstrip("]")[0] for item in found["items"]} == {"3"}
    back = json.loads(ingest("127-129", "--json").out)
    assert (back["documents_converted"], back["chunks_written"]) == (0, 0)
    assert (back["citations_updated"], back["page_labels_updated"]) == (1, 1)
    assert labels() == first
