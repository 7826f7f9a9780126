"""Every operation of the REST interface under made-up requests: no error of the server, and answers
as the description says."""

import logging
import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy  # noqa: F401  Hypothesis looks into it while the server, in a thread, imports it
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
from support.http_client import PATIENCE, request
from support.http_server import serving
from support.world import GRIDS, PONDS, World

# A longer campaign: HTTP_EXAMPLES=200 (tests run without the variables of CiteLoom), of some
# operations only: HTTP_OPERATIONS="chats|jobs". With --log-cli-level=INFO it tells how many
# requests had which status.
EXAMPLES = int(os.environ.get("HTTP_EXAMPLES", "2"))
ONLY = os.environ.get("HTTP_OPERATIONS", "")
_log = logging.getLogger(__name__)
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
        yield schemathesis.openapi.from_url(
            f"{address}/api/v1/openapi.json", timeout=PATIENCE
        ).exclude(path_regex=_ENDLESS)


@pytest.fixture(scope="module")
def known(described: Any) -> dict[str, str]:
    """What parameters and members of bodies may name that is there."""
    rest = described.location.removesuffix("/openapi.json")
    papers = request("GET", f"{rest}/projects/local/thesis/documents").json()["documents"]
    document = papers[0]["document_id"]
    chat = request("POST", f"{rest}/chats", json={}).json()["id"]
    asked = {"content": "cooling at one hundred metres", "queryMode": "deep_research"}
    begun = request("POST", f"{rest}/chats/{chat}/messages", json=asked).json()
    session = begun["researchSession"]["id"]
    jobs = request("GET", f"{rest}/jobs").json()["jobs"]
    return {
        "namespace": "local",
        "name": "thesis",
        "project": "thesis",
        "document": document,
        "place": document,
        "key": document,
        "source": document,
        "uri": f"ndk://file/proj-local-thesis/{document}/$body",
        "job_id": jobs[0]["id"],
        "chat_id": chat,
        "session_id": session,
        "other": session,
        "message_id": begun["answer"]["id"],
    }


def name_what_is_there(part: Any, known: dict[str, str]) -> None:
    """Members of a body, however deep, name what there is."""
    if isinstance(part, list):
        for one in part:
            name_what_is_there(one, known)
    if isinstance(part, dict):
        for name, value in part.items():
            if name in known and isinstance(value, str):
                part[name] = known[name]
            name_what_is_there(value, known)


def test_every_operation_answers_as_it_is_described(described: Any, known: dict[str, str]) -> None:
    failed, operations, statuses = list[str](), 0, Counter[int]()
    # What is removed is not there for the others.
    found = [one.ok() for one in described.get_all_operations()]
    for operation in sorted(found, key=lambda one: one.method == "delete"):
        if not re.search(ONLY, operation.label):
            continue
        operations += 1

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), is_known=st.booleans(), has_key=st.booleans())
        def answers(case: Any, is_known: bool, has_key: bool) -> None:
            if is_known:
                for parameters in (case.path_parameters, case.query, case.body):
                    name_what_is_there(parameters, known)
            if not has_key:
                case.headers.pop("Idempotency-Key", None)
            answer = case.call_and_validate(checks=CHECKS, timeout=PATIENCE)
            statuses[answer.status_code] += 1

        try:
            answers()
        except (Exception, BaseExceptionGroup) as error:
            failed.append(f"{operation.label}: {getattr(error, 'exceptions', [error])}")
    _log.info("%d operations, %d requests: %s", operations, statuses.total(), dict(statuses))
    assert operations >= (50 if ONLY == "" else 1)
    assert not failed, "\n\n".join(failed)


def test_methods_that_no_operation_has_are_refused_as_problems(described: Any) -> None:
    paths = dict[str, set[str]]()
    for one in described.get_all_operations():
        paths.setdefault(one.ok().path, set()).add(one.ok().method.upper())
    base = described.location.removesuffix("/api/v1/openapi.json")
    for path, methods in paths.items():
        concrete = re.sub(r"\{\w+\}", "x", path)
        for method in {"HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - methods:
            answer = request(method, f"{base}{concrete}")
            assert answer.status_code in (404, 405), f"{method} {path}"
            if method != "HEAD":
                assert answer.headers["content-type"] == "application/problem+json"
            if answer.status_code == 405:
                assert set(answer.headers["allow"].split(", ")) <= {*methods, "HEAD"}
