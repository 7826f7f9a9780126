"""Table of commands, each imported on demand, so that a command does not wait for the imports of
others."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, cast

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup

from citeloom.infrastructure.plugins import CommandEntry, install_line, plugins

from .shared.frame import framed
from .shared.options import check_repeats, refuse_repeats
from .shared.terminal import printable_line
from .shell import part_options, take_dashed_words

_PACKAGE: Final = "citeloom.infrastructure.cli"


Entry = CommandEntry

#: By section and name, in the order of the help.
SECTIONS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "Library": {
        "ingest": Entry("ingest:ingest", "Read papers, or a Zotero library, into a project."),
        "add": Entry("edit:add", "Add works by DOI, arXiv id, PMID, ISBN, web address or BibTeX."),
        "watch": Entry("watch:watch", "Keep a project up to date with its folders."),
        "list": Entry("maps:list_papers", "List papers: key, authors, year, title, pages."),
        "edit": Entry("edit:edit", "Change the citation, tags, note or status of a paper."),
        "undo": Entry("edit:undo", "Take back the last edit."),
        "remove": Entry("edit:remove", "Remove papers; their files stay."),
        "duplicates": Entry("edit:duplicates", "List copies of one paper, or merge them."),
        "identify": Entry("ingest:identify", "Look up papers at public services."),
        "references": Entry("projects:references", "List the works that a document cites."),
        "relations": Entry("places.relations:relations", "List who cites whom."),
        "zotero": Entry("zotero:app", "Browse your Zotero library."),
    },
    "Ask": {
        "query": Entry("search.query:query", "Find passages that answer a question, with pages."),
        "ask": Entry("search.ask:ask", "Answer in checked sentences, or in the best quotations."),
        "open": Entry("places.places:open_source", "Open the page of a hit or citation."),
        "read": Entry("places.places:read", "Print a document, or a part of it."),
        "resolve": Entry("places.places:resolve", "Cut what an address names out of its file."),
        "review": Entry("review:review", "Answer a question from many passages, with pages."),
        "table": Entry("search.table:table", "Ask every paper the same questions: a row a paper."),
        "session": Entry("review:app", "Show, resume, compare and export reviews."),
        "feedback": Entry("preferences:feedback", "Rate the report of a review."),
        "preferences": Entry("preferences:preferences_app", "Set the defaults of reviews."),
    },
    "Write": {
        "cite": Entry("citation:cite", "Print a citation to paste into a manuscript."),
        "export": Entry("citation:export", "Write the works for reference managers."),
    },
    "Check": {
        "verify": Entry("verification:verify", "Check each citation of a draft at its source."),
        "validate": Entry("projects:validate", "Find damage and gaps in the library."),
    },
    "Server": {
        "serve": Entry("serve:serve", "Serve the library over HTTP, and to agents (MCP) at /mcp."),
        "mcp": Entry("mcp:app", "Serve the library to agents (Model Context Protocol)."),
    },
    "Admin": {
        "doctor": Entry("doctor:doctor", "Say what works, what is missing and what comes next."),
        "project": Entry("projects:app", "List, choose, create, move and delete projects."),
        "models": Entry("models:app", "List, fetch, use and drop embedding models."),
        "config": Entry("projects:config", "Show each setting and where it is set."),
        "backup": Entry("backup:backup", "Save the whole workspace in one file."),
        "restore": Entry("backup:restore", "Put a backup in place."),
        "demo": Entry("serve:demo", "Try CiteLoom on four sample papers."),
        "help": Entry("shell:show_help", "List a group of commands, or show the help of one."),
    },
    "Maps": {
        "map": Entry("maps:app", "Print, draw, check, label or inspect the parts of a document."),
    },
}
#: Former spellings of what is now below ``map``. They work and are not listed.
FORMER: Final[Mapping[str, str]] = {
    "structure": "maps:structure",
    "check-map": "maps:check_map",
    "label": "places.places:label",
    "inspect": "projects:inspect",
}
#: Commands of the first screen, in its order; the others are listed by group.
FIRST: Final = (
    "ingest", "add", "list", "query", "open", "read",
    "cite", "verify", "review", "table", "serve", "export",
)  # fmt: skip
#: Commands of packages that an extra brings, by its name.
EXTRAS: Final[Mapping[str, str]] = {
    "access": "server",
    "adapt": "maps",
    "audit": "server",
    "catalogue": "server",
    "evaluate": "evaluation",
    "lsp": "lsp",
    "plan": "server",
}
_LONGEST: Final = 8  # letters of a name on the first screen
_PLACES: Final[Mapping[str, str]] = {
    **FORMER,
    **{name: one.place for section in SECTIONS.values() for name, one in section.items()},
}


def all_sections() -> Mapping[str, Mapping[str, Entry]]:
    """The sections of the core, then the sections of plugins."""
    sections = {title: dict(entries) for title, entries in SECTIONS.items()}
    for plugin in plugins():
        for title, entries in plugin.commands().items():
            sections.setdefault(title, {}).update(entries)
    return sections


def write_entries(formatter: Any, entries: Mapping[str, Entry]) -> None:
    """Names and sentences of commands, as the help lists them."""
    formatter.write_dl([(name.ljust(_LONGEST), one.sentence) for name, one in entries.items()])


def all_entries() -> dict[str, Entry]:
    return {name: one for section in all_sections().values() for name, one in section.items()}


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands = cast("Any", _LazyCommands())

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        known = all_entries()
        with formatter.section("Commands"):
            write_entries(formatter, {name: known[name] for name in FIRST if name in known})
        others = {
            title.lower(): ", ".join(name for name in entries if name not in FIRST)
            for title, entries in all_sections().items()
        }
        with formatter.section("More commands, with `citeloom help GROUP`"):
            rows = [(name.ljust(_LONGEST), names) for name, names in others.items() if names]
            formatter.write_dl(rows)

    def help_on(self, ctx: Any, topic: list[str]) -> str:
        """The help of the program, of a group of commands or of a command. Raises UsageError."""
        sections = {title.lower(): entries for title, entries in all_sections().items()}
        if len(topic) == 1 and (entries := sections.get(topic[0].lower())):
            formatter = ctx.make_formatter()
            write_entries(formatter, entries)
            return str(formatter.getvalue().rstrip())
        command: Any = self
        for name in topic:
            command = getattr(command, "commands", {}).get(name)
            if command is None:
                groups = ", ".join(sections)
                raise UsageError(f"no command or group {' '.join(topic)}; groups: {groups}")
            ctx = command.context_class(command, info_name=name, parent=ctx)
        return str(command.get_help(ctx))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Commands by the table: none is imported for its help."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=one.sentence)
            for name, one in all_entries().items()
            if name.startswith(incomplete)
        ]

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
    """Errors of parsing quote their input; a help has its own lines."""
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except ClickException as error:
        error.message = printable_line(error.message)
        raise


class _LazyCommands(Mapping[str, Any]):
    """Commands and groups, built on first access."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(name, _place(name))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        known = all_entries()
        first = [name for name in FIRST if name in known]
        return iter(dict.fromkeys([*first, *known]))

    def __len__(self) -> int:
        return len(all_entries())


def _place(name: str) -> str:
    """``module:name`` of a command; plugins may add commands. Raises KeyError, and UsageError for a
    command of a package that is not installed."""
    if place := _PLACES.get(name):
        return f"{_PACKAGE}.{place}"
    if entry := all_entries().get(name):
        return entry.place
    if extra := EXTRAS.get(name):
        raise UsageError(f"{name} is not installed; run {install_line(extra)}")
    raise KeyError(name)


def _made(name: str, place: str) -> Any:
    module, _, called = place.partition(":")
    command = getattr(import_module(module), called)
    holder = typer.Typer(add_completion=False, rich_markup_mode=None)
    holder.callback()(_nothing)
    if isinstance(command, typer.Typer):
        holder.add_typer(command, name=name)
    else:
        holder.command(name)(framed(command))
    made = cast("TyperGroup", typer.main.get_command(holder)).commands[name]
    refuse_repeats(made)
    take_dashed_words(made)
    part_options(made)
    return made


def _nothing() -> None:
    """With a callback it is a group, also of one command."""
