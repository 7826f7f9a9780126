"""A project answers alike in the process and on a server: ids, order, scores, marks."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.once import copied
from support.paths import LIBRARY
from support.servers.qdrant import KINDS, QdrantServer, qdrant_server

from benchmarks.server_parity import compare, disagreements, moved, with_marks
from citeloom.domain.projects.project import IndexLayout, IndexPlace, ProjectId
from citeloom.infrastructure.composition.application import open_application

pytestmark = pytest.mark.server

PROJECT = ProjectId.parse("samples")


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[QdrantServer]:
    with qdrant_server(request.param) as running:
        yield running


@pytest.mark.parametrize("layout", list(IndexLayout))
def test_a_moved_project_gives_the_same_answers(
    samples: Path, tmp_path: Path, server: QdrantServer, layout: IndexLayout
) -> None:
    server.require(layout)
    here, there = tmp_path / "here", tmp_path / "there"
    copied(samples, here)
    with closing(open_application(here)) as application:
        assert with_marks(application, PROJECT) > 5
    copied(here, there)
    asked = [each["question"] for each in json.loads((LIBRARY / "questions.json").read_text())]
    flags = {"index": {"api_key": server.api_key}}
    with closing(open_application(here)) as one, closing(open_application(there, flags)) as other:
        moved(other, PROJECT, IndexPlace(url=server.url, layout=layout))
        assert disagreements(compare(one, other, PROJECT, asked)) == []
