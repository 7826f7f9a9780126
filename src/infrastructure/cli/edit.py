"""The commands ``edit`` and ``undo``."""

from typing import TYPE_CHECKING, Annotated

import typer

from .shared.frame import Output
from .shared.options import DocumentArgument, ProjectOption
from .shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.citation.edit import Edited
    from citeloom.infrastructure.composition.application import Application

_SHOWN = 200
"""Letters of a value."""

ChangesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FIELD=VALUE…",
        help="A CSL field or key: title='…' year=2020 author='Family, Given; Family, Given' "
        "journal='…' volume=3 pages=1-9 DOI=10.1234/abcd type=article-journal key=weir2020. An "
        "empty value (volume=) removes the field. Or what is yours alone: tag+=cooling tag-=draft "
        "note='…' status=unread, reading, read or excluded, because='wrong population'.",
    ),
]


def edit(
    opened: "Application",
    document: DocumentArgument,
    changes: ChangesArgument,
    *,
    project: ProjectOption = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Keep the change as your own where the entry is in a reference file or Zotero.",
        ),
    ] = False,
) -> Output:
    """Change the citation of a paper, its tags, note or reading status.

    A change is yours: no ingest, sync or look-up takes it away. `citeloom undo` does.
    """
    from citeloom.application.citation.edit import parse_assignment

    assignments = [parse_assignment(one) for one in changes]
    project_id = opened.projects.choice(project)
    done = opened.projects.edit(project_id, document, assignments, force=force)
    return Output(done, lambda: _print(done, done.name), done.warnings)


def undo(opened: "Application", project: ProjectOption = None) -> Output:
    """Take back the last edit of a project; run it again to go further back."""
    done = opened.projects.edit.undo(opened.projects.choice(project))
    if done is None:
        return Output({"undone": None}, "nothing to undo")
    return Output(
        {"undone": done}, lambda: _print(done, f"{done.name}: undone: {done.what}"), done.warnings
    )


def _print(done: "Edited", heading: str) -> None:
    print_line(heading if done.changes else f"{heading}: nothing changes")
    for one in done.changes:
        print_line(f"  {one.field}: {_value(one.before)} → {_value(one.after)}")


def _value(text: str) -> str:
    from citeloom.domain.text.phrasing import shortened

    return shortened(text, _SHOWN) or "(none)"
