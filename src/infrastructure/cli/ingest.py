"""``citeloom ingest``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citeloom.infrastructure.cli.options import (
    JsonOption,
    PasswordOption,
    ProjectOption,
    WorkspaceOption,
)
from citeloom.infrastructure.cli.session import application, note

if TYPE_CHECKING:
    from citeloom.domain.retrieval import IngestResult


def ingest(
    project: ProjectOption,
    source: Annotated[
        list[str] | None, typer.Argument(help="Files and folders (searched below).")
    ] = None,
    references: Annotated[
        Path | None,
        typer.Option(help="CSL-JSON, or a Better BibTeX JSON export; the project remembers it."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Embedding model of a new project.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Conversion processes.")] = None,
    password: PasswordOption = None,
    force: Annotated[bool, typer.Option("--force", help="Convert and embed all anew.")] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove documents whose files are gone.")
    ] = False,
    sentences: Annotated[
        bool | None,
        typer.Option(
            "--sentences/--no-sentences",
            help="Embed each sentence too (better answers, about twice the time); "
            "the project remembers it. [default: as it is; yes for a new project]",
        ),
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read papers into a project. What did not change since the last time costs nothing."""
    flags: dict[str, dict[str, Any]] = {"ingest": {"jobs": jobs}} if jobs is not None else {}
    with application(workspace, flags, as_json=as_json, owner="citeloom ingest") as opened:
        from citeloom.domain.project import ProjectId
        from citeloom.domain.retrieval import IngestRequest
        from citeloom.infrastructure.cli.progress import progress_display
        from citeloom.infrastructure.requests import build

        request = build(
            IngestRequest,
            project_id=ProjectId.parse(project),
            sources=tuple(source or ()),
            references=str(references) if references else None,
            model=model,
            sentences=sentences,
            force=force,
            prune=prune,
            password=password,
            passwords={
                name: secret.get_secret_value()
                for name, secret in opened.settings.pdf.passwords.items()
            },
        )
        with progress_display() as progress:
            result = opened.ingest(request, progress)
        _show(result, as_json=as_json)
        if result.failed:
            raise typer.Exit(1)


def _show(result: "IngestResult", *, as_json: bool) -> None:
    from citeloom.infrastructure.cli.output import print_json, print_table

    if as_json:
        print_json(result)
        return
    for warning in result.warnings:
        note(f"warning: {warning}")
    for document in result.documents:
        name = Path(document.source).name
        for warning in document.warnings:
            note(f"warning: {name}: {warning}")
        if document.error:
            note(f"failed: {document.error}")
    counts: dict[str, int] = {}
    for document in result.documents:
        counts[document.status.value] = counts.get(document.status.value, 0) + 1
    rows = [
        (
            document.status.value,
            document.citekey or "-",
            str(document.pages) if document.pages else "-",
            str(document.chunks),
            Path(document.source).name,
        )
        for document in result.documents
        if document.status.value != "unchanged"
    ]
    if rows:
        print_table(None, ("Status", "Citation key", "Pages", "Passages", "File"), rows)
    summary = ", ".join(f"{n} {status}" for status, n in counts.items()) or "no files"
    removed = f", {result.documents_removed} removed" if result.documents_removed else ""
    typer.echo(
        f"{result.project}: {summary}{removed}{_cited_anew(result)}; "
        f"{result.chunks_written} passages written, {result.chunks_total} in all; "
        f"{result.duration_seconds:.1f} s"
    )


def _cited_anew(result: "IngestResult") -> str:
    if not result.citations_updated:
        return ""
    labels = result.page_labels_updated
    with_labels = f" ({labels} with other page labels)" if labels else ""
    return f"; {result.citations_updated} cited anew{with_labels}"
