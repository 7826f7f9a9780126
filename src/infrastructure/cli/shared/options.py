"""Options shared by several commands."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.cli.shell import offer_keys, offer_models, offer_projects

Format = TypeVar("Format", bound=StrEnum)


def format_of(chosen: Format | None, file: Path | None, *formats: Format) -> Format | None:
    """The chosen format, or that of the suffix of a file, if there is one: the first, Markdown, for
    text or no suffix. Raises InvalidRequest."""
    if file is None and chosen in ("docx", "xlsx"):
        raise InvalidRequest(f"{chosen} needs a file: -o FILE.{chosen}", parameter="output")
    if chosen is not None or file is None:
        return chosen
    suffix, known = file.suffix.lower(), {".md": formats[0]} | {f".{f}": f for f in formats[1:]}
    if suffix not in (*known, "", ".txt", ".markdown"):
        use = f"no output format has the suffix {suffix}; use {', '.join(known)}"
        raise InvalidRequest(f"{file}: {use}", parameter="output")
    return known.get(suffix, formats[0])


ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        autocompletion=offer_projects,
        help="Name of the project. [default: the one in use]",
    ),
]
AnyProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        autocompletion=offer_projects,
        help="Name of the project. [default: all projects]",
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        # Not read by the option itself: it stands at the root and at each command, and a value
        # of the environment at one would hide a flag at the other.
        help="Workspace folder. [default: CITELOOM_WORKSPACE, else the one around this folder]",
    ),
]
FiltersOption = Annotated[
    list[str] | None,
    typer.Option("--filter", help="KEY=VALUE or KEY!=VALUE, repeatable, as in `citeloom query`."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", help="Also fingerprints, weights and names of the index.")
]
DropOldOption = Annotated[
    bool, typer.Option("--drop-old", help="Delete the vectors of the previous model.")
]
PasswordOption = Annotated[
    str | None,
    typer.Option(
        "--password",
        envvar="CITELOOM_PASSWORD",
        help="Password of protected PDFs; pdf.passwords of the configuration takes precedence.",
    ),
]
DOCUMENT = (
    "Citation key or its beginning, title or part of it, file, DOI, arXiv id, id or the beginning "
    "of one, doc:// or ndk:// address, or [@key, p. 5]"
)
DocumentArgument = Annotated[str, typer.Argument(autocompletion=offer_keys, help=f"{DOCUMENT}.")]
DocumentsArgument = Annotated[
    list[str] | None, typer.Argument(autocompletion=offer_keys, help=f"{DOCUMENT}.")
]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(help="Files and folders (searched recursively).")
]
ModelOption = Annotated[
    str | None,
    typer.Option(autocompletion=offer_models, help="Embedding model of a new project."),
]
SentencesOption = Annotated[
    bool | None,
    typer.Option(
        "--sentences/--no-sentences",
        help="Embed each sentence too (better ranking, about twice the time). "
        "[default: as stored with the project; --sentences for a new one]",
    ),
]


def refuse_repeats(command: Any) -> None:
    """Make a command, and those below it, refuse an option of one value that is given twice: the
    last one would win without a word."""
    for below in getattr(command, "commands", {}).values():
        refuse_repeats(below)
    parse = command.parse_args

    def parse_args(context: Any, arguments: list[str]) -> Any:
        check_repeats(command, context, arguments)
        return parse(context, arguments)

    command.parse_args = parse_args


def check_repeats(command: Any, context: Any, arguments: list[str]) -> None:
    """Raise a usage error where an option of one value is given twice to ``command`` itself. While
    the shell completes a line nothing is refused."""
    if context.resilient_parsing:
        return
    _, _, given = command.make_parser(context).parse_args(list(arguments))
    for option in given:
        if _has_one_value(option) and given.count(option) > 1:
            raise typer.BadParameter("is given twice; name one", ctx=context, param=option)


def _has_one_value(option: Any) -> bool:
    if option.param_type_name != "option":
        return False
    return not (option.is_flag or option.count or option.multiple)
