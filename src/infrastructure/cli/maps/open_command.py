"""The command ``open``: a hit, a citation or a document in the user's viewer."""

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.shared.option_groups import with_option_groups
from citeloom.infrastructure.cli.shared.options import (
    AnyProjectOption,
    JsonOption,
    PasswordOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note, warn
from citeloom.infrastructure.cli.shared.terminal import print_line, set_clipboard

if TYPE_CHECKING:
    from citeloom.application.places.cut import OpenedSource, SourcePlace


class CopyOption(StrEnum):
    CITATION = "citation"
    QUOTATION = "quotation"


TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="HIT|DOCUMENT",
        help='Number of a hit of the last question; "[@key, p. 5]"; an address; or a document.',
    ),
]


@dataclass(frozen=True)
class OpenOptions:
    """What is shown, and how."""

    page: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Page of the document, as printed on it.")
    ] = None
    quote: Annotated[
        str | None, typer.Option(metavar="TEXT", help="PDF: mark these words. [default: the hit's]")
    ] = None
    path_only: Annotated[
        bool, typer.Option("--print", help="Print the path of the file and show nothing.")
    ] = False
    copied: Annotated[
        CopyOption | None,
        typer.Option("--copy", help="Put this on the clipboard and show nothing."),
    ] = None


@with_option_groups
def open_source(
    target: TargetArgument,
    options: OpenOptions,
    project: AnyProjectOption = None,
    password: PasswordOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Open a hit, a citation or a document in your viewer, at its page, with the words marked."""
    with application(workspace, as_json=as_json, owner="citeloom open") as opened:
        from citeloom.application.places.cut import OpenRequest
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_json
        from citeloom.infrastructure.system.viewer import show

        request = OpenRequest(
            project_id=ProjectId.parse(project) if project else None,
            name=target,
            page=options.page,
            quote=options.quote,
            password=password,
        )
        if options.copied is not None:
            text = _copied(opened.maps.cut.place(request), options.copied)
            _to_clipboard(text)
            if as_json:
                print_json({"copied": text})
            else:
                note(f"copied: {text}")
            return
        source = opened.maps.cut.open(request)
        warn(source.warnings)
        if not options.path_only:
            show(source.path, source.page, opened.settings.open.viewer)
        if as_json:
            print_json(_document(source))
            return
        if options.path_only:
            print_line(str(source.path))
        note(_told(source))


def _told(source: "OpenedSource") -> str:
    """``[@key, p. 5]  Title`` with what is marked, and the question of the hit."""
    place = source.place
    page = f"PDF p. {source.page}" if source.page and not place.labels else ""
    named = place.citation or ", ".join(filter(None, (place.title, page)))
    title = place.title if place.citation else ""
    marked = f"marked: “{' '.join(place.quote.split())}”" if source.marked and place.quote else ""
    asked = f"asked: {place.question}" if place.question else ""
    return "  ".join(filter(None, (named, title, marked, asked)))


def _copied(place: "SourcePlace", what: CopyOption) -> str:
    from citeloom.domain.errors import InvalidRequest

    if what is CopyOption.CITATION and place.citation:
        return place.citation
    if what is CopyOption.QUOTATION and place.quote:
        quoted = f"“{' '.join(place.quote.split())}”"
        return f"{quoted} {place.citation}" if place.citation else quoted
    if what is CopyOption.CITATION:
        raise InvalidRequest(
            f"{place.title}: it has no citation key; add it to the reference file and ingest that "
            "with --references",
            parameter="copy",
        )
    raise InvalidRequest(
        f"{place.title}: there is no quotation; name a hit, or pass --quote", parameter="copy"
    )


def _to_clipboard(text: str) -> None:
    from citeloom.domain.errors import ProgramUnavailable
    from citeloom.infrastructure.system.clipboard import (
        clipboard_program,
        copy_with,
        terminal_sequence,
    )

    program = clipboard_program(os.environ, sys.platform)
    if program:
        copy_with(program, text)
    elif not set_clipboard(terminal_sequence(text)):
        raise ProgramUnavailable(
            "there is no clipboard: no terminal, and none of pbcopy, clip, wl-copy, xclip and xsel "
            f"can be used; copy it from here: {text}"
        )


def _document(source: "OpenedSource") -> dict[str, Any]:
    place = source.place
    return {
        "path": str(source.path),
        "source_path": place.source_path,
        "title": place.title,
        "page": source.page,
        "page_labels": list(place.labels),
        "citation": place.citation,
        "quote": place.quote,
        "question": place.question,
        "marked": source.marked,
        "warnings": list(source.warnings),
    }
