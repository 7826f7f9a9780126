"""Plugin adapter: a user's Python file whose function ``adapt`` makes the map."""

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from citeloom.application.ports.maps import SourceFile
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.resource_map import ResourceMap
from citeloom.infrastructure.maps.registry import validated

FUNCTION = "adapt"
_MODULE = "citeloom_adapter"


class PluginAdapter:
    """Runs ``adapt(path)`` of the file ``plugin``, in this process and with the user's rights.

    ``path`` is the input's absolute ``pathlib.Path``; the function returns a dict in the
    shape of a ResourceMap (as for ``GenericAdapter``) or a ResourceMap.
    """

    def __init__(self, plugin: Path) -> None:
        self._plugin = plugin

    def map(self, source: SourceFile, created_at: datetime) -> ResourceMap:
        returned = self._run(source.path)
        if isinstance(returned, ResourceMap):
            returned = returned.model_dump(mode="json")
        if not isinstance(returned, Mapping):
            raise InvalidRequest(
                f"{self._plugin.name}: {FUNCTION}() returned {type(returned).__name__}, not a dict"
            )
        return validated(returned, source, created_at)

    def _run(self, path: Path) -> object:
        try:
            spec = importlib.util.spec_from_file_location(_MODULE, self._plugin)
            if spec is None or spec.loader is None:
                raise InvalidRequest(f"{self._plugin.name}: cannot be loaded as Python")
            module = importlib.util.module_from_spec(spec)
            sys.modules[_MODULE] = module  # dataclasses look their module up there
            spec.loader.exec_module(module)
            function = getattr(module, FUNCTION, None)
            if not callable(function):
                raise InvalidRequest(
                    f"{self._plugin.name}: has no function {FUNCTION}(path); define it to return "
                    "a resource map as a dict"
                )
            return function(path)
        except InvalidRequest:
            raise
        except Exception as error:  # the user's code may raise anything
            raise InvalidRequest(
                f"{self._plugin.name}: {_error_text(error, self._plugin)}"
            ) from error
        finally:
            sys.modules.pop(_MODULE, None)


def _error_text(error: Exception, plugin: Path) -> str:
    """The error, with its line in the plugin."""
    message = f"{type(error).__name__}: {error}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(plugin)]
    return f"line {frames[-1].lineno}: {message}" if frames else message
