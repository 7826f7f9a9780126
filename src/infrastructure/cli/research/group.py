"""``citeloom session``: what the commands of the group are."""

import typer

from citeloom.infrastructure.cli.research import handing_over, looking, review, settling

app = typer.Typer(
    help="Sessions of research: list, show, replay, resume, export, compare, cancel, delete and "
    "restore them.",
    no_args_is_help=True,
)
app.command("list")(looking.list_sessions)
app.command("show")(looking.show)
app.command("events")(looking.events)
app.command("resume")(review.resume)
app.command("export")(handing_over.export)
app.command("compare")(handing_over.compare)
app.command("cancel")(settling.cancel)
app.command("delete")(settling.delete)
app.command("restore")(settling.restore)
