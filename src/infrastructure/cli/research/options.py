"""Arguments shared by the session commands."""

from typing import Annotated

import typer

SessionArgument = Annotated[
    str, typer.Argument(help="Session: its id, a unique beginning of it, or: last.")
]
