"""Read-only commands: ``inspect``, ``validate``, ``references``, ``config``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.shared.options import (
    AnyProjectOption,
    DocumentArgument,
    JsonOption,
    ProjectOption,
    VerboseOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.shared.run import application, note
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.projects.inspection import Inspection
    from citeloom.domain.references.entries.reference_list import CitedWork
    from citeloom.infrastructure.composition.application import Application


def inspect(
    project: ProjectOption = None,
    sample: Annotated[
        str, typer.Option("--sample", "-s", help="Number of passages to show, or all.")
    ] = "0",
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show the contents of a project, and sample passages with pages and regions."""
    with application(workspace, as_json=as_json, owner="citeloom inspect") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.text.phrasing import numbered_pages
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        if sample != "all" and not sample.isdecimal():
            raise InvalidRequest(f"--sample {sample}: write a number or all", parameter="sample")
        count = None if sample == "all" else int(sample)
        inspection = opened.projects.inspect(opened.projects.choice(project), count)
        if as_json:
            print_json(inspection)
            return
        rows = _rows(inspection)
        compared = [one.fidelity for one in inspection.fidelity if one.fidelity]
        rows.append(
            ("text compared", f"{len(compared)} of {len(inspection.fidelity)} PDF documents")
        )
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
    cited = f", {inspection.cited_documents} with a citation" if inspection.documents else ""
    return [
        ("project", inspection.project),
        ("documents", f"{inspection.documents}{cited}"),
        ("pages", str(inspection.pages)),
        ("passages", str(inspection.chunks)),
        ("model", inspection.model),
        ("search", "by meaning and words" if inspection.hybrid_enabled else "by meaning"),
        ("references", inspection.references or "none"),
        *_server(inspection),
    ]


def _server(inspection: "Inspection") -> list[tuple[str, str]]:
    from citeloom.domain.text.phrasing import counted

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
    project: AnyProjectOption = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Make what is damaged again, from what is whole; the rest stays."
        ),
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
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check the consistency of references, model, bundles and index: items without files, files
    without items, keys and DOIs, scans, retracted works."""
    with application(workspace, as_json=as_json, owner="citeloom validate") as opened:
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.infrastructure.cli.shared.next_steps import in_words
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        project_id = ProjectId.parse(project) if project else None
        retraction_list = retractions or opened.projects.retraction_list
        validation = opened.projects.validate(project_id, retractions=retraction_list, deep=deep)
        if repair:
            damaged = {c.project for c in validation.checks if c.project and c.repairable}
            _repair(opened, damaged, deep=deep)
            validation = opened.projects.validate(
                project_id, retractions=retraction_list, deep=deep
            )
        if as_json:
            print_json({"ok": validation.ok, "checks": validation.checks})
        else:
            print_table(
                None,
                ("Project", "Check", "Status", "Message", "What to do"),
                [
                    (c.project or "-", c.check, c.status.value, c.message, in_words(c.guidance))
                    for c in validation.checks
                ],
            )
        if not validation.ok:
            raise typer.Exit(1)


def _repair(opened: "Application", projects: set[str], *, deep: bool) -> None:
    from citeloom.domain.errors import CiteLoomError
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.infrastructure.cli.shared.next_steps import in_words
    from citeloom.infrastructure.cli.shared.progress import progress_display

    if not projects:
        note("nothing to repair")
    for name in sorted(projects):
        try:
            with progress_display() as progress:
                done = opened.ingest.repair(ProjectId.parse(name), progress, deep=deep)
        except CiteLoomError as error:
            note(f"not repaired: {in_words(error.message)}")
            continue
        what = "index built anew" if done.rebuilt else "repaired"
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
    document: DocumentArgument,
    project: ProjectOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List the works in the reference list of a document."""
    with application(workspace, as_json=as_json, owner="citeloom references") as opened:
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        works = opened.resources.references(opened.projects.choice(project), document)
        if as_json:
            print_json({"references": works, "count": len(works)})
        elif not works:
            print_line("no reference list was found")
        else:
            print_table(
                None,
                ("", "Authors", "Year", "Title", "DOI or arXiv id"),
                [
                    (
                        work.label or str(number),
                        _authors(work),
                        str(work.year or "-"),
                        _title(work),
                        work.doi or work.arxiv_id or "-",
                    )
                    for number, work in enumerate(works, start=1)
                ],
            )


def _authors(work: "CitedWork") -> str:
    return f"{work.author} et al." if len(work.authors) > 1 else work.author or "-"


def _title(work: "CitedWork") -> str:
    """The title, what it is in and its pages; the whole entry where no title was read."""
    if work.title is None:
        return work.text
    place = ", ".join(filter(None, (work.container_title, work.page)))
    return f"{work.title}. {place}" if work.container_title else work.title


def config(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Show each setting, its value and its origin."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

        rows = list(opened.configuration.rows())
        if as_json:
            settings = {n: {"value": value, "origin": origin} for n, value, origin in rows}
            print_json({"workspace": str(opened.workspace.root), "settings": settings})
        else:
            print_table(f"workspace {opened.workspace.root}", ("Setting", "Value", "From"), rows)
