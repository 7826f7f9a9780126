"""The commands ``session list``, ``show`` and ``events``."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.cli.research.options import SessionArgument
from citeloom.infrastructure.cli.shared.options import AnyProjectOption, JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import print_line

if TYPE_CHECKING:
    from datetime import datetime

    from citeloom.application.ports.research import Recorded
    from citeloom.domain.research.session import ResearchSession

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
        from citeloom.domain.projects.project_id import ProjectId
        from citeloom.domain.research.session import SessionStatus
        from citeloom.infrastructure.cli.shared.output import print_json, print_table

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
        from citeloom.application.research.styled_report import with_escaped_claims
        from citeloom.infrastructure.cli.shared.output import print_json, print_table, print_text

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
                [
                    (one.citekey or one.url, one.title, _use(recorded, one.id))
                    for one in recorded.sources
                ],
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
        from citeloom.infrastructure.cli.shared.output import print_json_lines

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


def _use(recorded: "Recorded", source_id: object) -> str:
    (source,) = (one for one in recorded.sources if one.id == source_id)
    if source.is_cited:
        return "cited"
    return "" if source.included else source.exclusion_reason or "not used"


def _time(time: "datetime") -> str:
    return time.astimezone().strftime("%Y-%m-%d %H:%M")
