"""The frame of a command: its options, the application that it is given, its output."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, Final, NamedTuple, get_type_hints

import typer

from citeloom.infrastructure.cli.shell import CommandGroup

from .options import JsonOption, WorkspaceOption
from .output import print_json, print_table
from .run import application, in_this_shell, note, warn
from .terminal import print_line


class Table(NamedTuple):
    """Rows below their headings; names and values if the headings are empty. ``empty`` is printed
    without rows; ``cut`` are the columns that may be cut, and their least widths."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    empty: str = ""
    title: str | None = None
    cut: Mapping[str, int] | None = None


def facts(rows: Sequence[Sequence[str]]) -> Table:
    """Names and values."""
    return Table(("", ""), rows)


@dataclass(frozen=True)
class Output:
    """The output of a command: ``document`` with --json, else ``shown`` (a line, a table, or a
    function that prints) and, on stderr, ``warnings`` and ``notes``. ``code`` is the exit code."""

    document: Any
    shown: str | Table | Callable[[], None] | None = None
    warnings: Iterable[str] = ()
    notes: Iterable[str] = ()
    code: int = 0

    def print(self, *, as_json: bool) -> None:
        """Ends the command where the exit code is not 0."""
        if as_json:
            print_json(self.document)
        elif isinstance(self.shown, Table):
            if self.shown.rows or not self.shown.empty:
                print_table(self.shown.title, self.shown.columns, self.shown.rows, self.shown.cut)
            else:
                print_line(in_this_shell(self.shown.empty))
        elif isinstance(self.shown, str):
            print_line(in_this_shell(self.shown))
        elif self.shown is not None:
            self.shown()
        if not as_json:
            warn(self.warnings)
            for line in self.notes:
                note(line)
        if self.code:
            raise typer.Exit(self.code)


_CONTEXT: Final = Parameter("_context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
_JSON: Final = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
_WORKSPACE: Final = Parameter(
    "workspace", Parameter.KEYWORD_ONLY, default=None, annotation=WorkspaceOption
)


def framed(command: Callable[..., Any]) -> Callable[..., None]:
    """``command`` as typer reads it. A parameter that is a dataclass becomes one parameter for each
    field. A command with ``opened`` gets the application, which is closed at its end, and the
    option --workspace, the settings that ``flags`` of its dataclasses set, and --json if it returns
    an ``Output``. Errors are JSON if ``as_json`` is set or the format ``output`` is json."""
    hints = get_type_hints(command, localns={"Application": object}, include_extras=True)
    opens, answers = "opened" in hints, hints.pop("return", None) is Output
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    if not opens and not groups:
        return command
    parameters = [_CONTEXT] if opens else []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        elif name != "opened":
            kind = Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hints[name], kind=kind))
    parameters += [*([_JSON] if answers else []), *([_WORKSPACE] if opens else [])]

    @wraps(command)
    def run(**values: Any) -> None:
        as_json = _wants_json(values)
        if "as_json" in values:
            values["as_json"] = as_json
        context, workspace = values.pop("_context", None), values.pop("workspace", None)
        flags: dict[str, Any] = {}
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
            flags |= getattr(values[name], "flags", {})
        if not opens:
            command(**values)
            return
        if answers:
            del values["as_json"]
        with application(workspace, flags, as_json=as_json, owner=_name(context)) as opened:
            answer = command(opened, **values)
            if answers:
                answer.print(as_json=as_json)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def group(
    help: str,
    unlisted: Sequence[str] = (),
    kind: type[CommandGroup] = CommandGroup,
    **commands: Callable[..., object],
) -> typer.Typer:
    """Commands below a name, by their names; the help does not list those of ``unlisted``."""
    made = typer.Typer(cls=kind, help=help, no_args_is_help=True)
    for name, command in commands.items():
        made.command(name, hidden=name in unlisted)(framed(command))
    return made


def _parameters(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]


def _wants_json(values: dict[str, Any]) -> bool:
    return bool(values.get("as_json")) or getattr(values.get("output"), "value", None) == "json"


def _name(context: typer.Context) -> str:
    """``citeloom`` and the names of the command."""
    names, above = [str(context.info_name)], context.parent
    while above and above.parent:
        names.insert(0, str(above.info_name))
        above = above.parent
    return " ".join(["citeloom", *names])
