"""Backups of a project on a server, by the commands of docs/server.md; what is lost without one."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import Done, environment, inside
from support.once import copied
from support.paths import ROOT
from support.servers.qdrant_node import QdrantNode, needs_program, qdrant_node

pytestmark = [
    pytest.mark.server,
    needs_program,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl"),
]
QUESTION = "How do pages get their printed numbers?"


class Installation:
    """The sample library with its index on a server of its own."""

    def __init__(self, samples: Path, folder: Path, node: QdrantNode) -> None:
        self.node = node
        self.workspace = copied(samples, folder / "workspace")
        self.files = folder / "files"
        self.files.mkdir()
        self.collection = "proj-local-samples"
        assert self.run("project", "move", "samples", "--to", self.url, "--drop-old").code == 0
        self.answers = self.ask()

    @property
    def url(self) -> str:
        return self.node.server.url

    def run(self, *arguments: str) -> Done:
        return inside(*arguments, workspace=self.workspace)

    def ask(self) -> list[tuple[str, float]]:
        done = self.run("query", QUESTION, "-p", "samples", "--json")
        assert done.code == 0, done.err
        return [(item["chunk_id"], round(item["score"], 3)) for item in done.json["items"]]

    def shell(self, commands: str) -> None:
        """Commands of the documentation, with this server, key, project and workspace."""
        named = environment(
            QDRANT_API_KEY="none",
            PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        )
        text = commands.replace("https://qdrant.example.org:6333", self.url)
        text = text.replace("thesis", "samples")
        text = re.sub(r"(?m)^citeloom .*", rf"\g<0> --workspace '{self.workspace}'", text)
        done = subprocess.run(
            ["sh", "-euc", text], cwd=self.files, env=named, capture_output=True, check=False
        )
        assert done.returncode == 0, (done.stdout + done.stderr).decode()


@pytest.fixture
def installation(samples: Path, tmp_path: Path) -> Iterator[Installation]:
    with qdrant_node(tmp_path / "server") as node:
        yield Installation(samples, tmp_path, node)


def documented() -> list[str]:
    """The shell blocks of the chapter on backups: to save, and to restore."""
    text = (ROOT / "docs" / "server.md").read_text("utf-8")
    chapter = text.split("\n## Backups\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", chapter, re.DOTALL)


def lose_the_server(installation: Installation) -> None:
    """A new one comes at its address, empty."""
    installation.node.kill()
    installation.node.clear()
    installation.node.start()


def test_the_documented_steps_bring_a_lost_installation_back(installation: Installation) -> None:
    setting, saving, restoring = documented()
    installation.shell(setting + saving)
    assert installation.node.server.snapshots(installation.collection) == []
    lose_the_server(installation)
    shutil.rmtree(installation.workspace)
    installation.workspace.mkdir()
    installation.shell(setting + restoring)
    done = installation.run("validate", "-p", "samples", "--deep", "--json")
    assert done.code == 0, done.out
    assert installation.ask() == installation.answers


def test_documents_that_are_newer_than_a_snapshot_are_named_and_written_again(
    installation: Installation,
) -> None:
    setting, saving, restoring = documented()
    installation.shell(setting + saving)
    paper = installation.files / "later.md"
    paper.write_text("# Later\n\nThis text came after the snapshot was taken.\n", "utf-8")
    assert installation.run("ingest", str(paper), "-p", "samples").code == 0
    lose_the_server(installation)
    upload = [line for line in restoring.splitlines() if not line.startswith("citeloom")]
    installation.shell(setting + "\n".join(upload))
    done = installation.run("validate", "-p", "samples", "--json")
    assert done.code == 1
    [failed] = [check for check in done.json["checks"] if check["status"] == "FAIL"]
    assert failed["check"] == "index"
    assert "later.md" in failed["message"]
    assert installation.run("validate", "-p", "samples", "--repair").code == 0


def test_without_a_snapshot_the_index_is_built_anew_from_the_conversions(
    installation: Installation,
) -> None:
    lose_the_server(installation)
    done = installation.run("validate", "-p", "samples")
    assert done.code == 1
    assert "its index is gone" in " ".join(done.out.split())
    assert installation.run("validate", "-p", "samples", "--repair").code == 0
    assert [id for id, _ in installation.ask()] == [id for id, _ in installation.answers]
