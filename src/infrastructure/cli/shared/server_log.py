"""The log of a server that a command starts."""

from collections.abc import Callable

from citeloom.infrastructure.cli.shared.run import note
from citeloom.infrastructure.observability.logs import ALWAYS, start_log
from citeloom.infrastructure.settings.operation_sections import LogSettings


def server_log(settings: LogSettings) -> Callable[[str], None]:
    """Start it; what the command itself has to tell goes through what is returned."""
    start_log(settings.format, settings.level)
    if settings.format == "json":
        return lambda told: ALWAYS.info("%s", told)
    return note
