"""The OpenAPI document: names, words and examples of every operation."""

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.world import World

from citeloom.infrastructure.http.serving import rest_app
from citeloom.infrastructure.serving.serving import Serving

JSON = "application/json"
VERBS = {
    "ask", "begin", "cancel", "cite", "compare", "create", "cut", "delete", "draw", "edit",
    "export", "follow", "format", "give", "list", "open", "put", "query", "read", "remove",
    "rename", "replace", "resolve", "restore", "resume", "show", "undo", "upload", "validate",
}  # fmt: skip


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    application = World(tmp_path_factory.mktemp("library")).application
    return dict(rest_app(application, Serving(application)).openapi())


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for path in document["paths"].values() for one in path.values()]


def problems(document: dict[str, Any], content: dict[str, Any]) -> list[str]:
    """Why the example of a media type is none."""
    schema = {**content["schema"], "components": document["components"]}
    found = Draft202012Validator(schema).iter_errors(content["example"])
    return [f"{one.json_path}: {one.message[:200]}" for one in found]


def test_names_are_short_unique_and_say_what_is_done(operations: list[dict[str, Any]]) -> None:
    names = [one["operationId"] for one in operations]
    assert len(names) == len(set(names)) >= 50
    for name in names:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", name)
        assert len(name) <= 30
        assert name.partition("_")[0] in VERBS


def test_each_has_a_summary_a_description_and_a_tag(operations: list[dict[str, Any]]) -> None:
    for one in operations:
        assert one["summary"]
        assert one["description"]
        assert len(one["tags"]) == 1


def test_each_body_and_each_answer_in_json_has_an_example_that_fits(
    document: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    wrong, checked = list[str](), 0
    for one in operations:
        name = one["operationId"]
        contents = [("body", one.get("requestBody", {}).get("content", {}))]
        first = min(status for status in one["responses"] if status.startswith("2"))
        contents.append((first, one["responses"][first].get("content", {})))
        for where, content in contents:
            if JSON not in content or name == "export_research_session":
                continue
            checked += 1
            if "example" not in content[JSON]:
                wrong.append(f"{name} {where}: none")
                continue
            wrong += [f"{name} {where}: {why}" for why in problems(document, content[JSON])]
    assert checked > 55
    assert not wrong, "\n".join(wrong)


def test_an_error_has_the_schema_of_a_problem_under_its_media_type(
    document: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    assert "code" in document["components"]["schemas"]["Problem"]["properties"]
    for one in operations:
        schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
        assert one["responses"]["404"]["content"] == {"application/problem+json": schema}


def test_what_changes_anything_takes_an_idempotency_key(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            names = {given["name"] for given in one.get("parameters", ())}
            asks = method == "get" or path.endswith(("/query", "/exports/quotations"))
            assert ("Idempotency-Key" in names) is not asks, one["operationId"]


def test_examples_tell_of_no_machine(document: dict[str, Any]) -> None:
    text = Path(__file__).name + str(document)
    assert not re.search(r"/(tmp|root|work)/", text)
