"""Options shared by several commands."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.cli.shell.completion import offer_keys, offer_projects

ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        autocompletion=offer_projects,
        help="Project: NAME or NAMESPACE/NAME. [default: that of `citeloom project use`, or the "
        "only one]",
    ),
]
AnyProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        autocompletion=offer_projects,
        help="Project: NAME or NAMESPACE/NAME. [default: all projects]",
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        # Not read by the option itself: it stands at the root and at each command, and a value
        # of the environment at one would hide a flag at the other.
        help="Workspace folder. [env var: CITELOOM_WORKSPACE; default: the nearest one above with "
        "citeloom.toml, else your data folder]",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")
]
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
    "Citation key, title or part of it, file, DOI, arXiv id, id or the beginning of one, doc:// or "
    "ndk:// address, or [@key, p. 5]"
)
DocumentArgument = Annotated[str, typer.Argument(autocompletion=offer_keys, help=f"{DOCUMENT}.")]
SourcesArgument = Annotated[
    list[str] | None, typer.Argument(help="Files and folders (searched recursively).")
]
ModelOption = Annotated[str | None, typer.Option(help="Embedding model of a new project.")]
SentencesOption = Annotated[
    bool | None,
    typer.Option(
        "--sentences/--no-sentences",
        help="Embed each sentence too (better ranking, about twice the time). "
        "[default: as stored with the project; --sentences for a new one]",
    ),
]
