"""Reviews of the sample library by the installed command."""

import sqlite3
from contextlib import closing
from pathlib import Path

QUESTION = "How does the cooling beside ponds depend on distance, and what does the grid cost?"


def squeezed(text: str) -> str:
    """Without white space and hyphens; a PDF's minus sign may come out as a hyphen."""
    for sign in "-−\u00ad":
        text = text.replace(sign, "")
    return "".join(text.split())


def make_old(workspace: Path, id: str) -> None:
    """As if its worker had been silent for long."""
    with (
        closing(sqlite3.connect(workspace / ".citeloom" / "catalogue.sqlite")) as database,
        database,
    ):
        changed = database.execute(
            "UPDATE research_sessions SET heartbeat_at = '2020-01-01T00:00:00.000000+00:00' "
            "WHERE id = ?",
            (id,),
        )
        assert changed.rowcount == 1
