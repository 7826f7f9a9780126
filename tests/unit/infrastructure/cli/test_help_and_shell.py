"""Help, completion, questions without quotation marks, and ``citeloom`` without a command."""

from pathlib import Path
from typing import Any

import pytest
import typer
from support.cases import each
from support.world import World
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.cli.command_table import SECTIONS
from citeloom.infrastructure.cli.projects import next_lines


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


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_has_each_command_once_with_a_whole_sentence(flag: str) -> None:
    code, output = run(flag, COLUMNS="80")
    assert code == 0
    lines = output.splitlines()
    assert max(map(len, lines)) <= 80
    for section, entries in SECTIONS.items():
        start = lines.index(f"{section}:")
        block = lines[start + 1 : start + 1 + len(entries)]
        told = [tuple(line.split(maxsplit=1)) for line in block]
        assert told == [(name, entry.sentence) for name, entry in entries.items()]
        assert all(
            entry.sentence.endswith((".", "(Model Context Protocol)."))
            for entry in entries.values()
        )


@each("group", ["project", "session", "models", "zotero", "preferences"])
def test_the_help_of_a_group_cuts_no_sentence(group: str) -> None:
    code, output = run(group, "-h", COLUMNS="80")
    assert code == 0
    assert "..." not in output.replace("[ARGS]...", "")


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
        (["tidy", "--moed", "dense"], "No such option: --moed (Possible options: --mode)"),
    ],
)
def test_what_is_no_option_is_still_refused(arguments: list[str], told: str) -> None:
    code, output = run("query", *arguments)
    assert code == 2
    assert told in output


def test_commands_options_projects_and_styles_are_completed(workspace: Path) -> None:
    for name in ("lit", "phd/thesis"):
        assert run("project", "create", name)[0] == 0
    assert complete("citeloom ver") == ["verify"]
    assert complete("citeloom project us") == ["use"]
    assert complete("citeloom query --diver") == ["--diverse"]
    assert complete("citeloom query x -p ") == ["lit", "phd/thesis"]
    assert complete("citeloom query x -p lit -p p") == ["phd/thesis"]
    assert complete("citeloom project show l") == ["lit"]
    assert complete("citeloom cite --style va") == ["vancouver"]
    assert complete(f"citeloom --workspace {workspace / 'none'} query -p ") == []


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
    assert "1 paper, none with a citation" in told()
    assert "--references library.bib" in told()


def test_nothing_is_written_by_looking(workspace: Path) -> None:
    code, output = run()
    assert code == 0
    assert f"No papers yet (workspace {workspace})." in output
    assert list(workspace.iterdir()) == []
