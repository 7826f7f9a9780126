"""``citeloom mcp`` through the conformance suite of MCP (``make typescript`` installs it).

The scenarios are those that ask nothing of a server but the protocol. Left out are the ones that
want tools, prompts and resources of a test server (``test_simple_text``, ``test://static-text`` …),
``logging-set-level`` (logging is deprecated by the revision of 2026-07-28, and not declared) and
``server-sse-polling``, which counts nothing and warns that streams cannot be resumed.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import environment
from support.servers.mcp import (
    NODE,
    PACKAGES,
    has_package,
    node_version,
    served_over_http,
)

SCENARIOS = [
    "server-initialize",
    "ping",
    "completion-complete",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "dns-rebinding-protection",
]

pytestmark = pytest.mark.skipif(
    # The suite lists files with fs.globSync, which older ones do not have.
    not has_package("conformance") or node_version() < 22,
    reason="needs node 22 and the conformance suite of MCP (make typescript)",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served_over_http(tmp_path_factory.mktemp("conformance")) as address:
        yield address


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_scenario_of_the_conformance_suite_passes(address: str, scenario: str) -> None:
    suite = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
    command = [str(NODE), str(PACKAGES / suite), "server", "--url", address]
    done = subprocess.run(
        [*command, "--scenario", scenario],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        timeout=60,
    )
    assert re.search(r"Passed: ([1-9]\d*)/\1, 0 failed", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0
