"""The commands ``models``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .shared.options import DropOldOption, JsonOption, ProjectOption, WorkspaceOption
from .shared.run import application, note
from .shared.terminal import print_line
from .shell import CommandGroup

if TYPE_CHECKING:
    from citeloom.application.models import ListedModel, Migrated

app = typer.Typer(
    cls=CommandGroup, help="List, show, fetch, use and drop models.", no_args_is_help=True
)

ModelArgument = Annotated[
    str, typer.Argument(help="Name of a model, or a folder with model.onnx and tokenizer.json.")
]


@app.command("list")
def list_models(
    offline: Annotated[
        bool, typer.Option("--offline", help="Only models that can be used without a network.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List models: bundled, fetched, in folders, or available to fetch."""
    with application(workspace, as_json=as_json) as opened:
        from .shared.output import print_json, print_table

        models = [
            each for each in opened.models.catalogue.list() if each.model.offline or not offline
        ]
        if as_json:
            print_json({"models": [_entry(each) for each in models], "count": len(models)})
            return
        print_table(
            None,
            ("Model", "Kind", "Where", "Dim.", "MB", "Languages", "Licence", "Used by"),
            [
                (
                    each.model.name,
                    each.model.kind.value,
                    each.model.availability.value,
                    _shown(each.model.dimension),
                    _shown(each.model.size_mb),
                    _shown(each.model.languages),
                    _shown(each.model.licence),
                    ", ".join(each.used_by) or "-",
                )
                for each in models
            ],
        )


@app.command()
def show(
    model: ModelArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Show the properties of a model and the projects that use it."""
    with application(workspace, as_json=as_json) as opened:
        _print(opened.models.catalogue.show(model), as_json=as_json)


@app.command()
def fetch(
    model: ModelArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Download a model into the cache; no other command downloads models."""
    with application(workspace, as_json=as_json) as opened:
        known = opened.models.catalogue.show(model).model
        if not known.offline:
            size = f" ({known.size_mb} MB)" if known.size_mb else ""
            note(f"asking the network for {known.name}{size}")
        _print(opened.models.catalogue.fetch(model), as_json=as_json)


@app.command()
def use(
    model: ModelArgument,
    project: ProjectOption = None,
    drop_old: DropOldOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Switch a project to another model that it has vectors of; missing ones are embedded first.

    `citeloom project migrate` adds the vectors of a new model.
    """
    with application(workspace, as_json=as_json, owner="citeloom models use") as opened:
        from .shared.progress import progress_display

        project_id = opened.projects.choice(project)
        with progress_display() as progress:
            done = opened.projects.migration.use(
                project_id, opened.models.passage_embedder(model), progress, drop_old=drop_old
            )
        print_migrated(done, as_json=as_json)


@app.command()
def drop(
    model: Annotated[str, typer.Argument(help="Name or fingerprint of a model not in use.")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Delete the vectors of a model that a project no longer uses."""
    with application(workspace, as_json=as_json, owner="citeloom models drop") as opened:
        from .shared.output import print_json

        project_id = opened.projects.choice(project)
        dropped = opened.projects.migration.drop(project_id, model)
        if as_json:
            print_json({"project": project_id.value, "dropped": dropped.model.fingerprint})
        else:
            print_line(f"{project_id}: dropped {dropped.model.fingerprint}")


def print_migrated(done: "Migrated", *, as_json: bool) -> None:
    """The result of a migration; exit code 1 if documents were missing."""
    from .shared.output import print_json

    if as_json:
        print_json(done)
    elif not done.missing:
        print_line(
            f"{done.project}: {done.documents} documents, {done.chunks} passages, now by "
            f"{done.model} ({done.embedded} documents embedded)"
        )
        if done.others:
            note(f"also kept: {', '.join(done.others)}; `citeloom models drop` deletes one")
    if done.missing:
        note(
            f"still by {done.model}: nothing was switched, because the stored conversion of these "
            f"is missing; ingest them again with --force: {', '.join(done.missing)}"
        )
        raise typer.Exit(1)


def _print(listed_model: "ListedModel", *, as_json: bool) -> None:
    from .shared.output import print_json, print_table

    entry = _entry(listed_model)
    if as_json:
        print_json(entry)
        return
    print_table(None, ("", ""), [(n.replace("_", " "), _shown(v)) for n, v in entry.items()])


def _entry(listed_model: "ListedModel") -> dict[str, Any]:
    document = listed_model.model_dump(mode="json")
    model: dict[str, Any] = document.pop("model")
    return {**model, "offline": listed_model.model.offline, **document}


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return "-" if value is None else str(value)
