"""Which workspace a command takes, and options that are given twice."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.cli.shared.terminal import quoted


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_WORKSPACE", str(tmp_path / "of the environment"))


@pytest.mark.parametrize(
    ("before", "after", "taken"),
    [
        ([], [], "of the environment"),
        (["--workspace", "{}/root"], [], "root"),
        ([], ["--workspace", "{}/own"], "own"),
        (["--workspace", "{}/same"], ["--workspace", "{}/other/../same"], "same"),
    ],
)
def test_a_flag_beats_the_environment_wherever_it_stands(
    tmp_path: Path, before: list[str], after: list[str], taken: str
) -> None:
    given = [each.format(tmp_path) for each in [*before, "config", "--json", *after]]
    code, output = run(*given)
    assert code == 0
    assert f'"workspace": "{tmp_path / taken}"' in output


def test_two_workspaces_are_refused(tmp_path: Path) -> None:
    code, output = run("--workspace", f"{tmp_path}/a", "config", "--workspace", f"{tmp_path}/b")
    assert code == 2
    assert f"--workspace names {tmp_path}/a before the command and {tmp_path}/b after" in output


@pytest.mark.parametrize(
    "arguments",
    [
        ["--workspace", "a", "--workspace", "b", "config"],
        ["config", "--workspace", "a", "--workspace=b"],
        ["inspect", "-p", "a", "--project", "b"],
        ["session", "list", "-p", "a", "-p", "b"],
    ],
)
def test_an_option_of_one_value_is_given_once(arguments: list[str]) -> None:
    code, output = run(*arguments)
    assert code == 2
    assert "is given twice; name one" in output


def test_repeatable_options_and_flags_may_be_repeated() -> None:
    code, output = run("query", "x", "-p", "a", "-p", "b", "--filter", "year=1", "--json", "--json")
    assert code == 3
    assert "a" in output


def test_next_steps_name_the_workspace_that_was_named(tmp_path: Path) -> None:
    named = tmp_path / "two words"
    step = f"citeloom --workspace '{named}' ingest"
    assert step in run("--workspace", str(named), "doctor")[1]
    assert step in run("query", "x", "-p", "no", "--workspace", str(named))[1]
    code, output = run("query", "x", "-p", "no")
    assert (code, "`citeloom ingest" in output) == (3, True)


@pytest.mark.parametrize(
    ("system", "word", "written"),
    [
        ("posix", "it's", "'it'\"'\"'s'"),
        ("nt", "it's", "'it''s'"),
        ("nt", r"C:\papers\a.pdf", r"C:\papers\a.pdf"),
        ("nt", "", "''"),
    ],
)
def test_words_are_quoted_as_the_shell_reads_them(
    system: str, word: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "name", system)
    assert quoted(word) == written
