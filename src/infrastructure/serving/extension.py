"""Server additions of packages: principals and operation."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.plugins import install_line, plugins

from .lanes import Lane
from .served import CallAudit, Principals
from .serving import Serving

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp

    from citeloom.infrastructure.composition.application import Application

#: Settings of the operation, by section: a server that has none refuses them.
_OPERATION: Final[Mapping[str, Sequence[str]]] = {
    "serve": ("metrics_token", "traces"),
    "log": ("access",),
    "quota": ("requests_per_minute",),
}


class Operation:
    """ASGI applications around those of a server; this one adds none."""

    def recorded(self, rest: "FastAPI") -> "ASGIApp":
        """Around the REST interface and the page."""
        return rest

    def once(self, _app: "ASGIApp") -> "ASGIApp | None":
        """Around that: does requests with an ``Idempotency-Key`` once; None: it cannot."""
        return None

    def known(self, app: "ASGIApp") -> "ASGIApp":
        """For requests behind the login."""
        return app

    def public(self, app: "ASGIApp") -> "ASGIApp":
        """Before the login, within the headers that all answers have."""
        return app

    def observed(self, app: "ASGIApp") -> "ASGIApp":
        """Runs before all other middleware."""
        return app


class ServerExtension:
    """Adds nothing to servers of a workspace; a package overrides what it adds."""

    def __init__(self, application: "Application") -> None:
        self.application = application

    def principals(self) -> Principals | None:
        """The principals of the workspace; None without any. Raises StorageFailed, and
        ConfigurationError if the package for principals is not installed, because the workspace
        then serves nobody."""
        if self.application.stores.has_principals:
            raise ConfigurationError(
                "this workspace has users, and the package that serves them is not installed; "
                f"run {install_line('server')}"
            )
        return None

    def call_audit(self) -> CallAudit | None:
        """Raises ConfigurationError for settings of packages that are not installed."""
        self._refuse_settings({"audit": ("days", "reads")})
        return None

    def operation(self, _serving: Serving, _lanes: Sequence[Lane] = ()) -> Operation:
        """The operation of a server over HTTP; ``lanes`` are those of its REST interface. Raises
        ConfigurationError for settings of packages that are not installed."""
        self._refuse_settings(_OPERATION)
        return Operation()

    def serving(self) -> Serving:
        """The workspace, for everybody or for each principal its own. Raises as ``principals``
        and ``call_audit``."""
        return Serving(self.application, self.principals(), self.call_audit())

    def _refuse_settings(self, names: Mapping[str, Sequence[str]]) -> None:
        for name in names:
            section = getattr(self.application.settings, name)
            for field in names[name]:
                if getattr(section, field) != type(section).model_fields[field].default:
                    raise ConfigurationError(
                        f"{name}.{field}: needs a part that is not installed; run "
                        f"{install_line('server')}, or leave the setting out",
                        setting=f"{name}.{field}",
                    )


def server_extension(application: "Application") -> ServerExtension:
    """The extension of the first plugin that has one."""
    for place in filter(None, (plugin.server() for plugin in plugins())):
        module, _, name = place.partition(":")
        extension = getattr(import_module(module), name)(application)
        assert isinstance(extension, ServerExtension), place
        return extension
    return ServerExtension(application)
