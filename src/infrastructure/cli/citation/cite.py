"""The command ``cite``."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    JsonOption,
    ProjectOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shell.completion import offer_keys, offer_styles

if TYPE_CHECKING:
    from citeloom.application.citation.cite import CitedPlace
    from citeloom.infrastructure.composition.application import Application

StyleOption = Annotated[
    str | None,
    typer.Option(
        "--style",
        metavar="NAME|FILE",
        autocompletion=offer_styles,
        help="Citation style of text: apa, chicago, ieee, nature, vancouver, or a .csl file. "
        "[default: apa]",
    ),
]


KeysArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY…",
        autocompletion=offer_keys,
        help=f"{DOCUMENT}; several make one citation.",
    ),
]


class CiteFormat(StrEnum):
    PANDOC = "pandoc"
    LATEX = "latex"
    TYPST = "typst"
    MARKDOWN = "markdown"
    TEXT = "text"


def cite(
    keys: KeysArgument,
    project: ProjectOption = None,
    page: Annotated[
        list[str] | None,
        typer.Option(
            "--page",
            metavar="LABEL",
            help="Printed page or pages: 12, xii-xv or 'S3, S7'. Repeatable; the first belongs to "
            "the first key.",
        ),
    ] = None,
    output: Annotated[
        CiteFormat,
        typer.Option(
            "--format",
            help="Markup language of the citation; text and markdown follow --style.",
        ),
    ] = CiteFormat.PANDOC,
    style: StyleOption = None,
    bibliography: Annotated[
        bool, typer.Option("--bibliography", help="Print bibliography entries in --style instead.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print a citation of one or several works, to paste into a manuscript."""
    with application(workspace, as_json=as_json, owner="citeloom cite") as opened:
        from citeloom.application.ports.citation import CitationMarkup
        from citeloom.domain.citation.in_text import InText
        from citeloom.infrastructure.cli.shared.output import print_json, print_text

        places = _places(opened, project, keys, page or [])
        told = [warning for place in places for warning in place.warnings]
        markup = CitationMarkup.MARKDOWN if output is CiteFormat.MARKDOWN else CitationMarkup.PLAIN
        entries = opened.citation.cite.bibliography(places, style, markup) if bibliography else ()
        text = opened.citation.cite.together(places, InText(output.value), style)
        if as_json:
            links = {place.work.citekey: place.link for place in places}
            print_json(
                {"citation": text, "links": links, "bibliography": entries, "warnings": told}
            )
        elif bibliography:
            print_text("\n\n".join(entry.text for entry in entries))
        else:
            print_text(text)
        for warning in told if not as_json else ():
            note(f"warning: {warning}")


def _places(
    opened: "Application", project: str | None, keys: list[str], pages: list[str]
) -> "list[CitedPlace]":
    """The works of ``keys``, the first ones at ``pages``."""
    from citeloom.domain.errors import InvalidRequest

    if len(pages) > len(keys):
        raise InvalidRequest("more pages than keys; give one --page for each", parameter="page")
    project_id = opened.projects.choice(project)
    padded = [*pages, *[None] * (len(keys) - len(pages))]
    return [
        opened.citation.cite.place(project_id, key, where)
        for key, where in zip(keys, padded, strict=True)
    ]
