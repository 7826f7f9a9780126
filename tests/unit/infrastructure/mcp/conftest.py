"""Handlers over the application that a test puts in place of the real one."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.recorders import a_recorder

from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.serving.jobs.background import Background, background
from citeloom.infrastructure.serving.jobs.pending import WarmModels
from citeloom.infrastructure.serving.served import Served, ServedParts


@pytest.fixture
def idle_server() -> Any:
    nothing = cast(Any, None)
    return build_server(ServedParts(Served(nothing, nothing, nothing, patience=0.0)))


@pytest.fixture
def jobs(desk: Any) -> Iterator[Background]:
    """Jobs on the application ``desk``, which ends what it waits for when ``go`` is set."""
    embedder = SimpleNamespace(
        tokens=SimpleNamespace(count=lambda _: 1), embed_query=lambda _: [1.0]
    )
    models = WarmModels(cast(Any, lambda _: embedder))
    jobs = background(cast(Application, desk), models, a_recorder())
    yield jobs
    desk.go.set()
    assert jobs.stop(10)


@pytest.fixture
def served(desk: Any, jobs: Background) -> Served:
    return Served(cast(Application, desk), jobs, cast(Any, None), patience=0.05)
