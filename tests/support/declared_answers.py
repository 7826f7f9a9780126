"""Answers of the MCP tools held against the schemas that the tools declare, and nothing besides."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from citeloom.infrastructure.mcp.tools import TOOLS


def assert_declared(tool: str, answer: Mapping[str, Any]) -> None:
    """An answer has what its tool declares and no more; one that is an error has the three
    fields of the contract."""
    _validator(tool).validate(answer)
    if "error" not in answer:
        return
    assert set(answer) == {"error", "correlation_id"}
    error = answer["error"]
    assert set(error) == {"code", "message", "details"}
    assert error["code"].isupper()
    assert error["message"].strip()


@cache
def _validator(tool: str) -> Draft202012Validator:
    schema = TOOLS[tool].output
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema), format_checker=FormatChecker())


def _closed(schema: Any) -> Any:
    """The schema, in which objects with declared properties have no others."""
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(part) for name, part in schema.items()}
    declares = schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
    return closed | ({"additionalProperties": False} if declares else {})
