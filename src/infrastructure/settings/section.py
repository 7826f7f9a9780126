"""Base of the sections of the settings."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
