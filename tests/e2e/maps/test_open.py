"""``citeloom open``: the file of a hit, at its page, with its words marked and no others."""

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from support.command_line import Done, inside
from support.once import copied

QUESTION = "what cools a pond in the evening?"
KEY = "szelkutiHowFarCooling2022"


@pytest.fixture(scope="module")
def asked(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A workspace of its own, since the last question is kept in it, and the hits."""
    workspace = tmp_path_factory.mktemp("asked") / "library"
    copied(samples, workspace)
    done = inside("query", QUESTION, "-p", "samples", "--json", workspace=workspace)
    assert done.code == 0, done.err
    return workspace, done.json["items"]


def opened(workspace: Path, *arguments: str) -> Any:
    done = inside("open", *arguments, "--print", "--json", workspace=workspace)
    assert done.code == 0, done.err
    return done.json


def refused(workspace: Path, *arguments: str) -> Done:
    return inside("open", *arguments, "--print", workspace=workspace)


def marked_words(path: Path, page: int) -> str:
    """What stands under the highlights of a page."""
    with pikepdf.open(path) as pdf:
        notes = [note for note in pdf.pages[page - 1].get("/Annots", [])
                 if note.Subtype == "/Highlight"]  # fmt: skip
        quads = [float(value) for note in notes for value in note.QuadPoints]
    words = []
    with pypdfium2.PdfDocument(path) as document:
        text = document[page - 1].get_textpage()
        for n in range(0, len(quads), 8):
            x0, y1, x1, _, _, y0 = quads[n : n + 6]
            words.append(text.get_text_bounded(x0 - 0.5, y0, x1 + 0.5, y1))
    return " ".join(words)


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def test_a_hit_opens_at_its_page_with_its_best_sentence_marked(asked: tuple[Path, Any]) -> None:
    workspace, items = asked
    for item in items[:3]:
        found = opened(workspace, str(item["rank"]))
        assert found["citation"] == item["citation"]
        assert found["question"] == QUESTION
        assert found["page_labels"] == item["page_labels"]
        assert set(found["page_label_sources"]) == {"printed"}
        assert letters(found["quote"]) in letters(item["best_sentence"])
        path, page = Path(found["path"]), found["page"]
        pages = range(item["page_span"][0], item["page_span"][1] + 1)
        assert page in pages
        words = "".join(letters(marked_words(path, one)) for one in pages)
        assert words == letters(found["quote"])
        with pikepdf.open(path) as pdf, pikepdf.open(item["source_path"]) as source:
            assert len(pdf.pages) == len(source.pages)
            assert pdf.Root.OpenAction[0] == pdf.pages[page - 1].obj


def test_a_citation_and_a_printed_page_open_the_same_page(asked: tuple[Path, Any]) -> None:
    workspace, items = asked
    item = next(one for one in items if one["page_span"][0] == one["page_span"][1])
    by_citation = opened(workspace, item["citation"])
    by_page = opened(workspace, item["citekey"], "--page", item["page_labels"][0])
    assert by_citation["page"] == by_page["page"] == item["page_span"][0]
    assert by_page["page_labels"] == item["page_labels"]
    assert not by_page["marked"]


def test_a_document_without_a_page_is_its_own_file(asked: tuple[Path, Any]) -> None:
    workspace, items = asked
    found = opened(workspace, items[0]["citekey"])
    assert found["path"] == found["source_path"] == items[0]["source_path"]


def test_the_setting_names_the_viewer(asked: tuple[Path, Any], tmp_path: Path) -> None:
    workspace, _ = asked
    seen = tmp_path / "seen"
    (tmp_path / "show.py").write_text(
        f"import sys\nopen({str(seen)!r}, 'w').write(' '.join(sys.argv[1:]))\n", encoding="utf-8"
    )
    command = f"python3 '{tmp_path / 'show.py'}' {{page}} {{path}}"
    done = inside("open", "1", workspace=workspace, CITELOOM_OPEN__VIEWER=command)
    assert done.code == 0, done.err
    page, path = seen.read_text(encoding="utf-8").split(" ", 1)
    found = opened(workspace, "1")
    assert (int(page), path) == (found["page"], found["path"])


def test_what_cannot_be_opened_says_why(asked: tuple[Path, Any], tmp_path: Path) -> None:
    workspace, items = asked
    beyond = refused(workspace, "40")
    assert (beyond.code, beyond.out) == (2, "")
    assert f"hit 40: the last question had {len(items)} hits: {QUESTION}" in beyond.err
    assert "leave the page out" in refused(workspace, "1", "--page", "3").err
    assert "nothing was asked in this workspace yet" in refused(tmp_path, "1").err
    wrong = refused(workspace, items[0]["citekey"], "--page", "1", "--quote", "no such words")
    assert wrong.code == 2
    nothing = inside("open", items[0]["citekey"], "--copy", "quotation", workspace=workspace)
    assert "there is no quotation; name a hit, or pass --quote" in nothing.err
    no_clipboard = inside(
        "open", "1", "--copy", "citation", workspace=workspace,
        DISPLAY="", WAYLAND_DISPLAY="", SSH_CONNECTION="1",
    )  # fmt: skip
    assert no_clipboard.code == 4
    assert f"copy it from here: {items[0]['citation']}" in no_clipboard.err


def test_a_source_that_is_gone_is_told_and_another_format_opens_itself(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Ponds\n\nPonds cool the street in the evening.\n", encoding="utf-8")
    workspace = tmp_path / "library"
    for command in (("ingest", note, "-p", "p", "--no-sentences"), ("query", "ponds", "-p", "p")):
        done = inside(*command, workspace=workspace)
        assert done.code == 0, done.err
    assert opened(workspace, "1")["path"] == str(note)
    note.write_text("# Lakes\n", encoding="utf-8")
    changed = inside("open", "1", "--print", workspace=workspace)
    assert "changed since it was read" in changed.err
    note.unlink()
    gone = refused(workspace, "1")
    assert gone.code != 0
    assert f"{note}: the file is gone" in gone.err
