"""The commands ``add``, ``edit``, ``undo``, ``remove`` and ``duplicates``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.messages import prefixed
from citeloom.domain.text.phrasing import counted, shortened
from citeloom.infrastructure.cli.shared.frame import Output
from citeloom.infrastructure.cli.shared.options import (
    DOCUMENT,
    DocumentArgument,
    DocumentsArgument,
    ProjectOption,
    YesOption,
)
from citeloom.infrastructure.cli.shared.output import in_words
from citeloom.infrastructure.cli.shared.run import in_this_shell, note
from citeloom.infrastructure.cli.shared.terminal import confirm, print_line, quoted
from citeloom.infrastructure.cli.shell import offer_keys

if TYPE_CHECKING:
    from citeloom.application.citation.edit import Edited
    from citeloom.application.ingest.add import AddedWork, AddResult
    from citeloom.application.projects.duplicates import FoundDuplicates, ListedCopy, ListedGroup
    from citeloom.application.projects.projects import Removal
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

DeleteFileOption = Annotated[
    bool, typer.Option("--delete-file", help="Move their files to the trash as well.")
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
            help="Keep your own change although the entry is in a reference file or Zotero.",
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
    _print_changes(done)


def _print_changes(done: "Edited") -> None:
    for one in done.changes:
        print_line(f"  {one.field}: {_value(one.before)} → {_value(one.after)}")


def _value(text: str) -> str:
    return shortened(text, _SHOWN) or "(none)"


def remove(
    opened: "Application",
    documents: Annotated[
        list[str],
        typer.Argument(metavar="DOCUMENT…", autocompletion=offer_keys, help=f"{DOCUMENT}."),
    ],
    *,
    project: ProjectOption = None,
    delete_file: DeleteFileOption = False,
    yes: YesOption = False,
) -> Output:
    """Remove papers from a project, with their passages and stored text; your files stay.

    What you edited of a paper is there again if the paper is ingested again.
    """
    verb = opened.projects.remove
    removal = verb.plan(opened.projects.choice(project), documents)
    files = verb.sources(removal) if delete_file else ()
    _announce(removal, files)
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
    return Output(document, f"removed {number} from {removal.project_id}", _staying(back))


def _announce(removal: "Removal", files: Sequence[Path]) -> None:
    for one in removal.documents:
        key = f"{one.citation.citekey}: " if one.citation else ""
        title = one.citation.title if one.citation else one.title or one.document_id
        note(f"{key}{title}, {counted(one.chunks, 'passage')}")
    for path in files:
        note(f"to the trash: {path}")


def _staying(paths: Sequence[Path]) -> list[str]:
    return [f"{one}: stays, and the next ingest of its folder reads it again" for one in paths]


def duplicates(
    opened: "Application",
    documents: DocumentsArgument = None,
    *,
    project: ProjectOption = None,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge",
            help="Merge the named papers into the first, which keeps the keys, tags, notes and "
            "status of all; the others are removed.",
        ),
    ] = False,
    delete_file: DeleteFileOption = False,
    yes: YesOption = False,
) -> Output:
    """List papers that are in a project twice, with the better copy first, or merge them.

    Copies have the same DOI, arXiv id, PMID or ISBN, title and authors, or text. Versions, such
    as a preprint and its publication, have other pages: each is cited as itself.
    """
    verb, project_id = opened.projects.duplicates, opened.projects.choice(project)
    names = documents or []
    if not merge:
        if delete_file or yes:
            raise typer.BadParameter("only with --merge", param_hint="--delete-file, --yes")
        found = verb(project_id, names)
        return Output(found, lambda: _print_groups(found, names), found.warnings)
    if len(names) < 2:
        raise typer.BadParameter("name the paper that stays, then its copies", param_hint="--merge")
    merging = verb.plan(project_id, names[0], names[1:])
    removal = merging.removal
    files = opened.projects.remove.sources(removal) if delete_file else ()
    _announce(removal, files)
    if not yes:
        stays = merging.kept.citation.citekey if merging.kept.citation else names[0]
        confirm(f"merge {'it' if len(removal.documents) == 1 else 'them'} into {stays}?")
    back = [] if delete_file else opened.projects.remove.returning(removal)
    done = verb.merge(merging, files)
    told = [*done.kept.warnings, *_staying(back)]
    return Output(done, lambda: _print_merged(done.kept), told)


def _print_merged(kept: "Edited") -> None:
    print_line(f"{kept.name}: {kept.what}" if kept.changes else f"{kept.name}: stays as it is")
    _print_changes(kept)


def _print_groups(found: "FoundDuplicates", names: Sequence[str]) -> None:
    compared = counted(found.compared, "paper")
    for heading, kind in _HEADINGS:
        groups = [one for one in found.groups if one.kind.value == kind]
        if groups and heading:
            print_line(heading)
        for group in groups:
            for line in _group_lines(group, found.project):
                print_line(in_this_shell(line))
    number = sum(one.kind.value == "duplicate" for one in found.groups)
    copied = f"{number} of them twice or more" if number else "no duplicates"
    if names:
        copied = f"{number or 'no'} with copies among those named"
    print_line(f"{found.project}: {compared}, {copied}")


#: What stands before the groups of a kind.
_HEADINGS = (
    ("", "duplicate"),
    ("Versions, not duplicates: their pages differ, and each is cited as itself.",
     "version"),
    ("Not clear: look at both before you merge or remove one.", "unclear"),
)  # fmt: skip


def _group_lines(group: "ListedGroup", project: str) -> Iterator[str]:
    names = [one.name for one in group.documents]
    yield f"{', '.join(names)}: {group.why}"
    is_duplicate = group.kind.value == "duplicate"
    for number, one in enumerate(group.documents):
        better = f"; better: {group.better}" if is_duplicate and not number else ""
        yield f"  {_copy(one)}{better}"
    if is_duplicate:
        merged = " ".join(map(quoted, names))
        yield f"  `citeloom duplicates --merge {merged} -p {project}` keeps the first"


def _copy(one: "ListedCopy") -> str:
    pages = f"{counted(one.pages, 'page')}, " if one.pages else ""
    title = _value(one.title or "")
    return f"{one.name}: {title} ({one.source_path}, {pages}{counted(one.passages, 'passage')})"


WorksArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="WORK…",
        help="DOI, arXiv id, PMID, ISBN, web address of a PDF or page, or a reference file "
        "(BibTeX, RIS, CSL-JSON and others), whose works without a file are added.",
    ),
]


def add(
    opened: "Application",
    works: WorksArgument,
    *,
    project: ProjectOption = None,
    pdf: Annotated[
        bool,
        typer.Option("--pdf", help="Also fetch the PDF if it is open access (arXiv, OpenAlex)."),
    ] = False,
) -> Output:
    """Add works that are not files yet, by identifier, address or reference file.

    An identifier is looked up at public services, as by `citeloom identify`. A work without text
    is in the list and can be cited; a file of it that is ingested later takes its place and key."""
    from citeloom.application.ingest.add import AddRequest, kind_of

    for work in works:
        kind_of(work)
    project_id, made_up = opened.projects.choice.to_fill(project, "library")
    if made_up:
        note(f"the first project here will be {project_id.name}; use --project for another name")
    request = AddRequest(project_id=project_id, names=tuple(works), pdf=pdf)
    result = opened.ingest.add(request, _told)
    notes = ["cancelled: the others were not added"] if result.cancelled else []
    code = 1 if result.failed else 0
    return Output(result, lambda: _show(result), result.warnings, notes, code=code)


def _told(name: str, number: int, total: int) -> None:
    if total > 1:
        note(f"{number} of {total}: {name}")


def _show(result: "AddResult") -> None:
    """The works that were named, then counts: a reference file may have thousands."""
    named = Counter(one.given for one in result.works)
    for one in result.works:
        if named[one.given] == 1 or one.why:
            for line in _lines(one):
                print_line(in_words(line))
    counts = Counter(one.outcome.value for one in result.works)
    summary = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
    bare = sum(not one.has_text and one.citekey is not None for one in result.works)
    without = f"; {bare} without text: `citeloom ingest FILE` adds it" if bare else ""
    print_line(in_this_shell(f"{result.project}: {summary}{without}"))


def _lines(one: "AddedWork") -> list[str]:
    from citeloom.domain.citation.metadata import provisional_mark
    from citeloom.domain.references.lookup import entry_line

    if one.citekey is None:
        is_named = one.why.startswith((f"{one.given}:", f"{Path(one.given).name}:"))
        of = "" if is_named else f"{one.given}: "
        return [prefixed(f"failed: {of}", one.why)]
    known = "already in the project" if one.outcome.value == "known" else "added"
    source = f" ({one.service})" if one.service else ""
    lines = [f"{one.citekey}{provisional_mark(one.citation_source)}: {known}{source}"]
    lines.append(f"  {entry_line(one.found) if one.found else one.title}")
    if one.file:
        lines.append(f"  file: {one.file}")
    if one.why:
        lines.append(prefixed("  ", one.why))
    return [*lines, *(f"  {notice}" for notice in one.notices)]
