"""Every operation of the REST interface under made-up requests: no error of the server, and answers
as the description says."""

import os
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from support.http_server import serving
from support.world import GRIDS, PONDS, World

# A longer campaign: HTTP_EXAMPLES=200 (tests run without the variables of CiteLoom).
EXAMPLES = int(os.environ.get("HTTP_EXAMPLES", "4"))
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


@pytest.fixture(scope="module")
def known(described: Any) -> dict[str, str]:
    """Parameters that name what is there."""
    rest = described.location.removesuffix("/openapi.json")
    papers = httpx2.get(f"{rest}/projects/local/thesis/documents").json()["documents"]
    document = papers[0]["document_id"]
    chat = httpx2.post(f"{rest}/chats", json={}).json()["id"]
    asked = {"content": "cooling at one hundred metres", "queryMode": "deep_research"}
    begun = httpx2.post(f"{rest}/chats/{chat}/messages", json=asked, timeout=20).json()
    return {
        "namespace": "local",
        "name": "thesis",
        "project": "thesis",
        "document": document,
        "place": document,
        "uri": f"ndk://file/proj-local-thesis/{document}",
        "chat_id": chat,
        "session_id": begun["researchSession"]["id"],
        "other": begun["researchSession"]["id"],
        "message_id": begun["answer"]["id"],
    }


def test_every_operation_answers_as_it_is_described(described: Any, known: dict[str, str]) -> None:
    failed, operations = list[str](), 0
    # What is removed is not there for the others.
    found = [one.ok() for one in described.get_all_operations()]
    for operation in sorted(found, key=lambda one: one.method == "delete"):
        operations += 1

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), is_known=st.booleans())
        def answers(case: Any, is_known: bool) -> None:
            if is_known:
                for parameters in (case.path_parameters, case.query):
                    parameters.update({name: known[name] for name in known if name in parameters})
            case.call_and_validate(checks=CHECKS, timeout=20)

        try:
            answers()
        except (Exception, BaseExceptionGroup) as error:
            failed.append(f"{operation.label}: {getattr(error, 'exceptions', [error])}")
    assert operations >= 30
    assert not failed, "\n\n".join(failed)
