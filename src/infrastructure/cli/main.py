"""The ``citeloom`` command. Commands import what they need when they run."""

import io
import sys
from typing import Annotated

import typer

from citeloom.infrastructure.cli import (
    cite,
    evaluate,
    export,
    ingest,
    label,
    look,
    maps,
    models,
    project,
    query,
    read,
    relations,
    resolve,
    serve,
    verify,
    watch,
    zotero,
)
from citeloom.infrastructure.cli.options import WorkspaceOption
from citeloom.infrastructure.cli.research import group, review, said
from citeloom.infrastructure.cli.session import set_workspace

app = typer.Typer(
    name="citeloom",
    help="Quotable evidence from your own library: passages with citation key and printed page.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from citeloom import __version__

        typer.echo(f"citeloom {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    workspace: WorkspaceOption = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    set_workspace(workspace)


app.command("ingest")(ingest.ingest)
app.command("watch")(watch.watch)
app.command("query")(query.query)
app.command("cite")(cite.cite)
app.command("export")(export.export)
app.command("inspect")(look.inspect)
app.command("validate")(look.validate)
app.command("map")(maps.map_document)
app.command("structure")(maps.structure)
app.command("list")(maps.list_resources)
app.command("check-map")(maps.check_map)
app.command("adapt")(maps.adapt)
app.command("read")(read.read)
app.command("label")(label.label)
app.command("relations")(relations.relations)
app.command("resolve")(resolve.resolve)
app.command("verify")(verify.verify)
app.command("review")(review.review)
app.command("feedback")(said.feedback)
app.command("references")(look.references)
app.command("config")(look.config)
app.command("evaluate")(evaluate.evaluate)
app.command("mcp")(serve.mcp)
app.command("demo")(serve.demo)
app.add_typer(project.app, name="project")
app.add_typer(group.app, name="session")
app.add_typer(said.preferences_app, name="preferences")
app.add_typer(models.app, name="models")
app.add_typer(zotero.app, name="zotero")


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter that a terminal lacks is no crash
            stream.reconfigure(errors="replace")
    app()
