"""The commands ``feedback`` and ``preferences``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.choices import Depth, Rating
from citeloom.domain.errors import InvalidRequest, InvalidSource

from .sessions import SessionArgument
from .shared.frame import Output, Table, group

if TYPE_CHECKING:
    from citeloom.domain.research.session import UserPreferences
    from citeloom.infrastructure.composition.application import Application


def feedback(
    opened: "Application",
    session: SessionArgument,
    rating: Annotated[Rating, typer.Argument(help="Rating of the report.")],
    text: Annotated[str | None, typer.Argument(help="Why.")] = None,
) -> Output:
    """Rate the report of a session; `citeloom session show` prints the rating."""
    rated = opened.research.sessions.show(session).session
    stored = opened.research.users.rate_message(rated.message_id, rating, text)
    return Output(stored, f"{rated.id}: {rating.value}")


def show(opened: "Application") -> Output:
    """Show your preferences."""
    return _shown(opened.research.users.preferences())


def set_preferences(
    opened: "Application",
    instructions: Annotated[
        str | None,
        typer.Option(
            "--instructions",
            help="Instructions for the language model in reviews; @FILE reads them from a file.",
        ),
    ] = None,
    depth: Annotated[
        Depth | None, typer.Option("--depth", help="Default depth of reviews.")
    ] = None,
) -> Output:
    """Change the given preferences and keep the others."""
    if instructions is None and depth is None:
        raise InvalidRequest("nothing to set; name --instructions or --depth")
    done = opened.research.users.prefer(
        _text(instructions) if instructions is not None else None,
        depth,
    )
    return _shown(done)


def clear(opened: "Application") -> Output:
    """Delete your preferences."""
    opened.research.users.clear()
    return _shown(opened.research.users.preferences())


def _text(instructions: str) -> str:
    """Raises InvalidSource for a file that cannot be read."""
    if not instructions.startswith("@"):
        return instructions
    path = Path(instructions[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSource(
            f"{path}: cannot be read ({error}); name a text file in UTF-8", source=str(path)
        ) from None


def _shown(preferences: "UserPreferences | None") -> Output:
    values = {
        "system_instructions": preferences.system_instructions if preferences else None,
        "default_research_depth": preferences.default_research_depth if preferences else None,
    }
    mode = preferences.default_query_mode if preferences else None
    rows = [(name.replace("_", " "), str(value)) for name, value in values.items() if value]
    empty = "no preferences: set some with `citeloom preferences set`"
    return Output({**values, "default_query_mode": mode}, Table(("", ""), rows, empty))


preferences_app = group("Defaults for your reviews.", show=show, set=set_preferences, clear=clear)
