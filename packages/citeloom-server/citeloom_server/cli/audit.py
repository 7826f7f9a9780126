"""The command ``audit``."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from citeloom.domain.errors import InvalidRequest, shown
from citeloom.infrastructure.cli.shared.options import AnyProjectOption, JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.output import print_json, print_json_lines, print_table
from citeloom.infrastructure.cli.shared.run import application, note

if TYPE_CHECKING:
    from citeloom_server.application.audit.ports import AuditEvent, AuditFilter, AuditTrail

_AGO: Final = re.compile(r"(\d{1,6})([mhdw])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_PAGE: Final = 1000
_COLUMNS: Final = ("Time (UTC)", "Principal", "Over", "Action", "Project", "Object", "Outcome")


def audit(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Only events since: 2026-11-25, 2026-11-25T14:00, 12h, 7d."
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only events before this time.")
    ] = None,
    principal: Annotated[str | None, typer.Option(help="Only events of this user.")] = None,
    project: AnyProjectOption = None,
    action: Annotated[
        str | None, typer.Option(help="Only this action: remove_document, log_in, refuse …")
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(help="Only this outcome: done, begun, failed, 401 or another code."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=0, help="Maximum number of events; 0: all.")
    ] = 50,
    lines: Annotated[bool, typer.Option("--jsonl", help="Print one JSON object a line.")] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """List who did what over the server, and when: changes, log-ins, refusals, ends of jobs.

    An event that is `begun` has no outcome, because the server stopped first.
    """
    with application(workspace, as_json=as_json, owner="citeloom audit") as opened:
        from citeloom_server.application.audit.ports import AuditFilter
        from citeloom_server.application.audit.recorder import project_name
        from citeloom_server.infrastructure.operation.verbs import OperationVerbs

        now = opened.stores.clock.now()
        wanted = AuditFilter(
            since=_time("since", since, now),
            until=_time("until", until, now),
            principal=principal,
            project=project_name(project) if project else None,
            action=action,
            outcome=outcome,
        )
        events = _events(OperationVerbs(opened.stores).audit_trail, wanted, limit)
        if lines:
            print_json_lines(events)
        elif as_json:
            print_json({"events": list(events)})
        elif rows := [_row(event) for event in events]:
            print_table(None, _COLUMNS, rows)
        else:
            note("no events; changes over `citeloom serve` and by tools of agents are recorded")


def _events(trail: "AuditTrail", wanted: "AuditFilter", limit: int) -> "Iterator[AuditEvent]":
    """The last events; all of them a page at a time."""
    if limit:
        yield from trail.latest(wanted, limit)
        return
    last = None
    while page := trail.after(last, wanted, _PAGE):
        yield from page
        last = page[-1]


def _time(name: str, text: str | None, now: datetime) -> datetime | None:
    """A date or time, by default of this machine's zone, or a duration back from now. Raises
    InvalidRequest."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text.strip()):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"--{name}: {shown(text)}: not a time; write 2026-11-25, 2026-11-25T14:00, or how long "
            "ago: 30m, 12h, 7d, 4w",
            parameter=name,
        ) from None


def _row(event: "AuditEvent") -> tuple[str, ...]:
    return (
        event.time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        event.principal or "-",
        event.origin.value,
        event.action,
        event.project or "-",
        event.object or "-",
        f"{event.outcome} ×{event.count}" if event.count > 1 else event.outcome,
    )
