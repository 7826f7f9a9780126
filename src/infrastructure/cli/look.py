"""Commands that only look: ``inspect``, ``validate``, ``map``, ``references``, ``config``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.options import (
    AnyProjectOption,
    JsonOption,
    PasswordOption,
    ProjectOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.session import application, note

if TYPE_CHECKING:
    from citeloom.domain.resource_map import Node
    from citeloom.infrastructure.bootstrap import Application

_SHOWN_TEXT = 80


def inspect(
    project: ProjectOption,
    sample: Annotated[
        str, typer.Option("--sample", "-s", help="How many passages to show, or all.")
    ] = "0",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """What a project holds, and sample passages with all their places."""
    with application(workspace, as_json=as_json, owner="citeloom inspect") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.project import ProjectId
        from citeloom.infrastructure.cli.output import print_json, print_table

        if sample != "all" and not sample.isdecimal():
            raise InvalidRequest(f"--sample {sample}: write a number or all", parameter="sample")
        count = None if sample == "all" else int(sample)
        found = opened.inspect(ProjectId.parse(project), count)
        if as_json:
            print_json(found)
            return
        rows = [
            (name.replace("_", " "), ", ".join(value) if isinstance(value, tuple) else str(value))
            for name, value in found
            if name != "samples"
        ]
        print_table(None, ("", ""), rows)
        for item in found.samples:
            pages = item["page_labels"] or item["page_span"] or ""
            typer.echo(f"{item['citekey'] or item['source_path']} {pages} {item['section']}")
            typer.echo(f"  {' '.join(str(item['text']).split())[:200]}")


def validate(
    project: AnyProjectOption = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Rebuild indexes that do not fit, from the bundles.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check that configuration, references, model, bundles and index fit together."""
    with application(workspace, as_json=as_json, owner="citeloom validate") as opened:
        from citeloom.domain.project import ProjectId
        from citeloom.infrastructure.cli.output import print_json, print_table

        project_id = ProjectId.parse(project) if project else None
        found = opened.validate(project_id)
        if repair:
            _repair(opened, {c.project for c in found.checks if c.project and c.status == "FAIL"})
            found = opened.validate(project_id)
        if as_json:
            print_json({"ok": found.ok, "checks": found.checks})
        else:
            print_table(
                None,
                ("Project", "Check", "Status", "Message", "What to do"),
                [
                    (c.project or "-", c.check, c.status.value, c.message, c.guidance)
                    for c in found.checks
                ],
            )
        if not found.ok:
            raise typer.Exit(1)


def _repair(opened: "Application", projects: set[str]) -> None:
    from citeloom.domain.project import ProjectId
    from citeloom.infrastructure.cli.progress import progress_display

    for name in sorted(projects):
        with progress_display() as progress:
            done = opened.repair(ProjectId.parse(name), progress)
        note(f"rebuilt {done.project}: {done.documents} documents, {done.chunks} passages")
        for path in done.missing:
            note(f"not rebuilt: {path} has no stored conversion; ingest it with --force")


DocumentArgument = Annotated[
    str, typer.Argument(help="Citation key, document id or prefix of one, alias, or path.")
]


def map_document(
    document: DocumentArgument,
    project: ProjectOption,
    render: Annotated[
        str | None,
        typer.Option(
            metavar="PAGE",
            help="Draw a page (of the PDF, from 1, or label:xii) with its blocks as PNG.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="File for --render; else KEY-page-N.png in this folder."),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write each figure as PNG, with figures.json, there."),
    ] = None,
    password: PasswordOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """The sections of a document, with their pages; or pictures of it."""
    with application(workspace, as_json=as_json, owner="citeloom map") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.project import ProjectId
        from citeloom.infrastructure.cli.output import print_json
        from citeloom.infrastructure.cli.render import render_figures, render_page

        project_id = ProjectId.parse(project)
        if render is not None and figures is not None:
            raise InvalidRequest("--render and --figures: ask for one of them")
        if render is not None:
            render_page(opened, project_id, document, render, output, password, as_json=as_json)
            return
        if output is not None:
            raise InvalidRequest("--output: only with --render; name the page")
        if figures is not None:
            render_figures(opened, project_id, document, figures, password, as_json=as_json)
            return
        found = opened.structure.map(project_id, document)
        if as_json:
            print_json(found.model_dump(mode="json", exclude_none=True))
            return
        typer.echo(f"{found.title}  ({found.resource_id})")
        for node in found.nodes:
            _print_node(node, 1)


def _print_node(node: "Node", depth: int) -> None:
    from citeloom.domain.address import pages_fragment

    pages = node.location.pages
    place = f"  PDF pages {pages_fragment(pages)}" if pages else ""
    typer.echo(f"{'  ' * depth}{node.title or node.id}{place}  [{node.id}]")
    for child in node.children:
        _print_node(child, depth + 1)


def references(
    document: DocumentArgument,
    project: ProjectOption,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """The works that a document cites, as its reference list has them."""
    with application(workspace, as_json=as_json, owner="citeloom references") as opened:
        from citeloom.domain.project import ProjectId
        from citeloom.infrastructure.cli.output import print_json, print_table

        works = opened.bibliography(ProjectId.parse(project), document)
        if as_json:
            print_json({"references": works, "count": len(works)})
        elif not works:
            typer.echo("no reference list was found")
        else:
            print_table(
                None,
                ("", "Author", "Year", "Title", "DOI or arXiv id"),
                [
                    (
                        work.label or str(number),
                        work.author or "-",
                        str(work.year or "-"),
                        work.title or f"({work.text[:_SHOWN_TEXT]})",
                        work.doi or work.arxiv_id or "-",
                    )
                    for number, work in enumerate(works, start=1)
                ],
            )


def config(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Each setting, its value and where it came from."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.infrastructure.cli.output import print_json, print_table

        rows = list(opened.configuration.rows())
        if as_json:
            settings = {n: {"value": value, "origin": origin} for n, value, origin in rows}
            print_json({"workspace": str(opened.workspace.root), "settings": settings})
        else:
            print_table(f"workspace {opened.workspace.root}", ("Setting", "Value", "From"), rows)
