"""What a client says in ``initializationOptions``."""

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
    """The options, and what is wrong with them: then those that are right are not guessed."""
    try:
        return LspOptions.model_validate(given or {}), None
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "initializationOptions"
        known = ", ".join(to_camel(field) for field in LspOptions.model_fields)
        return LspOptions(), (
            f"initializationOptions: {name}: {first['msg']}; there are {known}. "
            "The defaults are used"
        )
