"""Every operation of the REST interface under made-up requests: no error of the server, and answers
as the description says."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.http_server import serving
from support.world import GRIDS, PONDS, World

# A longer campaign: CITELOOM_HTTP_EXAMPLES=200.
EXAMPLES = int(os.environ.get("CITELOOM_HTTP_EXAMPLES", "4"))
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
# Answered by streams that end with what they follow.
_ENDLESS = r"/events$"


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    world = World(tmp_path_factory.mktemp("library"))
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    world.ingest()
    with serving(world) as address:
        yield schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json").exclude(
            path_regex=_ENDLESS
        )


def test_every_operation_answers_as_it_is_described(described: Any) -> None:
    failed, operations = list[str](), 0
    for found in described.get_all_operations():
        operation = found.ok()
        operations += 1

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def answers(case: Any) -> None:
            case.call_and_validate(checks=CHECKS, timeout=20)

        try:
            answers()
        except (Exception, BaseExceptionGroup) as error:
            failed.append(f"{operation.label}: {getattr(error, 'exceptions', [error])}")
    assert operations >= 30
    assert not failed, "\n\n".join(failed)
