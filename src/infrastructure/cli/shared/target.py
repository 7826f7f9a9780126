"""The project that documents are added to."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.cli.shared.run import note

if TYPE_CHECKING:
    from citeloom.domain.projects.project_id import ProjectId
    from citeloom.infrastructure.composition.application import Application


def project_to_fill(
    opened: "Application",
    named: str | None,
    sources: Sequence[str] | None,
    references: Path | None,
    *,
    zotero: bool,
) -> "ProjectId":
    """The project named, the default, or the only one; the first one is called after the folder
    of the files, which is told. Raises InvalidRequest, ProjectNotChosen."""
    from citeloom.infrastructure.system.folder_name import folder_name

    title = "zotero" if zotero else folder_name(sources or [*filter(None, [references])])
    project_id, made_up = opened.projects.choice.to_fill(named, title)
    if made_up:
        note(f"the first project here is called {project_id.name}; --project names it otherwise")
    return project_id
