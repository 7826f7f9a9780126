"""Table of commands, each imported on demand, so that a command does not wait for the imports of
others."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, cast

import typer
from typer._click.exceptions import ClickException
from typer.core import TyperGroup

from citeloom.infrastructure.cli.shared.repeated_options import check_repeats, refuse_repeats
from citeloom.infrastructure.cli.shared.terminal import printable_line

_PACKAGE: Final = "citeloom.infrastructure.cli"
#: By the name of the command, in the order of the help: its module and what it is called there.
_PLACES: Final = {
    "ingest": "ingest.ingest:ingest",
    "watch": "watch.watch:watch",
    "query": "search.query:query",
    "cite": "citation.cite:cite",
    "export": "citation.export:export",
    "inspect": "projects.inspection:inspect",
    "validate": "projects.inspection:validate",
    "map": "maps.maps:map_document",
    "structure": "maps.maps:structure",
    "list": "maps.maps:list_resources",
    "check-map": "maps.maps:check_map",
    "adapt": "maps.maps:adapt",
    "read": "resources.read:read",
    "label": "resources.label:label",
    "relations": "resources.relations:relations",
    "resolve": "maps.resolve:resolve",
    "open": "maps.open_command:open_source",
    "verify": "verification.verify:verify",
    "review": "review.review:review",
    "feedback": "research.preferences:feedback",
    "references": "projects.inspection:references",
    "backup": "backup.backup:backup",
    "restore": "backup.backup:restore",
    "config": "projects.inspection:config",
    "evaluate": "evaluation.evaluate:evaluate",
    "mcp": "serve:mcp",
    "lsp": "serve:lsp",
    "demo": "serve:demo",
    "project": "projects.project:app",
    "session": "research.group:app",
    "preferences": "research.preferences:preferences_app",
    "models": "models.models:app",
    "zotero": "library.zotero:app",
}


class Commands(TyperGroup):
    """The group of all of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = cast("Any", _LazyCommands())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        check_repeats(self, ctx, args)
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _printable_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _printable_errors():
            return super().invoke(ctx)


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Errors of parsing quote what was given."""
    try:
        yield
    except ClickException as error:
        error.message = printable_line(error.message)
        raise


class _LazyCommands(Mapping[str, Any]):
    """Commands and groups, built on first access."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(name, _PLACES[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


def _made(name: str, place: str) -> Any:
    module, _, called = place.partition(":")
    command = getattr(import_module(f"{_PACKAGE}.{module}"), called)
    holder = typer.Typer(add_completion=False, rich_markup_mode=None)
    holder.callback()(_nothing)
    if isinstance(command, typer.Typer):
        holder.add_typer(command, name=name)
    else:
        holder.command(name)(command)
    made = cast("TyperGroup", typer.main.get_command(holder)).commands[name]
    refuse_repeats(made)
    return made


def _nothing() -> None:
    """With a callback it is a group, also of one command."""
