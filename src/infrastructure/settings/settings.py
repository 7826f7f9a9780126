"""Settings merged from flags, environment (``CITELOOM_*``, ``.env``), ``citeloom.toml`` and
defaults.

The first source that gives a value wins. Names are ``section.name`` in the file (``[query]`` /
``top_k = 8``) and ``CITELOOM_SECTION__NAME`` in the environment.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import BaseModel, SecretStr, ValidationError

from citeloom.domain.errors import ConfigurationError

from .sections import PREFIX, Settings

Origin = Literal["flag", "environment", ".env", "citeloom.toml", "default"]

#: The one setting outside of a section; ``CITELOOM_PROJECT`` in the environment.
PROJECT = "project"
PROJECT_VARIABLE = f"{PREFIX}{PROJECT.upper()}"
_PASSWORD_IN_URL = re.compile(r"(://[^/@:]*:).*(@)|([?&]password=)[^&]*")


class Configuration:
    """The settings, and the origin of each value."""

    def __init__(
        self,
        settings: Settings,
        layers: Mapping[Origin, Mapping[str, Any]],
        files: Mapping[Origin, Path] = MappingProxyType({}),
    ) -> None:
        self.settings = settings
        self._layers = layers
        self._files = files

    def rows(self) -> Iterator[tuple[str, str, Origin]]:
        """Name, value and origin of each setting; secrets are masked."""
        yield PROJECT, self.settings.project or "(none)", self._origin_of_project()
        for section, name, value in self._values():
            yield f"{section}.{name}", _masked(value), self._origin(section, name)

    @property
    def source_of_project(self) -> str:
        """The place that names the default project, in words."""
        origin = self._origin_of_project()
        return PROJECT_VARIABLE if origin == "environment" else f"{PROJECT} in {origin}"

    @property
    def project_above_file(self) -> str | None:
        """What names a default project and takes precedence over ``citeloom.toml``, if anything."""
        above = self._origin_of_project() in ("environment", ".env")
        return self.source_of_project if above else None

    def _origin_of_project(self) -> Origin:
        """An empty value names none; it counts if no other layer names one."""
        stated = [(origin, one[PROJECT]) for origin, one in self._layers.items() if PROJECT in one]
        naming = [origin for origin, value in stated if value]
        return next(iter(naming or [origin for origin, _ in stated]), "default")

    def secrets_in_files(self) -> Iterator[tuple[str, Path]]:
        """Names of secrets that a file holds, with the file."""
        for section, name, value in self._values():
            file = self._files.get(self._origin(section, name))
            if file is not None and _is_secret(value):
                yield f"{section}.{name}", file

    def _values(self) -> Iterator[tuple[str, str, object]]:
        for section, values in self.settings:
            if isinstance(values, BaseModel):
                for name, value in values:
                    yield section, name, value

    def _origin(self, section: str, name: str) -> Origin:
        for origin, layer in self._layers.items():
            if name in layer.get(section, {}):
                return origin
        return "default"


def load_configuration(
    toml: Path, flags: Mapping[str, Mapping[str, Any]] | None = None, env_file: Path = Path(".env")
) -> Configuration:
    """Read all sources. Raises ConfigurationError naming the setting and its source."""
    layers: dict[Origin, Mapping[str, Any]] = {
        "flag": flags or {},
        "environment": _from_environment(),
        ".env": _from_dotenv(env_file),
        "citeloom.toml": _from_toml(toml),
    }
    merged: dict[str, Any] = {}
    for layer in reversed(list(layers.values())):
        for section, values in layer.items():
            if section == PROJECT:
                merged[PROJECT] = values or merged.get(PROJECT, "")
                continue
            if not isinstance(values, Mapping):
                raise ConfigurationError(f"{section}: settings are written [section] name = value")
            merged.setdefault(section, {}).update(values)
    try:
        files: dict[Origin, Path] = {".env": env_file, "citeloom.toml": toml}
        return Configuration(Settings(**merged), layers, files)
    except ValidationError as error:
        raise _configuration_error(error, layers) from None


def _from_environment() -> dict[str, Any]:
    names = [name.lower() for name in os.environ]
    sections = tuple(f"{PREFIX.lower()}{section}__" for section in Settings.model_fields)
    if any(name.startswith(sections) for name in names):
        from .environment import from_environment

        return from_environment()
    return {PROJECT: named} if (named := os.environ.get(PROJECT_VARIABLE)) else {}


def _from_dotenv(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    from .environment import from_dotenv

    return from_dotenv(path)


def _from_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: not readable as TOML ({error}); correct it") from None


def _configuration_error(
    error: ValidationError, layers: Mapping[Origin, Mapping[str, Any]]
) -> ConfigurationError:
    first = error.errors()[0]
    location = [str(part) for part in first["loc"]]
    section = location[0]
    origin = next((o for o, layer in layers.items() if _states(layer, *location[:2])), "default")
    name = ".".join(location)
    if first["type"] == "extra_forbidden":
        section_field = Settings.model_fields.get(section)
        model = section_field.annotation if section_field else None
        names = ", ".join(
            model.model_fields
            if isinstance(model, type) and issubclass(model, BaseModel)
            else Settings.model_fields
        )
        return ConfigurationError(f"{name} ({origin}): no such setting; there are {names}")
    return ConfigurationError(f"{name} ({origin}): {first['msg']}; correct it")


def _states(layer: Mapping[str, Any], section: str, name: str | None = None) -> bool:
    held = layer.get(section)
    return section in layer and (name is None or not isinstance(held, Mapping) or name in held)


def _is_secret(value: object) -> bool:
    """A key, a token or passwords; also an address with a password in it."""
    if isinstance(value, SecretStr):
        return bool(value.get_secret_value())
    if isinstance(value, Mapping):
        return any(map(_is_secret, value.values()))
    return isinstance(value, str) and _PASSWORD_IN_URL.search(value) is not None


def _masked(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: ***" for name in value) or "(none)"
    if isinstance(value, SecretStr):
        return "***" if value.get_secret_value() else "(none)"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "(none)"
    return _PASSWORD_IN_URL.sub(r"\1\3***\2", str(value))


_TABLE: Final = re.compile(r"[ \t]*\[")
_PROJECT: Final = re.compile(rf"[ \t]*{PROJECT}[ \t]*=")
_END_COMMENT: Final = re.compile(r"[ \t]+#[^\"']*$")


def with_default_project(text: str, project_id: str) -> str:
    """The settings with ``project = "…"``; every other line stays as it is.

    Raises ConfigurationError where the text is not TOML, or writes ``project`` in a way that is not
    understood here.
    """
    setting = f'{PROJECT} = "{project_id}"'
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"not readable as TOML ({error}); correct it") from None
    changed = _changed(text, setting)
    try:
        understood = tomllib.loads(changed) == {**settings, PROJECT: project_id}
    except ValueError:
        understood = False
    if not understood:
        raise ConfigurationError(f"write {setting} there yourself, above the first [section]")
    return changed


def _changed(text: str, setting: str) -> str:
    """The line of the setting is replaced; a new one stands above the first section and the
    comment that belongs to it."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    first = next((n for n, line in enumerate(lines) if _TABLE.match(line)), len(lines))
    for number, line in enumerate(lines[:first]):
        if _PROJECT.match(line):
            comment = _END_COMMENT.search(line.rstrip("\r\n"))
            lines[number] = f"{setting}{comment.group() if comment else ''}{end}"
            return "".join(lines)
    above = first
    while 0 < above < len(lines) and lines[above - 1].lstrip().startswith("#"):
        above -= 1
    before, after = lines[:above], lines[above:]
    if before and not before[-1].endswith("\n"):
        before[-1] += end
    return "".join([*before, setting, end, *([end] if after else []), *after])
