"""The commands ``session``: list, show, cancel, delete, restore, export, compare."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.text.phrasing import shortened

from .citation import StyleOption
from .shared.options import AnyProjectOption, JsonOption, WorkspaceOption
from .shared.run import application, note
from .shared.terminal import confirm, print_line

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from citeloom.domain.research.session import Recorded, ResearchSession, Source
    from citeloom.infrastructure.composition.application import Application

SessionArgument = Annotated[
    str, typer.Argument(help="Session: its id, a unique beginning of it, or: last.")
]


_SHOWN_ID, _SHOWN_QUESTION = 8, 60


class StatusOption(StrEnum):
    """The domain's; loading that takes longer than ``--help`` should."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


def list_sessions(
    project: AnyProjectOption = None,
    status: Annotated[
        list[StatusOption] | None,
        typer.Option("--status", help="Only sessions with this status; repeatable."),
    ] = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="List deleted sessions that can still be restored.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number.")] = 100,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List research sessions, the latest first."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.application.ports.research import SessionFilter
        from citeloom.domain.projects.project import ProjectId
        from citeloom.domain.research.session import SessionStatus

        from .shared.output import print_json, print_table

        session_filter = SessionFilter(
            project_id=ProjectId.parse(project).value if project else None,
            statuses=tuple(SessionStatus(one) for one in status or ()),
            deleted=deleted,
            limit=limit,
        )
        sessions = opened.research.sessions.list(session_filter)
        if as_json:
            documents = [one.model_dump(mode="json", exclude={"state"}) for one in sessions]
            print_json({"sessions": documents, "count": len(documents)})
        elif not sessions:
            print_line("no sessions: begin one with `citeloom review QUESTION --project NAME`")
        else:
            columns = ("Session", "Begun", "Project", "Depth", "Status", "Question")
            print_table(None, columns, [_row(one) for one in sessions])


def show(
    session: SessionArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Show one session: status, sources, claims and report."""
    with application(workspace, as_json=as_json) as opened:
        from citeloom.application.research.export import with_escaped_claims

        from .shared.output import print_json, print_table, print_text

        recorded = opened.research.sessions.show(session)
        feedback = opened.research.users.feedback(recorded.session.message_id)
        if as_json:
            document = recorded.model_dump(mode="json", exclude={"session": {"state"}})
            print_json(document | {"feedback": [one.model_dump(mode="json") for one in feedback]})
            return
        opinions = [
            ("feedback", f"{one.rating.value} {one.feedback_text or ''}".strip())
            for one in feedback
        ]
        print_table(None, ("", ""), [*_facts(recorded), *opinions])
        if recorded.sources:
            print_table(
                None,
                ("Source", "Title", "Used"),
                [(one.citekey or one.url, one.title, _use(one)) for one in recorded.sources],
            )
        if recorded.report.content:
            print_text(with_escaped_claims(recorded.report.content, recorded.claims))


def events(
    session: SessionArgument,
    after: Annotated[
        int, typer.Option("--after", min=0, help="Only events with a higher number.")
    ] = 0,
    workspace: WorkspaceOption = None,
) -> None:
    """Print the events of a session in order, as JSON lines."""
    with application(workspace) as opened:
        from citeloom.domain.research.events import to_wire

        from .shared.output import print_json_lines

        print_json_lines(to_wire(one) for one in opened.research.sessions.events(session, after))


def _row(session: "ResearchSession") -> tuple[str, ...]:
    question = " ".join(session.question.split())
    return (
        str(session.id)[:_SHOWN_ID],
        _time(session.started_at),
        session.project_id,
        session.research_depth.value,
        session.status.value.replace("_", " "),
        shortened(question, _SHOWN_QUESTION),
    )


def _facts(recorded: "Recorded") -> list[tuple[str, str]]:
    session, summary = recorded.session, recorded.session.verification_summary
    cited = sum(one.is_cited for one in recorded.sources)
    facts = [
        ("session", str(session.id)),
        ("question", " ".join(session.question.split())),
        ("project", session.project_id),
        ("depth", session.research_depth.value),
        ("status", session.status.value.replace("_", " ")),
        ("begun", _time(session.started_at)),
        ("ended", _time(session.completed_at) if session.completed_at else ""),
        ("sources", f"{len(recorded.sources)}, {cited} cited" if recorded.sources else ""),
        ("claims", ""),
        ("error", session.error_message or ""),
        ("deleted", _time(session.deleted_at) if session.deleted_at else ""),
    ]
    if summary is not None:
        counts = (
            f"{summary.total_claims}: {summary.supported} supported, {summary.partial} partial, "
            f"{summary.unsupported} unsupported, {summary.contradicted} contradicted"
        )
        facts[8] = ("claims", counts)
    return [(name, value) for name, value in facts if value]


def _use(source: "Source") -> str:
    if source.is_cited:
        return "cited"
    return "" if source.included else source.exclusion_reason or "not used"


def _time(time: "datetime") -> str:
    return time.astimezone().strftime("%Y-%m-%d %H:%M")


def cancel(
    session: SessionArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Stop a running review. Its finished steps are kept, and it can be resumed."""
    with application(workspace, as_json=as_json, owner="citeloom session cancel") as opened:
        done = opened.research.sessions.cancel(session)
        pending = "is asked to stop, and will after what it is doing"
        outcome = pending if done.cancelling else "is cancelled"
        _tell(done, outcome, as_json=as_json)


def delete(
    session: SessionArgument,
    for_good: Annotated[
        bool, typer.Option("--for-good", help="Delete permanently, without the 30 days.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Delete a session; for 30 days it can be restored."""
    with application(workspace, as_json=as_json, owner="citeloom session delete") as opened:
        if for_good:
            stored = opened.research.sessions.show(session).session
            if not yes:
                confirm(f"delete {stored.id} for good ({stored.question})?")
            _tell(opened.research.sessions.remove(str(stored.id)), "is gone", as_json=as_json)
            return
        done = opened.research.sessions.delete(session)
        outcome = f"is deleted; for 30 days `citeloom session restore {done.id}` brings it back"
        _tell(done, outcome, as_json=as_json)


def restore(
    session: SessionArgument, as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """Restore a session that was deleted less than 30 days ago."""
    with application(workspace, as_json=as_json, owner="citeloom session restore") as opened:
        _tell(opened.research.sessions.restore(session), "is back", as_json=as_json)


def _tell(session: "ResearchSession", outcome: str, *, as_json: bool) -> None:
    from .shared.output import print_json

    if as_json:
        print_json(session.model_dump(mode="json", exclude={"state"}))
    else:
        print_line(f"{session.id} {outcome}")


class ExportAs(StrEnum):
    MARKDOWN = "markdown"
    DOCX = "docx"
    JSON = "json"
    CSV = "csv"
    PRISMA = "prisma"


_SUFFIXES = {
    ".md": ExportAs.MARKDOWN,
    ".docx": ExportAs.DOCX,
    ".json": ExportAs.JSON,
    ".csv": ExportAs.CSV,
}


def export(
    session: SessionArgument,
    output: Annotated[
        ExportAs | None,
        typer.Option(
            "--format",
            help="markdown, docx: the report. json: the complete record. csv: claims with their "
            "evidence. prisma: the search record after PRISMA. "
            "[default: by the suffix of --output, else markdown]",
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (atomically).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    style: StyleOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Export the report, the evidence or the search record of a review.

    --json means --format json; with --format prisma it prints the search record as JSON."""
    with application(workspace, as_json=as_json, owner="citeloom session export") as opened:
        chosen = _format(output, file, as_json=as_json)
        content, warnings = _content(
            opened, opened.research.sessions.find(session), chosen, style, as_json
        )
        if file is not None:
            opened.save(file, content, replace=force)
            for warning in warnings:
                note(f"note: {warning}")
            note(str(file))
        elif chosen is ExportAs.DOCX:
            from citeloom.domain.errors import InvalidRequest

            raise InvalidRequest("a Word document needs a file: -o FILE.docx", parameter="output")
        else:
            from .shared.output import print_text

            print_text(content.decode("utf-8").removesuffix("\n"))


def compare(
    a: Annotated[str, typer.Argument(help="Session A: its id, or a unique beginning of it.")],
    b: Annotated[str, typer.Argument(help="Session B, or: last.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare two reviews: shared and different sources, evidence and claims, and changed
    verdicts."""
    with application(workspace, as_json=as_json, owner="citeloom session compare") as opened:
        comparison = opened.research.compare(
            opened.research.sessions.find(a), opened.research.sessions.find(b)
        )
        if as_json:
            from .shared.output import print_json

            print_json(comparison)
        else:
            from citeloom.infrastructure.cli.views.review import print_comparison

            print_comparison(comparison)


def _format(output: ExportAs | None, file: Path | None, *, as_json: bool) -> ExportAs:
    if as_json and output not in (None, ExportAs.JSON, ExportAs.PRISMA):
        from citeloom.domain.errors import InvalidRequest

        raise InvalidRequest(
            f"--json and --format {output}: choose one of them", parameter="format"
        )
    if output is not None:
        return output
    if as_json:
        return ExportAs.JSON
    return _SUFFIXES.get(file.suffix.lower() if file else "", ExportAs.MARKDOWN)


def _content(
    opened: "Application", id: "UUID", chosen: ExportAs, style: str | None, as_json: bool
) -> tuple[bytes, tuple[str, ...]]:
    """The content of the file, and its warnings."""
    import orjson

    from citeloom.application.ports.research import ReviewFormat

    if chosen is ExportAs.JSON or as_json:
        record = (
            opened.research.export.document(id)
            if chosen is ExportAs.JSON
            else opened.research.export.searches(id)
        )
        body = orjson.dumps(record.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
        return body + b"\n", record.warnings
    handed = opened.research.export.file(id, ReviewFormat(chosen.value), style)
    return handed.content, handed.warnings
