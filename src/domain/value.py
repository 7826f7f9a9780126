"""The base of all domain values."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen, strictly shaped value: unknown fields are refused, fields never change."""

    model_config = ConfigDict(frozen=True, extra="forbid")
