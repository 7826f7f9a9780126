"""The default project on the command line."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CITELOOM_PROJECT", raising=False)
    monkeypatch.setenv("CITELOOM_WORKSPACE", str(tmp_path))
    for name in ("lit", "bio"):
        assert run("project", "create", name)[0] == 0
    return tmp_path


def test_a_project_is_chosen_once_and_can_be_overridden(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "citeloom.toml").write_text("# Mine.\n\n[query]\ntop_k = 3\n")
    code, output = run("inspect")
    assert code == 2
    assert "which project? there are local/bio, local/lit; name one with --project" in output

    assert run("project", "use", "bio") == (
        0,
        "local/bio is now the default project\n",
    )
    assert (workspace / "citeloom.toml").read_text() == (
        '# Mine.\n\nproject = "local/bio"\n\n[query]\ntop_k = 3\n'
    )
    assert '"project": "local/bio"' in run("inspect", "--json")[1]
    assert '"project": "local/lit"' in run("inspect", "--json", "-p", "lit")[1]
    assert "provisional" not in run("inspect", "-p", "lit")[1]
    monkeypatch.setenv("CITELOOM_PROJECT", "lit")
    assert '"project": "local/lit"' in run("inspect", "--json")[1]
    assert (
        "CITELOOM_PROJECT names local/lit, and takes precedence" in run("project", "use", "bio")[1]
    )


@pytest.mark.parametrize(
    "command",
    [
        ["query", "x"],
        ["cite", "k"],
        ["export"],
        ["inspect"],
        ["references", "k"],
        ["review", "what?"],
        ["verify", "draft.md"],
        ["watch"],
        ["ingest", "x.pdf"],
        ["models", "use", "m"],
        ["models", "drop", "m"],
        ["project", "show"],
        ["map", "k", "--render", "1"],
    ],
)
def test_every_command_asks_in_the_same_words(command: list[str]) -> None:
    code, output = run(*command)
    assert code == 2
    assert "which project? there are local/bio, local/lit; name one with --project, or" in output


def test_an_unknown_project_is_not_made_the_default(workspace: Path) -> None:
    code, output = run("project", "use", "Bio")
    assert code == 3
    assert "did you mean local/bio?" in output
    assert not (workspace / "citeloom.toml").exists()


def test_a_project_is_shown_for_people_first() -> None:
    for command in (["project", "show", "lit"], ["inspect", "-p", "lit"]):
        told = run(*command)[1]
        assert "by meaning and words" in told
        assert "passages" in told
        assert "proj-local-lit" not in told
        assert "proj-local-lit" in run(*command, "--verbose")[1]
