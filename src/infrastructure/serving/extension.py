"""What packages add to a server: its principals."""

from importlib import import_module
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.plugins import install_line, plugins
from citeloom.infrastructure.serving.served import Principals
from citeloom.infrastructure.serving.serving import Serving

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class ServerExtension:
    """Adds nothing to servers of a workspace; that of a package overrides what it adds."""

    def __init__(self, application: "Application") -> None:
        self.application = application

    def principals(self) -> Principals | None:
        """Those of the workspace; None where it has none. Raises StorageFailed, and
        ConfigurationError where nothing is installed that knows them: it is for nobody else."""
        if self.application.stores.has_principals:
            raise ConfigurationError(
                "this workspace has principals, and what serves each its own is not installed; "
                f"run {install_line('server')}"
            )
        return None

    def serving(self) -> Serving:
        """The workspace, for everybody or for each principal its own. Raises as ``principals``."""
        return Serving(self.application, self.principals())


def server_extension(application: "Application") -> ServerExtension:
    """That of the first plugin that has one."""
    for place in filter(None, (plugin.server() for plugin in plugins())):
        module, _, name = place.partition(":")
        extension = getattr(import_module(module), name)(application)
        assert isinstance(extension, ServerExtension), place
        return extension
    return ServerExtension(application)
