"""The command ``read``: the resource at a knowledge URI."""

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

UriArgument = Annotated[
    str,
    typer.Argument(
        metavar="URI",
        help="Knowledge URI (ndk://file/PROJECT/DOCUMENT, with /$chunk/01, …), or a DOI's or "
        "publisher's URL, zotero:// link, path or citation key.",
    ),
]


def read(
    uri: UriArgument,
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
    """Print what a knowledge URI names: a document, a part of it, a caption, a collection."""
    with application(workspace, as_json=as_json, owner="citeloom read") as opened:
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.domain.resources.prompt_text import render_body, render_info
        from citeloom.infrastructure.cli.shared.output import print_json, print_text

        chosen = ProjectId.parse(project) if project else None
        seen = opened.resources.observe(opened.resources.aliases.uri_of(uri, chosen))
        if output is not None:
            opened.save(output, opened.resources.observe.picture(seen.uri, password))
            note(f"wrote {output}")
        text = render_info(seen.observation) if info else render_body(seen.observation)
        if as_json:
            print_json({**seen.model_dump(mode="json"), "rendered": text})
        else:
            print_text(text)
