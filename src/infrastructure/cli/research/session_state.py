"""The commands ``session cancel``, ``delete`` and ``restore``."""

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.cli.research.options import SessionArgument
from citeloom.infrastructure.cli.shared.options import JsonOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.run import application
from citeloom.infrastructure.cli.shared.terminal import confirm, print_line

if TYPE_CHECKING:
    from citeloom.domain.research.session import ResearchSession


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
    from citeloom.infrastructure.cli.shared.output import print_json

    if as_json:
        print_json(session.model_dump(mode="json", exclude={"state"}))
    else:
        print_line(f"{session.id} {outcome}")
