"""The commands ``models``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .shared.frame import Output, Table, facts, group
from .shared.options import DropOldOption, ProjectOption
from .shared.progress import progress_display
from .shared.run import note
from .shell import offer_models

if TYPE_CHECKING:
    from citeloom.application.models import ListedModel, Migrated
    from citeloom.infrastructure.composition.application import Application

ModelArgument = Annotated[
    str,
    typer.Argument(
        autocompletion=offer_models,
        help="Name of a model, or a folder with model.onnx and tokenizer.json.",
    ),
]


def list_models(
    opened: "Application",
    offline: Annotated[
        bool, typer.Option("--offline", help="Only models that can be used without a network.")
    ] = False,
) -> Output:
    """List models: bundled, fetched, in folders, or available to fetch."""
    models = [each for each in opened.models.catalogue.list() if each.model.offline or not offline]
    columns = ("Model", "Kind", "Where", "Dim.", "MB", "Languages", "Licence", "Used by")
    rows = [
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
    ]
    document = {"models": [_entry(each) for each in models], "count": len(models)}
    cut = {"Used by": 12, "Kind": 8, "Licence": 12, "Dim.": 4, "Languages": 9}
    return Output(document, Table(columns, rows, cut=cut))


def show(opened: "Application", model: ModelArgument) -> Output:
    """Show the properties of a model and the projects that use it."""
    return _properties(opened.models.catalogue.show(model))


def fetch(opened: "Application", model: ModelArgument) -> Output:
    """Download a model into the cache; no other command downloads models."""
    known = opened.models.catalogue.show(model).model
    if not known.offline:
        size = f" ({known.size_mb} MB)" if known.size_mb else ""
        note(f"using the network for {known.name}{size}")
    return _properties(opened.models.catalogue.fetch(model))


def use(
    opened: "Application",
    model: ModelArgument,
    project: ProjectOption = None,
    drop_old: DropOldOption = False,
) -> Output:
    """Switch a project to another model that it has vectors of; missing ones are embedded first.

    `citeloom project migrate` adds the vectors of a new model.
    """
    project_id = opened.projects.choice(project)
    with progress_display() as progress:
        done = opened.projects.migration.use(
            project_id, opened.models.passage_embedder(model), progress, drop_old=drop_old
        )
    return migrated(done)


def drop(
    opened: "Application",
    model: Annotated[
        str,
        typer.Argument(
            autocompletion=offer_models, help="Name or fingerprint of a model not in use."
        ),
    ],
    project: ProjectOption = None,
) -> Output:
    """Delete the vectors of a model that a project no longer uses."""
    project_id = opened.projects.choice(project)
    dropped = opened.projects.migration.drop(project_id, model).model.fingerprint
    document = {"project": project_id.value, "dropped": dropped}
    return Output(document, f"{project_id}: dropped {dropped}")


def migrated(done: "Migrated") -> Output:
    """The result of a migration; exit code 1 if documents were missing."""
    if done.missing:
        note(
            f"still uses {done.model}: nothing was switched, because stored conversions are "
            f"missing; ingest these again with --force: {', '.join(done.missing)}"
        )
        return Output(done, lambda: None, code=1)
    told = f"{done.project}: {done.documents} documents, {done.chunks} passages, now by "
    kept = f"also kept: {', '.join(done.others)}; `citeloom models drop` deletes one"
    return Output(
        done,
        f"{told}{done.model} ({done.embedded} documents embedded)",
        notes=[kept] if done.others else (),
    )


def _properties(listed_model: "ListedModel") -> Output:
    entry = _entry(listed_model)
    return Output(entry, facts([(n.replace("_", " "), _shown(v)) for n, v in entry.items()]))


def _entry(listed_model: "ListedModel") -> dict[str, Any]:
    document = listed_model.model_dump(mode="json")
    model: dict[str, Any] = document.pop("model")
    return {**model, "offline": listed_model.model.offline, **document}


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "-"
    return "-" if value is None else str(value)


app = group(
    "List, show, fetch, use and drop models.",
    list=list_models,
    show=show,
    fetch=fetch,
    use=use,
    drop=drop,
)
