"""The commands ``session``: list, show, cancel, delete, restore, export, compare."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import SessionStatus
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.text.phrasing import shortened

from .citation import StyleOption
from .shared.frame import Output, Table
from .shared.options import AnyProjectOption, JsonOption, YesOption, format_of
from .shared.output import print_json_lines, print_table, print_text
from .shared.run import note
from .shared.terminal import confirm
from .shell import offer_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from citeloom.domain.research.session import (
        MessageFeedback,
        Recorded,
        ResearchSession,
        Source,
    )
    from citeloom.infrastructure.composition.application import Application

SessionArgument = Annotated[
    str,
    typer.Argument(
        autocompletion=offer_sessions, help="Session: its id, a unique beginning of it, or: last."
    ),
]


_SHOWN_ID, _SHOWN_QUESTION = 8, 60


def list_sessions(
    opened: "Application",
    project: AnyProjectOption = None,
    status: Annotated[
        list[SessionStatus] | None,
        typer.Option("--status", help="Only sessions with this status; repeatable."),
    ] = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="List deleted sessions that can still be restored.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number.")] = 100,
) -> Output:
    """List research sessions, the latest first."""
    from citeloom.application.ports.research import SessionFilter

    project_id = opened.projects.choice.named(project)
    session_filter = SessionFilter(
        project_id=project_id.value if project_id else None,
        statuses=tuple(status or ()),
        deleted=deleted,
        limit=limit,
    )
    sessions = opened.research.sessions.list(session_filter)
    documents = [one.model_dump(mode="json", exclude={"state"}) for one in sessions]
    empty = "no sessions yet: start one with `citeloom review QUESTION --project NAME`"
    columns = ("Session", "Begun", "Project", "Depth", "Status", "Question")
    return Output(
        {"sessions": documents, "count": len(documents)},
        Table(columns, [_row(one) for one in sessions], empty),
    )


def show(opened: "Application", session: SessionArgument) -> Output:
    """Show one session: status, sources, claims and report."""
    recorded = opened.research.sessions.show(session)
    feedback = opened.research.users.feedback(recorded.session.message_id)
    document = recorded.model_dump(mode="json", exclude={"session": {"state"}})
    return Output(
        document | {"feedback": [one.model_dump(mode="json") for one in feedback]},
        lambda: _print_recorded(recorded, feedback),
    )


def _print_recorded(recorded: "Recorded", feedback: "Sequence[MessageFeedback]") -> None:
    from citeloom.application.research.export import with_escaped_claims

    opinions = [
        ("feedback", f"{one.rating.value} {one.feedback_text or ''}".strip()) for one in feedback
    ]
    print_table(None, ("", ""), [*_facts(recorded), *opinions])
    if recorded.sources:
        used = [(s.citekey or s.url, s.title, _use(s)) for s in recorded.sources]
        print_table(None, ("Source", "Title", "Used"), used)
    if recorded.report.content:
        print_text(with_escaped_claims(recorded.report.content, recorded.claims))


def events(
    opened: "Application",
    session: SessionArgument,
    after: Annotated[
        int, typer.Option("--after", min=0, help="Only events with a higher number.")
    ] = 0,
) -> None:
    """Print the events of a session in order, as JSON lines."""
    from citeloom.domain.research.events import to_wire

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


def cancel(opened: "Application", session: SessionArgument) -> Output:
    """Stop a running review. Its finished steps are kept, and it can be resumed."""
    done = opened.research.sessions.cancel(session)
    pending = "will stop after its current step"
    return _told(done, pending if done.cancelling else "is cancelled")


def delete(
    opened: "Application",
    session: SessionArgument,
    for_good: Annotated[
        bool, typer.Option("--for-good", help="Delete permanently, without the 30 days.")
    ] = False,
    yes: YesOption = False,
) -> Output:
    """Delete a session; for 30 days it can be restored."""
    sessions = opened.research.sessions
    if for_good:
        stored = sessions.show(session).session
        if not yes:
            confirm(f"delete {stored.id} for good ({stored.question})?")
        return _told(sessions.remove(str(stored.id)), "is gone")
    done = sessions.delete(session)
    return _told(
        done, f"is deleted; for 30 days `citeloom session restore {done.id}` brings it back"
    )


def restore(opened: "Application", session: SessionArgument) -> Output:
    """Restore a session that was deleted less than 30 days ago."""
    return _told(opened.research.sessions.restore(session), "is back")


def _told(session: "ResearchSession", outcome: str) -> Output:
    document = session.model_dump(mode="json", exclude={"state"})
    return Output(document, f"{session.id} {outcome}")


class ExportAs(StrEnum):
    MARKDOWN = "markdown"
    HTML = "html"
    DOCX = "docx"
    JSON = "json"
    CSV = "csv"
    PRISMA = "prisma"


REPORTS = (ExportAs.MARKDOWN, ExportAs.HTML, ExportAs.DOCX, ExportAs.JSON, ExportAs.CSV)


def export(
    opened: "Application",
    session: SessionArgument,
    format: Annotated[
        ExportAs | None,
        typer.Option(
            "--format",
            help="markdown, html, docx: the report. json: the complete record. csv: claims with "
            "their evidence. prisma: the search record after PRISMA. "
            "[default: by the suffix of --output, else markdown]",
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write (atomically).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    style: StyleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Export the report, the evidence or the search record of a review.

    --json means --format json; with --format prisma it prints the search record as JSON."""
    chosen = _format(format, file, as_json=as_json)
    id = opened.research.sessions.find(session)
    written, warnings = content(opened, id, chosen, style, as_json)
    if file is not None:
        opened.save(file, written, replace=force)
        for warning in warnings:
            note(f"note: {warning}")
        note(str(file))
    else:
        print_text(written.decode("utf-8").removesuffix("\n"))


def compare(opened: "Application", a: SessionArgument, b: SessionArgument) -> Output:
    """Compare two reviews: shared and different sources, evidence and claims, and changed
    verdicts."""
    from citeloom.infrastructure.cli.views.review import print_comparison

    find = opened.research.sessions.find
    comparison = opened.research.compare(find(a), find(b))
    return Output(comparison, lambda: print_comparison(comparison))


def _format(output: ExportAs | None, file: Path | None, *, as_json: bool) -> ExportAs:
    if as_json and output not in (None, ExportAs.JSON, ExportAs.PRISMA):
        raise InvalidRequest(
            f"--json and --format {output}: choose one of them", parameter="format"
        )
    named = ExportAs.JSON if as_json and output is None else output
    return format_of(named, file, *REPORTS) or ExportAs.MARKDOWN


def content(
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
    if chosen is ExportAs.HTML:
        from citeloom.infrastructure.http.reports import file_link, review_file

        session = opened.stores.research_record.session(id)
        link = file_link(opened, opened.projects.choice(session.project_id))
        handed = review_file(opened, session, style, link)
    else:
        handed = opened.research.export.file(id, ReviewFormat(chosen.value), style)
    return handed.content, handed.warnings
