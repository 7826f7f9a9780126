"""The commands ``project``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    DropOldOption,
    JsonOption,
    VerboseOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note, warn
from citeloom.infrastructure.cli.shared.terminal import confirm, print_line
from citeloom.infrastructure.cli.shell.command_group import CommandGroup
from citeloom.infrastructure.cli.shell.completion import offer_projects

if TYPE_CHECKING:
    from citeloom.application.projects.projects import ProjectSummary

app = typer.Typer(
    cls=CommandGroup,
    help="List, create, show, delete, migrate, move and optimize projects.",
    no_args_is_help=True,
)

NameArgument = Annotated[
    str, typer.Argument(autocompletion=offer_projects, help="Project: NAME or NAMESPACE/NAME.")
]
OptionalNameArgument = Annotated[
    str | None,
    typer.Argument(
        autocompletion=offer_projects,
        help="Project: NAME or NAMESPACE/NAME. [default: the default project]",
    ),
]


@app.command("list")
def list_projects(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List all projects of the workspace."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        projects = opened.projects.projects.list()
        if as_json:
            print_json({"projects": projects, "count": len(projects)})
        elif not projects:
            print_line("no projects yet: create one with `citeloom ingest PATH --project NAME`")
        else:
            print_table(
                None,
                ("Project", "Documents", "Passages", "Model", "References"),
                [
                    (p.id, str(p.documents), str(p.chunks), p.dense_model, p.references or "-")
                    for p in projects
                ],
            )
            warn(p.warning for p in projects if p.warning)


@app.command()
def create(
    name: NameArgument,
    model: Annotated[str | None, typer.Option(help="Embedding model.")] = None,
    references: Annotated[Path | None, typer.Option(help="Reference file.")] = None,
    hybrid: Annotated[
        bool, typer.Option("--hybrid/--no-hybrid", help="Search by words as well as by meaning.")
    ] = True,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Create an empty project."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.domain.projects.project_id import ProjectId

        project_id = ProjectId.parse(name)
        path = references.expanduser().absolute() if references else None
        opened.projects.opener.create(project_id, model, references=path, hybrid=hybrid)
        _show(opened.projects.projects.show(project_id), as_json=as_json)


@app.command()
def show(
    name: OptionalNameArgument = None,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one project: model, references, counts."""
    with application(workspace, as_json=as_json) as opened:
        summary = opened.projects.projects.show(opened.projects.choice(name))
        _show(summary, as_json=as_json, verbose=verbose)


@app.command()
def use(name: NameArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Make a project the default of commands without --project, in citeloom.toml."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.domain.projects.project_id import ProjectId

        summary = opened.projects.projects.show(ProjectId.parse(name))
        overridden = opened.projects.set_default(ProjectId(value=summary.id))
        if as_json:
            _show(summary, as_json=True)
        else:
            print_line(f"{summary.id}: the project of commands without --project")
        if overridden:
            note(f"{overridden} names {opened.settings.project}, and takes precedence")


@app.command()
def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Delete a project with its index; your files are not touched."""
    with application(workspace, as_json=as_json, owner="citeloom project delete") as opened:
        from citeloom.domain.projects.project_id import ProjectId

        project_id = ProjectId.parse(name)
        summary = opened.projects.projects.show(project_id)
        if not yes:
            confirm(f"delete {summary.id} with {summary.documents} documents?")
        _show(opened.projects.projects.delete(project_id), as_json=as_json)


@app.command()
def migrate(
    name: NameArgument,
    model: Annotated[str, typer.Option(help="The new embedding model.")],
    drop_old: DropOldOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Embed a project with another model, without converting its documents again.

    Queries use the old model until the end. After an interruption, run the same command again.
    The old vectors stay (see `citeloom models use`).
    """
    with application(workspace, as_json=as_json, owner="citeloom project migrate") as opened:
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.models.models import print_migrated
        from citeloom.infrastructure.cli.shared.progress import progress_display

        with progress_display() as progress:
            done = opened.projects.migration.migrate(
                ProjectId.parse(name),
                opened.models.passage_embedder(model),
                progress,
                drop_old=drop_old,
            )
        print_migrated(done, as_json=as_json)


@app.command()
def move(
    name: NameArgument,
    to: Annotated[str, typer.Option("--to", help="URL of a Qdrant server, or: local.")],
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the old copies of this and earlier moves.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove other documents at the destination.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Move a project's index to a server or back, without embedding again.

    After an interruption the project is at the old place; run the same command again.
    """
    with application(workspace, as_json=as_json, owner="citeloom project move") as opened:
        from citeloom.application.index.relocation import place_of
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_json
        from citeloom.infrastructure.cli.shared.progress import progress_display

        place = place_of(to, opened.settings.index.layout)
        with progress_display() as progress:
            done = opened.projects.mover(
                ProjectId.parse(name), place, progress, drop_old=drop_old, replace=replace
            )
        if as_json:
            print_json(done)
            return
        print_line(
            f"{done.project}: {done.documents} documents, {done.passages} passages, "
            f"now at {done.index}"
        )
        if done.kept:
            print_line(
                f"a copy is still at {', '.join(done.kept)}; --drop-old deletes it", stderr=True
            )


@app.command()
def optimize(
    name: NameArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Rebuild the index of a large project while queries continue.

    An ingest does this automatically when the project has more passages than
    index.exact_up_to, and again whenever a fifth of them is new or gone.
    """
    with application(workspace, as_json=as_json, owner="citeloom project optimize") as opened:
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.output import print_json
        from citeloom.infrastructure.cli.shared.progress import progress_display

        with progress_display() as progress:
            done = opened.projects.optimize(ProjectId.parse(name), progress)
        if as_json:
            print_json(done)
        else:
            print_line(f"{done.project}: {'rebuilt' if done.rebuilt else 'nothing to do'}")


def _show(summary: "ProjectSummary", *, as_json: bool, verbose: bool = False) -> None:
    from citeloom.infrastructure.cli.shared.output import print_json, print_table

    if as_json:
        print_json(summary)
        return
    rows = [
        ("project", summary.id),
        ("documents", str(summary.documents)),
        ("passages", str(summary.chunks)),
        ("model", summary.dense_model),
        ("search", "by meaning and words" if summary.hybrid_enabled else "by meaning"),
        ("references", summary.references or "none"),
        ("index", summary.index),
        ("created", f"{summary.created_at.astimezone():%Y-%m-%d %H:%M}"),
    ]
    if verbose:
        rows += [
            ("collection", summary.collection),
            ("weights", summary.sparse_model),
        ]
    rows += [
        ("also has", f"{other.name} ({other.ready} of {other.documents} documents ready)")
        for other in summary.other_models
    ]
    print_table(None, ("", ""), rows)
    if summary.warning:
        warn([summary.warning])
