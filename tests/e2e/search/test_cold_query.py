"""What a query that starts from nothing does ahead, and leaves undone at the end."""

import subprocess
import sys
from pathlib import Path

from support.command_line import environment

from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application

PROBE = """
import os, sys
ended = []
os._exit = ended.append
from citeloom.infrastructure.cli.app import main
try:
    main()
except SystemExit as end:
    sys.stderr.write(f"at once: {ended}" if ended else f"by the interpreter: {end.code}")
"""


def ended(*arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=True,
    )
    return done.stderr.splitlines()[-1]


def test_a_query_that_was_answered_ends_at_once(samples: Path) -> None:
    asked = ("query", "pond", "--workspace", samples, "--mode", "sparse", "--json")
    assert ended(*asked, "-p", "samples") == "at once: [0]"
    assert ended(*asked, "-p", "other") == "by the interpreter: 3"
    assert ended("project", "list", "--workspace", samples) == "by the interpreter: 0"


def test_an_index_is_opened_ahead_and_none_is_made(samples: Path, tmp_path: Path) -> None:
    opened = open_application(samples)
    project = opened.stores.catalogue.project(ProjectId.parse("samples"))
    opened.search.open_ahead(project)
    held = samples / ".citeloom" / "index" / project.collection / "holder.json"
    assert held.is_file()
    opened.close()
    assert not held.exists()
    other = open_application(tmp_path)
    empty, _ = other.projects.opener.create(ProjectId.parse("empty"))
    other.search.open_ahead(empty)
    assert not other.stores.index.exists(empty.collection)
    other.close()
