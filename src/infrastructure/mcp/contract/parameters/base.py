"""Base class and value types of the parameters."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

Text = Annotated[str, Field(min_length=1)]
Texts = str | list[str]
Offset = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]


def _described_once(schema: dict[str, Any], kind: type[Any]) -> None:
    """What a class inherits is described in the schema of the class that declares it."""
    for name, part in schema.get("properties", {}).items():
        if name not in kind.__annotations__:
            part.pop("description", None)


class Parameters(BaseModel):
    """Types are not converted (``"6"`` is no number), unknown parameters are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        str_strip_whitespace=True,
        json_schema_extra=_described_once,
    )
