"""``citeloom mcp install`` and ``mcp clients``: what they print, write and refuse."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.infrastructure.cli.app import app
from citeloom.infrastructure.mcp.clients.catalogue import running_program


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CITELOOM_WORKSPACE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "thesis").mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "thesis")
    return tmp_path / "home"


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["mcp", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_it_prints_without_writing(home: Path) -> None:
    code, printed, noted = run("install", "--client", "cursor", "--workspace", ".", "--print")
    assert code == 0
    (entry,) = json.loads(printed)["mcpServers"].values()
    assert entry["args"][-2:] == ["--workspace", str(home.parent / "thesis")]
    assert Path(entry["command"]).is_absolute()
    assert noted == f"Cursor reads {home / '.cursor' / 'mcp.json'}:\n"
    assert not list(home.iterdir())


def test_it_says_what_it_did_and_what_comes_next(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{}", "utf-8")
    given = ("install", "--client", "cursor", "--workspace", ".")
    code, printed, _ = run(*given)
    assert code == 0
    assert printed.splitlines() == [
        f"added citeloom to {file}",
        f"the previous file is {file}.before-citeloom",
        "next: restart Cursor; its settings list it under MCP",
    ]
    assert run(*given)[1] == f"citeloom is in {file} already\n"
    code, printed, _ = run("install", "--client", "cursor", "--remove")
    assert printed == f"removed citeloom from {file}\nnext: restart Cursor\n"
    assert file.read_text("utf-8") == "{}"


def test_it_is_told_as_json(home: Path) -> None:
    code, printed, _ = run("install", "--client", "zed", "--name", "papers", "--json")
    told = json.loads(printed)
    assert code == 0
    assert (told["action"], told["name"], told["backup"]) == ("added", "papers", None)
    assert json.loads(Path(told["file"]).read_text("utf-8")) == {
        "context_servers": {"papers": told["entry"]}
    }


def test_what_belongs_into_a_file_with_comments_is_printed(home: Path) -> None:
    file = home / ".config" / "Code" / "User" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{ // mine\n  "servers": {},\n}', "utf-8")
    given = ("install", "--client", "vscode", "--workspace", ".")
    code, printed, noted = run(*given)
    assert code == 2
    assert list(json.loads(printed)["servers"]) == ["citeloom"]
    assert noted.startswith(f"Visual Studio Code reads {file}:\nor run: code --add-mcp '")
    assert (
        f"{file}: has comments or trailing commas, which would be lost; nothing was changed"
        in noted
    )
    assert file.read_text("utf-8") == '{ // mine\n  "servers": {},\n}'
    code, printed, _ = run(*given, "--json")
    assert (code, json.loads(printed)["error"]["code"]) == (2, "CONFIGURATION_ERROR")
    assert run("install", "--client", "vscode", "--remove")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--client", "emacs"], "emacs: not a known client"),
        (["--client", "zed", "--workspace", "typo"], "typo: the folder does not exist"),
        (["--client", "zed", "--name", "a b"], "letters, digits, - and _ only"),
        (["--client", "zed", "--project-level"], "reads no file in a project"),
        (["--client", "zed", "--token-variable", "T"], "--token-variable: only with --http"),
        (["--client", "zed", "--http", "localhost"], "write http://HOST:PORT/mcp"),
        (["--client", "zed", "--http", "http://x/mcp", "--uvx"], "has its own workspace"),
    ],
)
def test_what_does_not_go_together_is_refused(
    home: Path, arguments: list[str], reason: str
) -> None:
    code, printed, noted = run("install", *arguments)
    assert (code, printed) == (2, "")
    assert reason in noted
    assert not list(home.iterdir())


def test_options_of_the_server_before_a_command_of_the_group_are_refused() -> None:
    code, _, noted = run("--workspace", "x", "clients")
    assert code == 2
    assert "put options after the word clients" in noted


def test_clients_are_listed_with_what_they_serve(home: Path) -> None:
    (home / ".codex").mkdir()
    run("install", "--client", "cursor", "--workspace", ".")
    code, printed, noted = run("clients")
    rows = {line.split()[0]: line for line in printed.splitlines() if line}
    assert code == 0
    assert "is here" in rows["codex"]
    assert rows["cursor"].split()[-1] == str(home.parent / "thesis")
    assert noted == ""
    (home.parent / "thesis").rename(home.parent / "gone")
    assert "the workspace" in run("clients")[2]
    told = json.loads(run("clients", "--json")[1])["clients"]
    assert {one["client"]: one["installed"] for one in told}["cursor"]
    assert all(one["documentation"].startswith("https://") for one in told)


class TestProgram:
    def test_a_program_called_citeloom_is_named_with_its_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "citeloom"
        program.write_text("#!/bin/sh\n", "utf-8")
        program.chmod(0o755)
        assert running_program(str(program)) == [str(program)]
        monkeypatch.setenv("PATH", str(tmp_path))
        assert running_program("citeloom") == [str(program)]

    def test_a_module_is_started_by_python(self, tmp_path: Path) -> None:
        module = str(tmp_path / "citeloom" / "__main__.py")
        assert running_program(module) == [sys.executable, "-m", "citeloom"]

    def test_a_program_that_uvx_made_for_one_run_is_refused(self, tmp_path: Path) -> None:
        from citeloom.domain.errors import ConfigurationError

        program = tmp_path / "archive-v0" / "x" / "bin" / "citeloom"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n", "utf-8")
        program.chmod(0o755)
        with pytest.raises(ConfigurationError, match="--uvx"):
            running_program(str(program))
