"""``citeloom watch`` over real files, until it is told to end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.command_line import citeloom, environment
from support.pdf.written_pdf import Text, write_pdf

PATIENCE = 60


class Watch:
    """A running command; ``until`` reads on to the next line of an outcome."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def until(self, outcome: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told: dict[str, Any] = json.loads(line)
            assert told["outcome"] != "failed", told
            if told["outcome"] == outcome:
                return told
        raise AssertionError(f"it ended without {outcome}")


@contextmanager
def watch(*arguments: str | Path, workspace: Path) -> Iterator[Watch]:
    command = [sys.executable, "-m", "citeloom", "watch", "-p", "p", "--json", *map(str, arguments)]
    with subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=environment(CITELOOM_WATCH__SETTLE_SECONDS="0.2"),
    ) as process:
        try:
            yield Watch(process)
        finally:
            process.kill()


def item(citekey: str) -> str:
    return json.dumps(
        [{"id": citekey, "type": "article", "title": "Reeds", "DOI": "10.5555/reeds"}]
    )


@pytest.mark.timeout(300)
def test_a_project_is_kept_in_step_until_it_is_told_to_end(tmp_path: Path) -> None:
    folder, workspace = tmp_path / "papers", tmp_path / "library"
    folder.mkdir()
    paper, references = folder / "reeds.pdf", tmp_path / "library.json"
    references.write_text(item("reed1"), encoding="utf-8")
    with watch(folder, "--references", references, workspace=workspace) as running:
        running.until("watching")
        running.until("watching")
        lines = ("doi:10.5555/reeds", "What lives in reeds.")
        texts = [Text(72, 700 - 30 * row, line) for row, line in enumerate(lines)]
        write_pdf(paper, [[Text(72, 740, "Reeds", 18, True), *texts]])
        added = running.until("added")
        assert (added["what"], added["citekey"], added["passages"]) == (str(paper), "reed1", 1)
        rewritten = tmp_path / "library.json.part"
        rewritten.write_text(item("reed2"), encoding="utf-8")
        rewritten.replace(references)
        changed = running.until("key changed")
        assert (changed["before"], changed["citekey"]) == ("reed1", "reed2")
        asked = citeloom("query", "reeds", "-p", "p", "--json", workspace=workspace)
        assert asked.code == 0, asked.err
        assert [hit["citekey"] for hit in asked.json["items"]] == ["reed2"], asked.err
        renamed = paper.rename(folder / "renamed.pdf")
        moved = running.until("moved")
        assert (moved["before"], moved["what"]) == (str(paper), str(renamed))
        renamed.unlink()
        assert running.until("removed")["what"] == str(renamed)
        running.process.send_signal(signal.SIGTERM if os.name != "nt" else signal.CTRL_C_EVENT)
        assert running.process.wait(PATIENCE) == 0
