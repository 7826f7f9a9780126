"""Map adapters by name, or by the path of a Python file."""

from pathlib import Path

from citeloom.application.ports.maps import MapAdapter
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.maps.registry import GenericAdapter

from .foreign_maps import GraphRagAdapter, LlamaIndexAdapter
from .python_adapter import PluginAdapter

NAMES = ("graphrag", "llamaindex", "generic")


def adapter_of(name: str) -> MapAdapter:
    """The adapter called so, or the one in the Python file at this path."""
    match name:
        case "graphrag":
            return GraphRagAdapter()
        case "llamaindex":
            return LlamaIndexAdapter()
        case "generic":
            return GenericAdapter()
    plugin = Path(name).expanduser().absolute()
    if plugin.suffix == ".py":
        if plugin.is_file():
            return PluginAdapter(plugin)
        raise InvalidRequest(f"{name}: no such file", parameter="adapter")
    raise InvalidRequest(
        f"{name}: no such adapter; there are {', '.join(NAMES)}, and any .py file with a function "
        "adapt(path)",
        parameter="adapter",
    )
