"""A server whose handlers are never called."""

from typing import Any, cast

import pytest

from citeloom.infrastructure.mcp.answers.resources import ResourceReader
from citeloom.infrastructure.mcp.handlers import Handlers
from citeloom.infrastructure.mcp.server import build_server


@pytest.fixture
def idle_server() -> Any:
    return build_server(cast(Handlers, None), ResourceReader(cast(Any, None)))
