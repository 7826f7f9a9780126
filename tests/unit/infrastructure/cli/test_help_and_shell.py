"""Help, completion, questions without quotation marks, and ``citeloom`` without a command."""

import os
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from support.cases import each
from support.world import HERE, PONDS, World, an_item
from typer.testing import CliRunner

from citeloom.application.review.requests import ReviewRequest
from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.cli import shell
from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.cli.command_table import FIRST, FORMER, all_sections
from citeloom.infrastructure.cli.doctor import next_lines
from citeloom.infrastructure.cli.shared.options import DOCUMENT
from citeloom.infrastructure.cli.shared.run import EXIT_CODES

CLI = Path(shell.__file__).parent
CLI_SOURCE = "\n".join(path.read_text("utf-8") for path in CLI.rglob("*.py"))


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments), env=environment, prog_name="citeloom")
    return done.exit_code, done.output


def complete(line: str) -> list[str]:
    words = line.split(" ")
    told = run(_CITELOOM_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))[
        1
    ]
    return told.split()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CITELOOM_PROJECT", raising=False)
    monkeypatch.setenv("CITELOOM_WORKSPACE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("flag", ["-h", "--help", "help"])
def test_the_first_screen_has_the_common_commands_and_names_the_others_by_group(flag: str) -> None:
    code, output = run(flag, COLUMNS="80")
    assert code == 0
    lines = output.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    start = lines.index("Commands:") + 1
    known = {name: one for entries in all_sections().values() for name, one in entries.items()}
    first = [name for name in FIRST if name in known]
    shown = [tuple(line.split(maxsplit=1)) for line in lines[start : start + len(first)]]
    assert shown == [(name, known[name].sentence) for name in first]
    rest = " ".join(lines[start + len(first) :]).replace(",", "").split()
    assert known.keys() - set(first) <= set(rest)


@pytest.mark.parametrize("section", all_sections())
def test_the_help_of_a_section_has_each_command_with_a_whole_sentence(section: str) -> None:
    code, output = run("help", section, COLUMNS="80")
    assert code == 0
    shown = [tuple(line.split(maxsplit=1)) for line in output.splitlines()]
    assert shown == [(name, one.sentence) for name, one in all_sections()[section].items()]
    assert all(sentence.endswith((".", "(Model Context Protocol).")) for _, sentence in shown)


def test_the_help_of_a_command_is_found_by_its_names() -> None:
    assert run("help", "project", "use")[1].strip() == run("project", "use", "-h")[1].strip()
    code, output = run("help", "project", "loose")
    assert (code, "no command or group project loose; groups: library, ask" in output) == (2, True)


def test_options_that_few_people_need_come_under_a_heading_of_their_own() -> None:
    lines = run("query", "-h", COLUMNS="80")[1].splitlines()
    common = lines[lines.index("Options:") : lines.index("More options:")]
    assert re.findall(r"^  (?:-., )?(--\S+)", "\n".join(common), re.MULTILINE) == [
        "--project", "--top-k", "--filter", "--help",
    ]  # fmt: skip
    assert any(line.startswith("  --rerank") for line in lines[len(common) :])
    assert "More options:" not in run("serve", "-h")[1]


@each("group", ["project", "session", "models", "zotero", "preferences"])
def test_the_help_of_a_group_cuts_no_sentence(group: str) -> None:
    code, output = run(group, "-h", COLUMNS="80")
    assert code == 0
    assert "..." not in output.replace("[ARGS]...", "")


def test_each_exit_code_is_explained() -> None:
    def codes(kind: type[CiteLoomError]) -> set[int]:
        return {kind.exit_code}.union(*map(codes, kind.__subclasses__()))

    written = re.findall(r"(?:Exit\(|code=|_(?:CANCELLED|UNAVAILABLE|PIPE) = )(\d+)", CLI_SOURCE)
    assert {0, *codes(CiteLoomError), *map(int, written)} == set(EXIT_CODES)


def test_the_version_has_a_short_flag() -> None:
    assert run("-V") == run("--version")
    assert run("-V")[1].startswith("citeloom ")


def question(*arguments: str, command: str = "query") -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return dict(group.commands[command].make_context(command, list(arguments)).params)


@each(
    ("arguments", "words"),
    [
        (["what is tidy data"], "what is tidy data"),
        (["what", "is", "tidy", "data", "-p", "lit"], "what is tidy data"),
        (["-p", "lit", "-k", "3", "what", "is", "it"], "what is it"),
        (["what", "-p", "lit", "is", "it"], "what is it"),
        (["-messy tidy", "-p", "lit"], "-messy tidy"),
        (["data", "-messy tidy", "-p", "lit"], "data -messy tidy"),
        (["-p", "lit", "--", "-messy", "tidy"], "-messy tidy"),
        (['-"messy data" tidy'], '-"messy data" tidy'),
    ],
)
def test_the_words_of_a_question_are_joined(arguments: list[str], words: str) -> None:
    assert " ".join(question(*arguments)["text"]) == words


def test_a_value_with_a_dash_and_a_blank_is_still_a_value() -> None:
    given = question("tidy", "--filter", "-a b", "--filter=-c d")
    assert (given["text"], given["filters"]) == (("tidy",), ("-a b", "-c d"))


def test_the_question_of_a_review_is_joined_too() -> None:
    given = question("what", "is", "it?", "--style", "apa", command="review")
    assert given["question"] == ("what", "is", "it?")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tidy", "-messy"], "No such option: -m; a question with -term is written in quotation"),
        (["tidy", "-old"], "No such option: -o; a question with -term is written in quotation"),
        (["tidy", "--output=a.html"], "No such option: --output; query prints table, json, jsonl"),
        (["tidy", "--moed", "dense"], "No such option: --moed (Possible options: --mode)"),
        (["tidy", "-o", "a.html"], "option: -o; query prints table, json, jsonl, markdown, latex"),
    ],
)
def test_what_is_no_option_is_still_refused(arguments: list[str], told: str) -> None:
    code, output = run("query", *arguments)
    assert code == 2
    assert told in output


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["ask", "tidy?"], "No such option: -o; ask prints text, json (--json); add > FILE"),
        (["table", "tidy?"], "x.PDF: no output format has the suffix .pdf; use .md, .csv, .xlsx"),
        (["verify", "d.md"], "the suffix .pdf; use .md, .html, .json, .sarif"),
        (["review", "tidy?"], "the suffix .pdf; use .md, .html, .docx, .json, .csv"),
        (["table", "tidy?", "--format", "xlsx"], "xlsx needs a file: -o FILE.xlsx"),
        (["session", "export", "last", "--format", "docx"], "docx needs a file: -o FILE.docx"),
        (["session", "export", "last"], "the suffix .pdf; use .md, .html, .docx, .json, .csv"),
    ],
)
def test_a_file_of_another_format_is_refused_with_those_that_there_are(
    command: list[str], told: str
) -> None:
    binary = command[-1] in ("docx", "xlsx")
    code, output = run(*command, *([] if binary else ["-o", "x.PDF"]))
    assert code == 2
    assert told in output
    assert not Path("x.PDF").exists()


def test_commands_options_projects_and_styles_are_completed(workspace: Path) -> None:
    for name in ("lit", "phd/thesis"):
        assert run("project", "create", name)[0] == 0
    assert complete("citeloom ver") == ["verify"]
    assert complete("citeloom project us") == ["use"]
    assert complete("citeloom map ch") == ["check"]
    assert complete("citeloom query --diver") == ["--diverse"]
    assert complete("citeloom query x -p ") == ["lit", "phd/thesis"]
    assert complete("citeloom query x -p lit -p p") == ["phd/thesis"]
    assert complete("citeloom project show l") == ["lit"]
    assert complete("citeloom cite --style va") == ["vancouver"]
    assert complete(f"citeloom --workspace {workspace / 'none'} query -p ") == []


def parameters(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        yield from ((" ".join((*names, name)), each) for each in command.params)
        if hasattr(command, "commands"):
            yield from parameters(command, *names, name)


def test_keys_projects_sessions_and_models_are_completed_where_a_command_takes_them() -> None:
    taking = [
        (name, each)
        for name, each in parameters(typer.main.get_command(app))
        if each.name in ("project", "session", "model")
        or DOCUMENT[:30] in (each.help or "")
        or (name, each.name) in (("session compare", "a"), ("session compare", "b"))
    ]
    assert len(taking) > 55
    assert not [
        f"{name} {each.name}" for name, each in taking if each._custom_shell_complete is None
    ]


def test_a_title_is_completed_where_no_key_begins_so(world: World) -> None:
    world.cite(an_item("weir2020", "10.5555/ponds", title="Ponds & streets: a study"))
    world.write("ponds.md", PONDS)
    world.ingest(references="/library.json")
    with patch.object(shell, "_opened", lambda _: nullcontext(world.application)):
        context = typer.Context(typer.main.get_command(app))
        assert shell.offer_keys(context, "we") == [
            ("weir2020", "A. Weir2020 2020 Ponds & streets: a study")
        ]
        ((title, _),) = shell.offer_keys(context, "ponds & st")
        assert title == "Ponds & streets"
        with patch.dict(os.environ, {"_CITELOOM_COMPLETE": "complete_bash", "COMP_WORDS": "c p"}):
            ((title, _),) = shell.offer_keys(context, "p")
        assert title == r"Ponds\ \&\ streets"


def test_sessions_are_offered_with_questions_and_models_with_kinds(world: World) -> None:
    world.ingest(world.write("ponds.md", PONDS))
    review = world.application.research.review(
        ReviewRequest(question="Do ponds cool streets?", project_id=HERE),
        lambda _: None,
        lambda: False,
    )
    id = str(review.session_id)
    with patch.object(shell, "_opened", lambda _: nullcontext(world.application)):
        context, restoring = (
            typer.Context(typer.main.get_command(app), info_name=name)
            for name in ("show", "restore")
        )
        assert shell.offer_sessions(context, id[:4]) == [(id, "Do ponds cool streets?")]
        assert shell.offer_sessions(context, "zz") == shell.offer_sessions(restoring, "") == []
        world.application.research.sessions.delete(id)
        assert shell.offer_sessions(context, "") == []
        assert shell.offer_sessions(restoring, id[:4]) == [(id, "Do ponds cool streets?")]
        (model,) = [one for one in world.application.models.catalogue.list() if one.used_by]
        offered = shell.offer_models(context, model.model.name[:4])
        assert (model.model.name, model.model.kind.value) in offered


def test_a_line_in_a_broken_workspace_is_offered_nothing(workspace: Path) -> None:
    (workspace / "citeloom.toml").write_text("[broken")
    assert complete("citeloom query x -p ") == []
    assert complete("citeloom cite x") == []


@each(
    ("shell", "registers"),
    [
        ("bash", "complete -o default -F _citeloom_completion citeloom"),
        ("zsh", "compdef _citeloom_completion citeloom"),
        ("fish", "complete --command citeloom"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName citeloom"),
    ],
)
def test_each_shell_has_a_script(shell: str, registers: str) -> None:
    assert registers in run(_CITELOOM_COMPLETE=f"source_{shell}")[1]


def test_the_next_step_follows_from_what_there_is(world: World) -> None:
    def told() -> str:
        return "\n".join(next_lines(world.application))

    assert "No papers yet" in told()
    assert "citeloom ingest FOLDER" in told()
    world.write("ponds.md", "# Ponds\n\nThey cool the street.\n")
    world.ingest()
    assert "1 paper, 1 with a provisional citation" in told()
    assert "--references library.bib" in told()


def test_nothing_is_written_by_looking(workspace: Path) -> None:
    code, output = run()
    assert code == 0
    assert f"No papers yet (workspace {workspace})." in output
    assert list(workspace.iterdir()) == []


def test_a_document_is_mapped_without_the_name_of_the_command_below_map(workspace: Path) -> None:
    (workspace / "notes.md").write_text("# Ponds\n\nThey cool.\n", encoding="utf-8")
    path = str(workspace / "notes.md")
    code, named = run("map", "document", path, "--json")
    assert (code, "Ponds" in named) == (0, True)
    assert run("map", path, "--json") == run("map", "--json", path) == (0, named)
    assert "unchanged" in run("map", "check", "-h")[1]


@pytest.mark.parametrize("name", FORMER)
def test_a_former_spelling_works_and_is_not_listed(name: str) -> None:
    code, output = run(name, "-h")
    assert (code, f"citeloom {name} [OPTIONS]" in output) == (0, True)
    assert name not in {one for entries in all_sections().values() for one in entries}
    assert name not in complete(f"citeloom {name[:-1]}")


def test_a_group_alone_shows_its_help_in_lines() -> None:
    for name in ("map", "zotero"):
        _, output = run(name)
        assert output == run(name, "-h")[1]
