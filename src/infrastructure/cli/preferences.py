"""The commands ``feedback`` and ``preferences``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .review import DepthOption
from .sessions import SessionArgument
from .shared.options import JsonOption, WorkspaceOption
from .shared.run import application
from .shared.terminal import print_line
from .shell import CommandGroup

if TYPE_CHECKING:
    from citeloom.domain.research.session import UserPreferences

preferences_app = typer.Typer(
    cls=CommandGroup, help="Defaults for your reviews.", no_args_is_help=True
)


class RatingChoice(StrEnum):
    """The domain's; loading that takes longer than ``--help`` should."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


def feedback(
    session: SessionArgument,
    rating: Annotated[RatingChoice, typer.Argument(help="Rating of the report.")],
    text: Annotated[str | None, typer.Argument(help="Why.")] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Rate the report of a session; `citeloom session show` prints the rating."""
    with application(workspace, as_json=as_json, owner="citeloom feedback") as opened:
        from citeloom.domain.research.session import Rating

        from .shared.output import print_json

        rated = opened.research.sessions.show(session).session
        stored = opened.research.users.rate_message(rated.message_id, Rating(rating), text)
        if as_json:
            print_json(stored)
        else:
            print_line(f"{rated.id}: {rating.value}")


@preferences_app.command("show")
def show(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Show your preferences."""
    with application(workspace, as_json=as_json) as opened:
        _print(opened.research.users.preferences(), as_json=as_json)


@preferences_app.command("set")
def set_preferences(
    instructions: Annotated[
        str | None,
        typer.Option(
            "--instructions",
            help="Instructions for the language model in reviews; @FILE reads them from a file.",
        ),
    ] = None,
    depth: Annotated[
        DepthOption | None, typer.Option("--depth", help="Default depth of reviews.")
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Change the given preferences and keep the others."""
    with application(workspace, as_json=as_json, owner="citeloom preferences") as opened:
        from citeloom.domain.errors import InvalidRequest
        from citeloom.domain.research.session import Depth

        if instructions is None and depth is None:
            raise InvalidRequest("nothing to set; name --instructions or --depth")
        done = opened.research.users.prefer(
            _text(instructions) if instructions is not None else None,
            Depth(depth) if depth else None,
        )
        _print(done, as_json=as_json)


@preferences_app.command("clear")
def clear(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Delete your preferences."""
    with application(workspace, as_json=as_json, owner="citeloom preferences") as opened:
        opened.research.users.clear()
        _print(opened.research.users.preferences(), as_json=as_json)


def _text(instructions: str) -> str:
    """Raises InvalidSource for a file that cannot be read."""
    from citeloom.domain.errors import InvalidSource

    if not instructions.startswith("@"):
        return instructions
    path = Path(instructions[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSource(
            f"{path}: cannot be read ({error}); name a text file in UTF-8", source=str(path)
        ) from None


def _print(preferences: "UserPreferences | None", *, as_json: bool) -> None:
    from .shared.output import print_json, print_table

    values = {
        "system_instructions": preferences.system_instructions if preferences else None,
        "default_research_depth": preferences.default_research_depth if preferences else None,
    }
    if as_json:
        mode = preferences.default_query_mode if preferences else None
        print_json({**values, "default_query_mode": mode})
        return
    rows = [(name.replace("_", " "), str(value)) for name, value in values.items() if value]
    if rows:
        print_table(None, ("", ""), rows)
    else:
        print_line("no preferences: set some with `citeloom preferences set`")
