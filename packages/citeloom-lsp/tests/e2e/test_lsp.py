"""``citeloom lsp`` as an editor meets it: pygls' client over the installed command."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor import Editor
from lsprotocol import types
from pygls.uris import to_fs_path
from support.command_line import inside
from support.once import copied

POND = "szelkutiEveningCoolingSmall2022"
TRUE = "At 5 m from the shore the air was on average 1.74 K cooler than in the reference street"
DRAFT = f"""# Ponds 🌱

🌱🌱 {TRUE} [@{POND}, p. 3].

The authors write that “the air was 1.74 K warmer than in the reference street” [@{POND}]. More is
to be found elsewhere [@szelkutiEvening2022].

Sensors were compared in a shelter before and after the season.

🌱 All sensors stood in a shelter to be compared [@{POND}, p. ].

And so it goes on with @sz
"""
LATEX = rf"""\documentclass{{article}}
\begin{{document}}
All sensors stood in a shelter to be compared \cite[p.~]{{{POND}}}. It is known \parencite{{sz}}.
\end{{document}}
"""
TYPST = f"""= Ponds

All sensors stood in a shelter to be compared @{POND}[p. ]. It is known @sz
"""
CODES = ["WRONG_PAGE", "MISQUOTED", "UNKNOWN_KEY"]


@pytest.fixture(scope="module")
def workspace(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lsp") / "workspace"
    return copied(samples, folder)


@pytest.fixture(scope="module")
def editor(workspace: Path) -> Iterator[Editor]:
    editor = Editor(workspace, "--workspace", str(workspace))
    yield editor
    assert editor.end() == 0
    assert "Traceback" not in editor.errors


@pytest.fixture(scope="module")
def draft(editor: Editor, workspace: Path) -> str:
    """A draft in the editor that has been saved once."""
    path = workspace / "draft.md"
    uri = editor.open(path, DRAFT)
    editor.save(uri, path)
    return uri


@pytest.fixture(scope="module")
def checked(editor: Editor, draft: str) -> list[types.Diagnostic]:
    return editor.diagnostics(draft)


def test_what_the_server_can_do(editor: Editor) -> None:
    told = editor.capabilities
    assert told.position_encoding == "utf-16"
    assert isinstance(told.text_document_sync, types.TextDocumentSyncOptions)
    assert told.text_document_sync.change is types.TextDocumentSyncKind.Incremental
    assert told.completion_provider
    assert told.hover_provider
    assert told.definition_provider
    assert told.code_action_provider
    assert told.execute_command_provider
    assert set(told.execute_command_provider.commands) == {"citeloom.verify", "citeloom.open"}


def test_keys_are_completed_with_author_year_and_title(editor: Editor, draft: str) -> None:
    (item,) = editor.complete(draft, "And so it goes on with @sz")
    assert item.label == POND
    assert item.detail is not None
    assert item.detail.startswith("Szélkuti et al. 2022. Evening Cooling")
    assert editor.completed(draft, item).endswith(f"goes on with @{POND}\n")


def test_works_are_found_by_their_authors_too(editor: Editor, workspace: Path) -> None:
    uri = editor.open(workspace / "authors.md", "It is known [@Gálf")
    (item,) = editor.complete(uri, "[@Gálf")
    assert item.label == "bronsagerSpacedRereadingTwoWeek2021"
    # Clients filter by what is typed, too.
    assert item.filter_text == "Gálf"


def test_pages_are_completed_for_the_sentence(editor: Editor, draft: str) -> None:
    first, *_ = editor.complete(draft, f"be compared [@{POND}, p. ")
    assert first.label == "p. 2"
    assert first.documentation is not None
    assert "shelter" in str(first.documentation)
    assert f"be compared [@{POND}, p. 2]." in editor.completed(draft, first)


def test_no_completion_in_prose_and_code(editor: Editor, workspace: Path, draft: str) -> None:
    assert editor.complete(draft, "Sensors were ") == []
    assert editor.complete(draft, "in a shelter, ".rstrip(", ")) == []
    uri = editor.open(workspace / "code.md", "Text.\n\n```python\n@sz\n```\n\na@sz\n")
    assert editor.complete(uri, "```python\n@sz") == []
    assert editor.complete(uri, "a@sz") == []


@pytest.mark.parametrize(
    ("name", "text", "key", "page", "completed"),
    [
        ("paper.tex", LATEX, "parencite{sz", r"\cite[p.~", rf"\cite[p.~2]{{{POND}}}"),
        ("paper.typ", TYPST, "known @sz", f"@{POND}[p. ", f"@{POND}[p. 2]"),
    ],
)
def test_latex_and_typst(
    editor: Editor, workspace: Path, name: str, text: str, key: str, page: str, completed: str
) -> None:
    uri = editor.open(workspace / name, text, "other")
    assert [item.label for item in editor.complete(uri, key)] == [POND]
    first, *_ = editor.complete(uri, page)
    assert completed in editor.completed(uri, first)
    told = editor.hover(uri, text[: text.index(POND) + 3])
    assert told is not None
    assert "Evening Cooling" in told


def test_hover_shows_the_work_and_the_text_on_the_page_cited(
    editor: Editor, workspace: Path
) -> None:
    text = f"{TRUE} [@{POND}, p. 1].\n"
    uri = editor.open(workspace / "hover.md", text)
    told = editor.hover(uri, "[@szel")
    assert told is not None
    assert "**Evening Cooling beside Small Urban Ponds" in told
    assert "> At 5 m from the shore the air was on average 1.74 K cooler than in the" in told
    assert "(p. 1)" in told
    # The draft is checked beside it, and may be done already.
    assert "Not checked yet" in told or "**SUPPORTED**, exact" in told
    assert editor.hover(uri, "At 5") is None


def test_findings_are_diagnostics_where_they_belong(
    editor: Editor, draft: str, checked: list[types.Diagnostic]
) -> None:
    found = {one.code: one for one in checked}
    assert set(CODES) <= set(found)
    assert editor.marked(draft, found["WRONG_PAGE"]) == f"[@{POND}, p. 3]"
    assert "warmer" in editor.marked(draft, found["MISQUOTED"])
    assert found["MISQUOTED"].severity is types.DiagnosticSeverity.Error
    assert found["WRONG_PAGE"].severity is types.DiagnosticSeverity.Warning
    weak = [one for one in checked if one.code == "NOT_ESTABLISHED"]
    assert all(one.severity is types.DiagnosticSeverity.Information for one in weak)
    assert all(one.source == "citeloom" for one in checked)


def test_progress_is_told(editor: Editor, checked: list[types.Diagnostic]) -> None:
    kinds = [one.value["kind"] for one in editor.progress]
    assert kinds[0] == "begin"
    assert "end" in kinds


def test_hover_knows_the_finding(
    editor: Editor, draft: str, checked: list[types.Diagnostic]
) -> None:
    told = editor.hover(draft, f"street [@{POND}"[:-5])
    assert told is not None
    assert "**WRONG_PAGE**" in told


def test_a_wrong_page_and_a_misquotation_are_corrected(
    editor: Editor, draft: str, checked: list[types.Diagnostic]
) -> None:
    (page,) = editor.actions(draft, f"[@{POND}, p. 3]")[:1]
    assert page.title == "Cite p. 1"
    assert f"{TRUE} [@{POND}, p. 1]." in editor.acted(draft, page)
    (quote,) = editor.actions(draft, "1.74 K warmer")[:1]
    corrected = editor.acted(draft, quote)
    assert "“the air was 1.74 K cooler than in the reference street” [@" in corrected
    (key,) = editor.actions(draft, "@szelkutiEvening2022")[:1]
    assert f"elsewhere [@{POND}]." in editor.acted(draft, key)


def test_a_citation_is_inserted_for_the_selected_sentence(editor: Editor, draft: str) -> None:
    sentence = "Sensors were compared in a shelter before and after the season."
    (action, *_) = editor.actions(draft, sentence)
    assert action.kind == "refactor.rewrite"
    assert f"after the season [@{POND}, p. 2].\n" in editor.acted(draft, action)
    # Not for a cursor that only moves.
    assert editor.actions(draft, "Sensors"[:0]) == []


def test_the_definition_of_a_citation_is_its_page(
    editor: Editor, draft: str, checked: list[types.Diagnostic]
) -> None:
    place = editor.definition(draft, f"street [@{POND}, p. 3"[:-2])
    copy, _, page = place.uri.partition("#")
    assert "/evidence/pond-cooling-" in copy
    assert page == "page=3"
    assert Path(to_fs_path(copy) or "").read_bytes().startswith(b"%PDF")
    offers = editor.offers(draft, f"[@{POND}, p. 3]")
    (opening,) = [one for one in offers if isinstance(one, types.Command)]
    assert editor.command(opening.command, *(opening.arguments or ())) is True
    assert editor.shown[-1] == place.uri


def test_findings_follow_the_text_and_go_with_the_claim(
    editor: Editor, workspace: Path, draft: str, checked: list[types.Diagnostic]
) -> None:
    """The cache has them: a copy of the draft is not checked again."""
    uri = editor.open(workspace / "copy.md", DRAFT)
    before = editor.diagnostics(uri)
    assert {one.code for one in before} == {one.code for one in checked}
    editor.type(uri, "# Ponds 🌱\n\n", "😀 Another paragraph.\n\n")
    moved = editor.diagnostics(uri, lambda found: found[0].range.start.line == 4)
    assert sorted(editor.marked(uri, one) for one in moved) == sorted(
        editor.marked(draft, one) for one in checked
    )
    editor.type(uri, "on average ", "2.95", over="1.74")
    left = editor.diagnostics(uri, lambda found: len(found) < len(before))
    assert "WRONG_PAGE" not in [one.code for one in left]
    editor.type(uri, "on average ", "1.74", over="2.95")
    back = editor.diagnostics(uri, lambda found: len(found) == len(before))
    (page,) = [one for one in back if one.code == "WRONG_PAGE"]
    assert editor.marked(uri, page) == f"[@{POND}, p. 3]"
    editor.close(uri)
    editor.diagnostics(uri, lambda found: not found)


def test_included_files_have_their_findings(editor: Editor, workspace: Path) -> None:
    part = workspace / "part.tex"
    part.write_text(f"{TRUE} \\cite[p.~3]{{{POND}}}.\n", encoding="utf-8")
    path = workspace / "main.tex"
    uri = editor.open(
        path, "\\begin{document}\nWords \\cite{nobody1999}.\n\\input{part}\n\\end{document}\n"
    )
    editor.save(uri, path)
    (found,) = editor.diagnostics(part.resolve().as_uri())
    assert found.code == "WRONG_PAGE"


def test_what_is_no_draft_is_left_alone(editor: Editor, workspace: Path) -> None:
    uri = editor.open(workspace / "code.py", "@sz\n", "python")
    editor.save(uri)
    assert editor.complete(uri, "@sz") == []
    assert editor.hover(uri, "@s") is None
    assert editor.definition(uri, "@s") is None
    assert editor.actions(uri, "@sz", invoked=True) == []
    assert uri not in editor.published


@pytest.mark.server
def test_two_servers_and_the_command_line_share_a_workspace(
    editor: Editor, workspace: Path, draft: str
) -> None:
    other = Editor(workspace, "--workspace", str(workspace), options={"project": "samples"})
    mine = f"Later the air was cooler [@{POND}, p. ]"
    first = editor.open(workspace / "one.md", mine)
    second = other.open(workspace / "two.md", mine)
    for _ in range(3):
        assert editor.complete(first, ", p. ")
        assert other.complete(second, ", p. ")
    asked = inside("query", "ponds", "-p", "samples", "--json", workspace=workspace)
    assert asked.code == 0, asked.err
    assert other.end() == 0


def test_positions_are_in_the_units_that_the_client_names(
    workspace: Path, draft: str, checked: list[types.Diagnostic]
) -> None:
    """Those of one that names none are in the tests above."""
    editor = Editor(workspace, "--workspace", str(workspace), encodings=["utf-8", "utf-16"])
    assert editor.capabilities.position_encoding == "utf-8"
    uri = editor.open(workspace / "copy.md", DRAFT)
    found = {one.code: one for one in editor.diagnostics(uri)}
    assert editor.marked(uri, found["WRONG_PAGE"]) == f"[@{POND}, p. 3]"
    editor.type(uri, "🌱🌱 ", "😀é")
    first, *_ = editor.complete(uri, f"be compared [@{POND}, p. ")
    assert f"[@{POND}, p. 2]." in editor.completed(uri, first)
    assert editor.leave() == 0


def test_without_a_workspace_one_message_and_then_quiet(tmp_path: Path) -> None:
    editor = Editor(tmp_path, XDG_DATA_HOME=str(tmp_path / "none"))
    uri = editor.open(tmp_path / "draft.md", "Words [@sz]\n")
    editor.wait(lambda: bool(editor.messages))
    assert editor.complete(uri, "[@sz") == []
    assert editor.hover(uri, "[@s") is None
    editor.save(uri)
    assert editor.complete(uri, "[@sz") == []
    (message,) = editor.messages
    assert "there are no projects yet" in message
    assert "citeloom ingest" in message
    assert not (tmp_path / "none").exists()
    assert editor.end() == 0


def test_an_unknown_project_and_a_wrong_option_are_told(workspace: Path) -> None:
    editor = Editor(workspace, "--workspace", str(workspace), options={"project": "nowhere"})
    editor.wait(lambda: bool(editor.messages))
    assert "nowhere" in editor.messages[0]
    assert editor.exit_without_shutdown() == 1
    options = {"workspace": str(workspace), "projekt": "x", "definition": "viewer"}
    editor = Editor(workspace, options=options)
    editor.wait(lambda: bool(editor.messages))
    assert "projekt" in editor.messages[0]
    uri = editor.open(workspace / "w.md", f"Words stand here [@{POND}, p. 2].\n")
    assert editor.complete(uri, "[@sz")
    assert not editor.definition(uri, "[@szel")
    assert editor.shown[0].endswith("#page=2")
    assert editor.leave() == 0


@pytest.mark.skipif(os.name == "nt", reason="the end of the input does it there")
def test_the_server_ends_with_its_client(workspace: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    editor = Editor(workspace, "--workspace", str(workspace), parent=parent.pid)
    time.sleep(0.1)
    assert editor.process is not None
    assert editor.process.returncode is None
    parent.communicate(b"\n")
    assert editor.exit_code() == 1


def test_a_closed_standard_input_is_told(workspace: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m citeloom lsp --workspace {workspace} <&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "an editor starts this command" in done.stderr
