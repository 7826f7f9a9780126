"""The command ``read``: a document, a part of it, or what a knowledge URI names."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    AnyProjectOption,
    JsonOption,
    PasswordOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note

DocumentOrUri = Annotated[
    str,
    typer.Argument(
        metavar="DOCUMENT|URI",
        help="A document by any name: citation key, title, file, DOI, [@key, p. 5]; or a knowledge "
        "URI: ndk://file/PROJECT/DOCUMENT, with /$chunk/01, …",
    ),
]
PageOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL", help="Pages by their printed numbers: 440, xii-xv; of the file: 'PDF 5'."
    ),
]


class ReadFormat(StrEnum):
    MARKDOWN = "markdown"
    XML = "xml"


def read(
    name: DocumentOrUri,
    page: PageOption = None,
    section: Annotated[
        str | None, typer.Option(metavar="NAME", help="The section with this heading.")
    ] = None,
    output_format: Annotated[
        ReadFormat,
        typer.Option(
            "--format", help="markdown: the text, for people. xml: what agents read, in parts."
        ),
    ] = ReadFormat.MARKDOWN,
    info: Annotated[
        bool, typer.Option("--info", help="Show the description, labels and parts, not the text.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the picture of a $media URI to this file, as PNG.")
    ] = None,
    password: PasswordOption = None,
    project: AnyProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Print a document, a page or section of it, or what a knowledge URI names."""
    with application(workspace, as_json=as_json, owner="citeloom read") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.domain.resources.observations import render_body, render_info
        from citeloom.infrastructure.cli.shared.output import print_json, print_prose, print_text

        chosen = ProjectId.parse(project) if project else None
        for_agents = info or output is not None or output_format is ReadFormat.XML
        if page is not None or section is not None:
            if for_agents:
                raise InvalidRequest("--page and --section: with --format markdown only")
            for_agents = False
        elif not for_agents:
            for_agents = as_json
        if not for_agents:
            text = opened.resources.show.markdown(name, chosen, page=page, section=section)
            if as_json:
                print_json({"name": name, "page": page, "section": section, "markdown": text})
            else:
                print_prose(text)
            return
        seen = opened.resources.observe(opened.stores.documents.uri_of(name, chosen))
        if output is not None:
            opened.save(output, opened.resources.observe.picture(seen.uri, password))
            note(f"wrote {output}")
        text = render_info(seen.observation) if info else render_body(seen.observation)
        if as_json:
            print_json({**seen.model_dump(mode="json"), "rendered": text})
        else:
            print_text(text)
