"""The commands ``project``, ``inspect``, ``validate``, ``references`` and ``config``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.errors import CiteLoomError, InvalidRequest
from citeloom.domain.text.characters import whole_number
from citeloom.domain.text.phrasing import counted, numbered_pages

from .shared.frame import Output, Table, facts, group
from .shared.options import (
    AnyProjectOption,
    DocumentArgument,
    DropOldOption,
    ModelOption,
    ProjectOption,
    VerboseOption,
    YesOption,
)
from .shared.output import cut_to, in_words, line_width, print_table
from .shared.progress import progress_display
from .shared.run import note
from .shared.terminal import confirm, print_line
from .shell import offer_models, offer_projects

if TYPE_CHECKING:
    from citeloom.application.projects.inspection import Inspection
    from citeloom.application.projects.projects import ProjectSummary
    from citeloom.application.validation.checks import Check
    from citeloom.domain.projects.project import Project
    from citeloom.domain.references.entries.reference_list import CitedWork
    from citeloom.infrastructure.composition.application import Application


def inspect(
    opened: "Application",
    project: ProjectOption = None,
    sample: Annotated[
        str, typer.Option("--sample", "-s", help="Number of passages to show, or all.")
    ] = "0",
    verbose: VerboseOption = False,
) -> Output:
    """Show the contents of a project, and sample passages with pages and regions."""
    count = whole_number(sample)
    if sample != "all" and count is None:
        raise InvalidRequest(f"--sample {sample}: write a number or all", parameter="sample")
    inspection = opened.projects.inspect(opened.projects.choice(project), count)
    return Output(inspection, lambda: _print_inspection(inspection, verbose=verbose))


def _print_inspection(inspection: "Inspection", *, verbose: bool) -> None:
    rows = _rows(inspection)
    compared = [one.fidelity for one in inspection.fidelity if one.fidelity]
    rows.append(("text compared", f"{len(compared)} of {len(inspection.fidelity)} PDF documents"))
    print_table(None, ("", ""), [*rows, *(_inner(inspection) if verbose else ())])
    for one in inspection.fidelity:
        if one.fidelity and one.fidelity.uncertain:
            uncertain = numbered_pages(one.fidelity.uncertain)
            worst = one.fidelity.worst[0]
            print_line(
                f"{one.citekey or one.document}: {uncertain} (text uncertain; the worst is "
                f"page {worst.page} with {100 * worst.least:.0f} %)"
            )
    for item in inspection.samples:
        pages = item["page_labels"] or item["page_span"] or ""
        mark = " (text uncertain)" if item["text_uncertain"] else ""
        print_line(f"{item['citekey'] or item['source_path']} {pages} {item['section']}{mark}")
        print_line(f"  {' '.join(str(item['text']).split())[:200]}")


def _rows(inspection: "Inspection") -> list[tuple[str, str]]:
    left = inspection.documents - inspection.cited_documents
    provisional = f", {left} with a provisional citation" if left else ""
    return [
        ("project", inspection.project),
        ("documents", f"{inspection.documents}{provisional}"),
        ("pages", str(inspection.pages)),
        ("passages", str(inspection.chunks)),
        ("model", inspection.model),
        ("search", "by meaning and words" if inspection.hybrid_enabled else "by meaning"),
        ("references", inspection.references or "none"),
        *_server(inspection),
    ]


def _server(inspection: "Inspection") -> list[tuple[str, str]]:
    found = inspection.server
    if found is None:
        return []
    copies = counted(found.copies, "copy", "copies")
    told = f"{found.state}, {counted(found.shards, 'shard')}, {copies}"
    return [("server", told), *(("", each) for each in found.faults + found.warnings + found.notes)]


def _inner(inspection: "Inspection") -> list[tuple[str, str]]:
    return [
        ("collection", inspection.collection),
        ("fingerprint", inspection.model_fingerprint),
        ("weights", inspection.sparse_model),
        ("indexed fields", ", ".join(inspection.indexed_fields)),
    ]


def validate(
    opened: "Application",
    project: AnyProjectOption = None,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Repair damaged parts from intact ones; the rest stays."),
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read everything that is stored, not only a sample.")
    ] = False,
    retractions: Annotated[
        Path | None,
        typer.Option(
            "--retractions",
            help="Retraction Watch's list (CSV), to find retracted works. "
            "[default: checks.retractions of the configuration]",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="List passed checks too, and everything affected.")
    ] = False,
) -> Output:
    """Check the consistency of references, model, bundles and index: items without files, files
    without items, keys and DOIs, scans, retracted works."""
    project_id = opened.projects.choice.named(project)
    retraction_list = retractions or opened.projects.retraction_list
    if repair:
        _recover_catalogue(opened)
    validation = opened.projects.validate(project_id, retractions=retraction_list, deep=deep)
    if repair:
        damaged = {c.project for c in validation.checks if c.project and c.repairable}
        _repair(opened, damaged, deep=deep)
        validation = opened.projects.validate(project_id, retractions=retraction_list, deep=deep)
    return Output(
        {"ok": validation.ok, "checks": validation.checks},
        lambda: _print_checks(validation.checks, verbose=verbose),
        code=0 if validation.ok else 1,
    )


def _recover_catalogue(opened: "Application") -> None:
    recovered = opened.backups.recover()
    if recovered is None:
        return
    if recovered.kept:
        note(f"the damaged catalogue is kept as {recovered.kept}")
    if recovered.copied_from:
        note(f"restored the catalogue from {recovered.copied_from.name}; ingest later papers again")
        return
    note(
        "no copy of the catalogue is intact: storing papers again from their conversions; "
        "labels, edits, reviews and links to Zotero are lost"
    )
    with progress_display() as progress:
        for done in opened.ingest.rebuild(progress):
            failed = f", {len(done.failed)} failed" if done.failed else ""
            note(f"{done.project}: {len(done.documents)} papers stored again{failed}")


def _print_checks(checks: "Sequence[Check]", *, verbose: bool) -> None:
    """One line for each finding below its project, and one for what to do; passed checks share one
    line."""
    from itertools import groupby

    width = None if verbose else line_width()
    for project, of_project in groupby(checks, key=lambda one: one.project):
        found = list(of_project)
        print_line(project or "workspace")
        passed = [one for one in found if one.status.value == "PASS"]
        if passed and not verbose:
            print_line(cut_to(f"  PASS  {', '.join(one.check for one in passed)}", width))
        for one in found if verbose else [one for one in found if one not in passed]:
            print_line(cut_to(f"  {one.status.value}  {one.check}: {in_words(one.message)}", width))
            for item in one.items if verbose else ():
                print_line(f"          {item}")
            if one.guidance:
                print_line(f"        → {in_words(one.guidance)}")


def _repair(opened: "Application", projects: set[str], *, deep: bool) -> None:

    if not projects:
        note("nothing to repair")
    for name in sorted(projects):
        try:
            with progress_display() as progress:
                done = opened.ingest.repair(opened.projects.choice(name), progress, deep=deep)
        except CiteLoomError as error:
            note(f"not repaired: {in_words(error.message)}")
            continue
        what = "index rebuilt" if done.rebuilt else "repaired"
        parts = (
            (len(done.written), "documents written to the index"),
            (len(done.converted), "converted again"),
            (len(done.mapped), "mapped again"),
            (done.removed, "removed from the index"),
            (len(done.dropped), "indexes of models not in use deleted"),
        )
        told = ", ".join(f"{number} {words}" for number, words in parts if number)
        note(f"{done.project}: {what}{': ' if told else ''}{told}")
        for one in done.lost:
            note(f"not repaired: {one.document}: {in_words(one.reason)}")


def references(
    opened: "Application", document: DocumentArgument, project: ProjectOption = None
) -> Output:
    """List the works in the reference list of a document."""
    works = opened.resources.references(opened.projects.choice(project), document)
    rows = [
        (
            work.label or str(number),
            _authors(work),
            str(work.year or "-"),
            _title(work),
            work.doi or work.arxiv_id or "-",
        )
        for number, work in enumerate(works, start=1)
    ]
    columns = ("", "Authors", "Year", "Title", "DOI or arXiv id")
    return Output(
        {"references": works, "count": len(works)},
        Table(columns, rows, empty="no reference list was found"),
    )


def _authors(work: "CitedWork") -> str:
    return f"{work.author} et al." if len(work.authors) > 1 else work.author or "-"


def _title(work: "CitedWork") -> str:
    """Title, container and pages; the whole entry if no title was read."""
    if work.title is None:
        return work.text
    place = ", ".join(filter(None, (work.container_title, work.page)))
    return f"{work.title}. {place}" if work.container_title else work.title


def config(opened: "Application") -> Output:
    """Show each setting, its value and its origin."""
    rows = list(opened.configuration.rows())
    settings = {name: {"value": value, "origin": origin} for name, value, origin in rows}
    return Output(
        {"workspace": str(opened.workspace.root), "settings": settings},
        Table(("Setting", "Value", "From"), rows, title=f"workspace {opened.workspace.root}"),
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


def list_projects(opened: "Application") -> Output:
    """List all projects of the workspace."""
    projects = opened.projects.projects.list()
    return Output(
        {"projects": projects, "count": len(projects)},
        Table(
            ("Project", "Documents", "Passages", "Model", "References"),
            [
                (p.id, str(p.documents), str(p.chunks), p.dense_model, p.references or "-")
                for p in projects
            ],
            empty="no projects yet: create one with `citeloom ingest PATH --project NAME`",
        ),
        [p.warning for p in projects if p.warning],
    )


def create(
    opened: "Application",
    name: NameArgument,
    model: ModelOption = None,
    references: Annotated[Path | None, typer.Option(help="Reference file.")] = None,
    hybrid: Annotated[
        bool, typer.Option("--hybrid/--no-hybrid", help="Search by words as well as by meaning.")
    ] = True,
) -> Output:
    """Create an empty project."""
    project_id = opened.projects.choice(name)
    path = references.expanduser().absolute() if references else None
    opened.projects.opener.create(project_id, model, references=path, hybrid=hybrid)
    return _summary(opened.projects.projects.show(project_id))


def show(
    opened: "Application", name: OptionalNameArgument = None, verbose: VerboseOption = False
) -> Output:
    """Show one project: model, references, counts."""
    summary = opened.projects.projects.show(opened.projects.choice(name))
    return _summary(summary, verbose=verbose)


def use(opened: "Application", name: NameArgument) -> Output:
    """Make a project the default of commands without --project, in citeloom.toml."""
    project_id = opened.projects.choice(name)
    summary = opened.projects.projects.show(project_id)
    overridden = opened.projects.set_default(project_id)
    if overridden:
        note(f"{overridden} names {opened.settings.project}, and takes precedence")
    return Output(summary, f"{summary.id} is now the default project")


def delete(
    opened: "Application",
    name: NameArgument,
    yes: YesOption = False,
) -> Output:
    """Delete a project with its index; your files are not touched."""
    project_id = opened.projects.choice(name)
    summary = opened.projects.projects.show(project_id)
    if not yes:
        confirm(f"delete project {summary.id} with {counted(summary.documents, 'paper')}?")
    done = opened.projects.projects.delete(project_id)
    return Output(done, f"Deleted project {done.id} ({counted(done.documents, 'paper')}).")


def migrate(
    opened: "Application",
    name: NameArgument,
    model: Annotated[
        str, typer.Option(autocompletion=offer_models, help="The new embedding model.")
    ],
    drop_old: DropOldOption = False,
) -> Output:
    """Embed a project with another model, without converting its documents again.

    Queries use the old model until the end. After an interruption, run the same command again.
    The old vectors stay (see `citeloom models use`).
    """

    from .models import migrated

    project_id, embedder = opened.projects.choice(name), opened.models.passage_embedder(model)
    with progress_display() as progress:
        done = opened.projects.migration.migrate(project_id, embedder, progress, drop_old=drop_old)
    return migrated(done)


def move(
    opened: "Application",
    name: NameArgument,
    to: Annotated[str, typer.Option("--to", help="URL of a Qdrant server, or: local.")],
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the old copies of this and earlier moves.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove other documents at the destination.")
    ] = False,
) -> Output:
    """Move a project's index to a server or back, without embedding again.

    After an interruption the project is at the old place; run the same command again.
    """
    from citeloom.application.index.relocation import place_of

    place = place_of(to, opened.settings.index.layout)
    with progress_display() as progress:
        done = opened.projects.mover(
            opened.projects.choice(name), place, progress, drop_old=drop_old, replace=replace
        )
    told = f"{done.project}: {done.documents} documents, {done.passages} passages, "
    kept = f"a copy is still at {', '.join(done.kept)}; --drop-old deletes it"
    return Output(done, f"{told}now at {done.index}", notes=[kept] if done.kept else ())


def optimize(opened: "Application", name: NameArgument) -> Output:
    """Rebuild the index of a large project while queries continue.

    An ingest does this automatically when the project has more passages than
    index.exact_up_to, and again whenever a fifth of them is new or gone.
    """

    with progress_display() as progress:
        done = opened.projects.optimize(opened.projects.choice(name), progress)
    return Output(done, f"{done.project}: {'rebuilt' if done.rebuilt else 'nothing to do'}")


def _summary(summary: "ProjectSummary", *, verbose: bool = False) -> Output:
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
        rows += [("collection", summary.collection), ("weights", summary.sparse_model)]
    rows += [
        ("also has", f"{other.name} ({other.ready} of {other.documents} documents ready)")
        for other in summary.other_models
    ]
    return Output(summary, facts(rows), [summary.warning] if summary.warning else ())


def list_files(opened: "Application", project: ProjectOption = None) -> Output:
    """List the reference files of a project, the one that counts first."""
    project_id = opened.projects.choice(project)
    return _files(opened.stores.catalogue.project(project_id))


def add_file(
    opened: "Application",
    file: Annotated[Path, typer.Argument(help="Reference file.")],
    project: ProjectOption = None,
) -> Output:
    """Put a reference file before those of the project."""
    path = file.expanduser().absolute()
    added = opened.projects.references.add(opened.projects.choice(project), path)
    return _files(added, [_CITE_AGAIN])


def drop_file(
    opened: "Application",
    file: Annotated[str, typer.Argument(help="Its path, or the end of it.")],
    project: ProjectOption = None,
) -> Output:
    """Forget a reference file. The file itself stays."""
    dropped = opened.projects.references.drop(opened.projects.choice(project), file)
    return _files(dropped, [_CITE_AGAIN])


_CITE_AGAIN = "`citeloom ingest` updates the citations"


def _files(project: "Project", notes: Sequence[str] = ()) -> Output:
    files = list(map(str, project.reference_files))
    empty = f"{project.id} has no reference file: add one with `citeloom project references add`"
    table = Table(("Reference file",), [(one,) for one in files], empty=empty)
    document = {"project": project.id.value, "references": files}
    return Output(document, table, notes=notes)


app = group(
    "List, create, show, delete, migrate, move and optimize projects.",
    list=list_projects,
    create=create,
    show=show,
    use=use,
    delete=delete,
    migrate=migrate,
    move=move,
    optimize=optimize,
)
app.add_typer(
    group(
        "List, add and drop the reference files of a project.",
        list=list_files,
        add=add_file,
        drop=drop_file,
    ),
    name="references",
)
