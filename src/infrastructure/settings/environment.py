"""Settings of the environment and of ``.env``, read by pydantic-settings.

A module of its own: importing pydantic-settings takes a dozen times as long as embedding a
question, and most commands run without a setting in the environment.
"""

from pathlib import Path
from typing import Any

from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    SettingsConfigDict,
)

from citeloom.infrastructure.settings.sections import PREFIX, Settings


class _Variables(Settings, BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )


def from_environment() -> dict[str, Any]:
    """Values by section; names are ``CITELOOM_SECTION__NAME``, in any case."""
    return EnvSettingsSource(_Variables)()


def from_dotenv(path: Path) -> dict[str, Any]:
    """Values by section; variables of other programs are ignored."""
    values = DotEnvSettingsSource(_Variables, env_file=path)()
    return {section: values[section] for section in Settings.model_fields if section in values}
