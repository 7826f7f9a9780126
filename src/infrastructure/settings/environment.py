"""Settings of the environment and of ``.env``, read by pydantic-settings.

A module of its own: importing pydantic-settings takes a dozen times as long as embedding a
question, and most commands run without a setting in the environment.
"""

import json
from pathlib import Path
from typing import Any

from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    SettingsConfigDict,
)

from .sections import PREFIX, Settings


class _Variables(Settings, BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )


class _PlainTexts:
    """A list or table may be written as JSON; other text is for its setting to read or refuse."""

    def decode_complex_value(self, _name: str, _field: Any, value: Any) -> Any:
        try:
            return json.loads(value)
        except ValueError:
            return value


class _Environment(_PlainTexts, EnvSettingsSource):
    """Variables of the process."""


class _DotEnv(_PlainTexts, DotEnvSettingsSource):
    """Variables of ``.env``."""


def from_environment() -> dict[str, Any]:
    """Values by section; names are ``CITELOOM_SECTION__NAME``, in any case."""
    return _Environment(_Variables)()


def from_dotenv(path: Path) -> dict[str, Any]:
    """Values by section; variables of other programs are ignored."""
    values = _DotEnv(_Variables, env_file=path)()
    return {section: values[section] for section in Settings.model_fields if section in values}
