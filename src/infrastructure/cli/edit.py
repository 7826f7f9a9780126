"""The commands ``edit``, ``undo`` and ``remove``."""

from typing import TYPE_CHECKING, Annotated

import typer

from .shared.frame import Output
from .shared.options import DOCUMENT, DocumentArgument, ProjectOption
from .shared.run import note
from .shared.terminal import confirm, print_line
from .shell import offer_keys

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


def remove(
    opened: "Application",
    documents: Annotated[
        list[str],
        typer.Argument(metavar="DOCUMENT…", autocompletion=offer_keys, help=f"{DOCUMENT}."),
    ],
    *,
    project: ProjectOption = None,
    delete_file: Annotated[
        bool, typer.Option("--delete-file", help="Move their files to the trash as well.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> Output:
    """Remove papers from a project, with their passages and stored text; your files stay.

    What you edited of a paper is there again if the paper is ingested again.
    """
    from citeloom.domain.text.phrasing import counted

    verb = opened.projects.remove
    removal = verb.plan(opened.projects.choice(project), documents)
    files = verb.sources(removal) if delete_file else ()
    for one in removal.documents:
        key = f"{one.citation.citekey}: " if one.citation else ""
        title = one.citation.title if one.citation else one.title or one.document_id
        note(f"{key}{title}, {counted(one.chunks, 'passage')}")
    for path in files:
        note(f"to the trash: {path}")
    number = counted(len(removal.documents), "paper")
    if not yes:
        confirm(f"remove {number} from {removal.project_id}?")
    back = [] if delete_file else verb.returning(removal)
    verb(removal, removal.name, files)
    document = {
        "project": removal.project_id.value,
        "documents": [one.document_id for one in removal.documents],
        "passages": removal.passages,
        "trashed": [str(one) for one in files],
    }
    told = [f"{one}: stays, and the next ingest of its folder reads it again" for one in back]
    return Output(document, f"removed {number} from {removal.project_id}", told)
