"""Settings from the environment and from ``.env``, as pydantic-settings reads them.

Apart from ``config``, because importing pydantic-settings takes as long as embedding a
question a dozen times, and most commands run where no setting is in the environment.
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
    """By section; ``CITELOOM_SECTION__NAME``, in any case."""
    return EnvSettingsSource(_Variables)()


def from_dotenv(path: Path) -> dict[str, Any]:
    """Likewise; what other programs have there is left alone."""
    values = DotEnvSettingsSource(_Variables, env_file=path)()
    return {section: values[section] for section in Settings.model_fields if section in values}
