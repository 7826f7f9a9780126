"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated

import typer

ProjectOption = Annotated[
    str, typer.Option("--project", "-p", help="Project: NAME or NAMESPACE/NAME.")
]
AnyProjectOption = Annotated[
    str | None, typer.Option("--project", "-p", help="Project; all of them if left out.")
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        envvar="CITELOOM_WORKSPACE",
        help="Folder that holds the library; else the nearest with citeloom.toml, "
        "else your data folder.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")
]
DropOldOption = Annotated[
    bool, typer.Option("--drop-old", help="Delete the vectors of the model before.")
]
PasswordOption = Annotated[
    str | None,
    typer.Option(
        "--password",
        envvar="CITELOOM_PASSWORD",
        help="Password of protected PDFs; those in pdf.passwords go first.",
    ),
]
DocumentArgument = Annotated[
    str, typer.Argument(help="Citation key, document id or prefix of one, alias, or path.")
]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(help="Files and folders (searched below).")
]
ModelOption = Annotated[str | None, typer.Option(help="Embedding model of a new project.")]
SentencesOption = Annotated[
    bool | None,
    typer.Option(
        "--sentences/--no-sentences",
        help="Embed each sentence too (better answers, about twice the time); "
        "the project remembers it. [default: as it is; yes for a new project]",
    ),
]
