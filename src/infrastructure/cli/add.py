"""The command ``add``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .shared.frame import Output
from .shared.options import ProjectOption
from .shared.run import in_this_shell, note
from .shared.terminal import print_line

if TYPE_CHECKING:
    from citeloom.application.ingest.add import AddedWork, AddResult
    from citeloom.infrastructure.composition.application import Application

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
    from collections import Counter

    from .shared.output import in_words

    named = Counter(one.given for one in result.works)
    for one in result.works:
        if named[one.given] == 1 or one.why:
            for line in _lines(one):
                print_line(in_words(line))
    counts: dict[str, int] = {}
    for one in result.works:
        counts[one.outcome.value] = counts.get(one.outcome.value, 0) + 1
    summary = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
    bare = sum(not one.has_text and one.citekey is not None for one in result.works)
    without = f"; {bare} without text: `citeloom ingest FILE` adds it" if bare else ""
    print_line(in_this_shell(f"{result.project}: {summary}{without}"))


def _lines(one: "AddedWork") -> list[str]:
    from citeloom.domain.citation.metadata import provisional_mark
    from citeloom.domain.messages import prefixed
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
