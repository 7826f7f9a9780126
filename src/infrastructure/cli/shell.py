"""The shell's view of the commands: completion, words of questions, help of groups."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer
from typer._click.exceptions import NoSuchOption
from typer.core import TyperGroup

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.system.workspace import WORKSPACE_VARIABLE

from .shared.terminal import print_line, printable_line

if TYPE_CHECKING:
    from citeloom.application.ports.catalogue import StoredDocument
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.composition.application import Application


class CommandGroup(TyperGroup):
    """Typer's group cuts the sentences to the width of the terminal; here they are wrapped."""

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        listed = {name: one for name, one in self.commands.items() if not one.hidden}
        with formatter.section("Commands"):
            rows = [(name, _first_sentence(one.help or "")) for name, one in listed.items()]
            formatter.write_dl(rows)


class DefaultedGroup(CommandGroup):
    """A group that runs its first command if none is named, with the options of that command."""

    def make_parser(self, ctx: Any) -> Any:
        parser = super().make_parser(ctx)
        parser.ignore_unknown_options = True
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [next(iter(self.commands)), *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Commands, then the arguments of the first one."""
        first = next(iter(self.commands.values()))
        taken = next(one for one in first.params if one.param_type_name == "argument")
        return [*super().shell_complete(ctx, incomplete), *taken.shell_complete(ctx, incomplete)]


Offer = tuple[str, str]
_COMMON, _FEW = 3, 6


def part_options(command: Any) -> None:
    """Make the help of a command and of its subcommands list the common options first, and those
    that few people need under a heading of their own."""
    for below in getattr(command, "commands", {}).values():
        part_options(below)

    def format_options(ctx: Any, formatter: Any) -> None:
        arguments: list[Offer] = []
        options: list[Offer] = []
        for one in command.get_params(ctx):
            if record := one.get_help_record(ctx):
                (options if one.param_type_name == "option" else arguments).append(record)
        common = len(options) if len(options) <= _FEW else _COMMON
        help_last = [*options[:common], options[-1]] if common < len(options) else options
        for title, rows in (
            ("Arguments", arguments),
            ("Options", help_last),
            ("More options", options[common:-1]),
        ):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if hasattr(command, "commands"):
            command.format_commands(ctx, formatter)

    command.format_options = format_options


def show_help(
    context: typer.Context,
    topic: Annotated[
        list[str] | None, typer.Argument(help="A group of commands, or a command.")
    ] = None,
) -> None:
    """List the commands of a group, or show the help of a command."""
    root = context.find_root()
    for line in cast("Any", root.command).help_on(root, topic or []).splitlines():
        print_line(line)


def _first_sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


_LONGEST: Final = 60


def offer_projects(context: typer.Context, incomplete: str) -> list[Offer]:
    """Projects, without the namespace ``local/``."""
    with _opened(context) as opened:
        if opened is None:
            return []
        from citeloom.domain.projects.project import DEFAULT_NAMESPACE

        ids = [project.id.value for project in opened.stores.catalogue.projects()]
        names = {id.removeprefix(f"{DEFAULT_NAMESPACE}/"): id for id in ids}
        return [(name, id) for name, id in names.items() if name.startswith(incomplete)]


def offer_keys(context: typer.Context, incomplete: str) -> list[Offer]:
    """Citation keys of the project on the line, else of the default, else of all; with author, year
    and title. Where no key fits, titles up to their colon."""
    with _opened(context) as opened:
        if opened is None:
            return []
        cited = {
            citation.citekey: document
            for project_id in _projects(opened, context)
            for document in opened.stores.catalogue.documents(project_id)
            if (citation := document.citation)
        }
        found = {key: _words(one) for key, one in cited.items() if key.startswith(incomplete)}
        if not found and incomplete:
            found = {
                _as_word(title): f"{key} {_words(one)}"
                for key, one in cited.items()
                if one.citation and (title := one.citation.title.partition(":")[0])
                if title.casefold().startswith(incomplete.casefold())
            }
        return sorted(found.items())


def _as_word(title: str) -> str:
    """bash takes a completion as it is, if no quotation mark is open."""
    line = os.environ.get("COMP_WORDS", "")
    is_bash = os.environ.get("_CITELOOM_COMPLETE") == "complete_bash"
    if not is_bash or line.count('"') % 2:
        return title
    return re.sub(r"[^\w@%+=,./-]", r"\\\g<0>", title)


def offer_sessions(context: typer.Context, incomplete: str) -> list[Offer]:
    """Ids of sessions with their questions; for ``restore`` those of the deleted ones."""
    with _opened(context) as opened:
        if opened is None:
            return []
        from citeloom.application.ports.research import SessionFilter

        found = opened.research.sessions.list(SessionFilter(deleted=context.info_name == "restore"))
        offers = [(str(one.id), printable_line(one.question)[:_LONGEST]) for one in found]
        return [offer for offer in offers if offer[0].startswith(incomplete)]


def offer_models(context: typer.Context, incomplete: str) -> list[Offer]:
    """Models by name, with what they are for."""
    with _opened(context) as opened:
        models = opened.models.catalogue.list() if opened else []
        named = [(one.model.name, one.model.kind.value) for one in models]
        return [(name, kind) for name, kind in named if name.startswith(incomplete)]


def offer_styles(incomplete: str) -> list[str]:
    """The styles that come with CiteLoom."""
    from citeloom.application.ports.citation import STYLE_NAMES

    return [name for name in STYLE_NAMES if name.startswith(incomplete)]


@contextmanager
def _opened(context: typer.Context) -> "Iterator[Application | None]":
    """The application for the line being typed; None without one: completion reports no errors."""
    from citeloom.infrastructure.composition.application import open_application

    named = context.params.get("workspace") or context.find_root().params.get("workspace")
    path = named or os.environ.get(WORKSPACE_VARIABLE)
    try:
        opened = open_application(Path(path) if path else None)
    except (CiteLoomError, OSError):
        yield None
        return
    try:
        yield opened
    finally:
        opened.close()


def _projects(opened: "Application", context: typer.Context) -> "list[ProjectId]":
    named = context.params.get("project")
    names = named if isinstance(named, list) else [named] if named else []
    try:
        if names:
            return [opened.projects.choice(name) for name in names]
        if (default := opened.projects.choice.default()) is not None:
            return [default]
    except CiteLoomError:
        return []
    return [project.id for project in opened.stores.catalogue.projects()]


def _words(document: "StoredDocument") -> str:
    assert document.citation is not None
    citation = document.citation
    first = citation.authors[0] if citation.authors else ""
    words = " ".join(str(part) for part in (first, citation.year or "", citation.title) if part)
    return printable_line(words)[:_LONGEST]


#: Names of the arguments that hold a question.
QUESTIONS: Final = ("text", "question")
_HINT: Final = 'a question with -term is written in quotation marks: "tidy data -term"'


def joined(words: list[str]) -> str:
    """The question, which a shell has split at its blanks."""
    return " ".join(words)


def take_dashed_words(command: Any) -> None:
    """Make a command that is asked a question take ``"-term other"`` for words: an argument that
    begins with a dash and has a blank is not an option."""
    if not any(each.name in QUESTIONS and each.nargs == -1 for each in command.params):
        return
    parse = command.parse_args

    def parse_args(context: Any, arguments: list[str]) -> Any:
        try:
            return parse(context, _dashed_last(command, arguments))
        except NoSuchOption as error:
            name = error.option_name
            if name == "--output" or (name == "-o" and name in arguments):
                named = (one.type.choices for one in command.params if "--format" in one.opts)
                formats = ", ".join(next(named, ("text", "json (--json)")))
                error.message += f"; {command.name} prints {formats}; add > FILE to keep it"
            elif not name.startswith("--"):
                error.message += f"; {_HINT}"
            raise

    command.parse_args = parse_args


def _dashed_last(command: Any, arguments: list[str]) -> list[str]:
    """The arguments, with words that begin with a dash behind ``--``. Their order among the others
    does not matter: each says what must not occur."""
    if "--" in arguments:
        return arguments
    takes_value = {
        name
        for each in command.params
        if each.param_type_name == "option" and not each.is_flag
        for name in each.opts
    }
    dashed = [
        argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
        if argument.startswith("-") and " " in argument.split("=")[0] and before not in takes_value
    ]
    kept = [argument for argument in arguments if argument not in dashed]
    return [*kept, "--", *dashed] if dashed else arguments
