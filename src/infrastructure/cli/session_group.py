"""The command group ``session``."""

import typer

from citeloom.infrastructure.cli import review
from citeloom.infrastructure.cli import sessions as handing_over
from citeloom.infrastructure.cli import sessions as looking
from citeloom.infrastructure.cli import sessions as session_state
from citeloom.infrastructure.cli.shell import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    help="List, show, replay, resume, export, compare, cancel, delete and restore research "
    "sessions.",
    no_args_is_help=True,
)
app.command("list")(looking.list_sessions)
app.command("show")(looking.show)
app.command("events")(looking.events)
app.command("resume")(review.resume)
app.command("export")(handing_over.export)
app.command("compare")(handing_over.compare)
app.command("cancel")(session_state.cancel)
app.command("delete")(session_state.delete)
app.command("restore")(session_state.restore)
