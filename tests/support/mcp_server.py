"""The MCP server over a world in memory, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

from mcp.server.lowlevel import Server
from support.world import World

from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import offered_tools
from citeloom.infrastructure.serving.jobs.background import Background, background
from citeloom.infrastructure.serving.jobs.queue import Recorder
from citeloom.infrastructure.serving.served import Served, ServedParts
from citeloom.infrastructure.system.locks import new_process_name


@contextmanager
def served_world(
    world: World, *, patience: float = 10.0, jobs: Background | None = None
) -> Iterator[Server[Any]]:
    """A server that ends its jobs with the block."""
    application = world.application
    models = cast(Any, SimpleNamespace(ready=lambda _: None))
    stores = application.stores
    recorder = Recorder(stores.job_record, stores.clock, new_process_name())
    jobs = jobs or background(application, models, recorder)
    served = Served(application, jobs, models, patience=patience)
    tools = offered_tools(read_only=application.settings.mcp.read_only)
    yield build_server(ServedParts(served), tools)
    assert jobs.stop(10)
    for lane in served.lanes.values():
        lane.close()
    application.close()
