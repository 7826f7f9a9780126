"""The command ``lsp``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.cli.shared.options import ProjectOption, WorkspaceOption
from citeloom.infrastructure.cli.shared.output import in_words
from citeloom.infrastructure.cli.shared.terminal import is_connected

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

# Less than the deadline of a question (8 s), so that the answer names who holds the index.
_WAIT_SECONDS: Final = 6.0


def lsp(
    project: ProjectOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Serve this workspace to an editor over the Language Server Protocol: citations for
    Markdown, Quarto, LaTeX and Typst."""
    from citeloom.infrastructure.cli.shared.run import chosen_workspace, end_at_once, fail

    try:
        named = chosen_workspace(workspace)
        if not is_connected():
            raise InvalidRequest(
                "standard input or output is closed; an editor starts this command and talks to "
                "it there"
            )
    except InvalidRequest as error:
        fail(error, as_json=False)

    def open_workspace(other: Path | None, start: Path | None) -> "Application":
        from citeloom.infrastructure.composition.application import open_application

        flags: dict[str, dict[str, Any]] = {"index": {"wait_seconds": _WAIT_SECONDS}}
        return open_application(other or named, flags, owner="citeloom lsp", start=start)

    from citeloom_lsp.infrastructure.server import serve

    code = serve(open_workspace, project, in_words)
    end_at_once()
    raise typer.Exit(code)
