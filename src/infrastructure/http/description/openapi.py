"""The OpenAPI document: examples of each operation, and the common rules of changes."""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from fastapi import FastAPI
from pydantic import BaseModel

from citeloom.infrastructure.http.guards import HEADER, KEY, REPLAYED, may_change

_JSON: Final = "application/json"
_SCHEMAS: Final = "#/components/schemas/{model}"
_PARAMETER: Final[dict[str, Any]] = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "pattern": KEY},
    "example": '"9f1c7c1e-6f0f-4a4e-8f55-1d7f3c7b0a11"',
    "description": "A string for this request alone: sent twice with it, the request is made once.",
}
_REPLAYED: Final[dict[str, Any]] = {
    "schema": {"type": "string", "const": "true"},
    "description": f"The answer repeats an earlier one to the same {HEADER}.",
}


def reference_to(model: type[BaseModel]) -> dict[str, str]:
    """The schema of an answer that ``describe`` is given."""
    return {"$ref": _SCHEMAS.format(model=model.__name__)}


def describe(app: FastAPI, *referred: type[BaseModel]) -> None:
    """Let ``app`` give its document with examples, those of answers recorded, and with the schemas
    of models that answers refer to."""
    plain = app.openapi

    @cache
    def described() -> dict[str, Any]:
        document = plain()
        schemas = document["components"]["schemas"]
        for model in referred:
            schemas[model.__name__] = model.model_json_schema(
                ref_template=_SCHEMAS, mode="serialization"
            )
        document["components"]["schemas"] = dict(sorted(schemas.items()))
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if may_change({"method": method.upper(), "path": path}):
                    _add_key(operation)
                _add_examples(operation)
                _order_parameters(path, operation)
        return document

    app.openapi = described  # type: ignore[method-assign]


@cache
def _examples() -> dict[str, Any]:
    """By operation: the ``request`` and the ``answer`` as JSON, and its ``status``."""
    read = json.loads(files(__package__).joinpath("examples.json").read_text("utf-8"))
    assert isinstance(read, dict)
    return read


def _add_key(operation: dict[str, Any]) -> None:
    operation.setdefault("parameters", []).append(_PARAMETER)
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            answer.setdefault("headers", {})[REPLAYED] = _REPLAYED


def _order_parameters(path: str, operation: dict[str, Any]) -> None:
    """Put the parameters of the path first, in their order there."""
    if parameters := operation.get("parameters"):
        parameters.sort(
            key=lambda one: path.index(f"{{{one['name']}}}") if one["in"] == "path" else len(path)
        )


def _add_examples(operation: dict[str, Any]) -> None:
    example = _examples().get(operation["operationId"], {})
    if "request" in example:
        operation["requestBody"]["content"][_JSON]["example"] = example["request"]
    if "answer" in example:
        answer = operation["responses"][str(example["status"])]
        answer["content"][_JSON]["example"] = example["answer"]
