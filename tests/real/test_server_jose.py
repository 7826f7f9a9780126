"""27 published papers give the same answers in the process and on a real Qdrant server."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from support.files.real_papers import JOSE, Ingested
from support.paths import ROOT
from support.servers.qdrant import needs_real, qdrant_server

from benchmarks.server_parity import compare, disagreements, moved, with_marks
from citeloom.domain.projects.project import IndexLayout, IndexPlace, ProjectId
from citeloom.infrastructure.composition.application import open_application

pytestmark = [
    pytest.mark.server,
    pytest.mark.real,
    pytest.mark.skipif(not JOSE.is_dir(), reason=f"the papers are not at {JOSE}"),
    needs_real,
]
PROJECT = ProjectId.parse("jose")


@pytest.mark.parametrize("layout", list(IndexLayout))
def test_papers_moved_to_a_server_give_the_same_answers(
    jose: Ingested, tmp_path: Path, layout: IndexLayout
) -> None:
    lines = (ROOT / "benchmarks" / "questions_jose.jsonl").read_text("utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    here, there = tmp_path / "here", tmp_path / "there"
    with qdrant_server("real") as server:
        server.require(layout)
        shutil.copytree(jose.workspace, here)
        with closing(open_application(here)) as application:
            with_marks(application, PROJECT)
        shutil.copytree(here, there)
        flags = {"index": {"api_key": server.api_key}}
        with (
            closing(open_application(here)) as one,
            closing(open_application(there, flags)) as other,
        ):
            moved(other, PROJECT, IndexPlace(url=server.url, layout=layout))
            assert disagreements(compare(one, other, PROJECT, asked)) == []
