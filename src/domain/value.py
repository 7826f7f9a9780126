"""Base class of domain values."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen pydantic model without extra fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
