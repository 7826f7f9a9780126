"""What a client says in ``initializationOptions``."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel


class LspOptions(BaseModel):
    """``project`` and ``workspace`` as on the command line. ``definition`` of a citation is a
    *location* (the file, for the editor to open) or the *viewer* that the system has for it."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    project: str | None = Field(default=None, min_length=1)
    workspace: str | None = Field(default=None, min_length=1)
    verify_on_save: bool = True
    definition: Literal["location", "viewer"] = "location"


def read_options(given: Any) -> tuple[LspOptions, str | None]:
    """The options that are right, and what is wrong with the others."""
    if given is not None and not isinstance(given, Mapping):
        return LspOptions(), "initializationOptions: should be an object"
    named = dict(given or {})
    try:
        return LspOptions.model_validate(named), None
    except ValidationError as error:
        wrong = {str(one["loc"][0]): one["msg"] for one in error.errors()}
        known = ", ".join(to_camel(field) for field in LspOptions.model_fields)
        reasons = "; ".join(f"{name}: {reason}" for name, reason in wrong.items())
        right = {name: value for name, value in named.items() if name not in wrong}
        return LspOptions.model_validate(right), (
            f"initializationOptions: {reasons}; there are {known}"
        )
