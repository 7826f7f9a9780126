"""Retracted works of a project, by a retraction list."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from citeloom.application.ports.citation import RetractionList, RetractionReader
from citeloom.application.validation.checks import Check, Status, passed, warned
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.projects.project import Project
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.references.retractions import Nature, Notice, current_notice
from citeloom.domain.text.phrasing import counted

_WORDING = {
    Nature.RETRACTION: (
        "retracted",
        "do not rely on them; where you must name them, say that they are retracted and cite "
        "the notice",
    ),
    Nature.CONCERN: (
        "with an expression of concern",
        "read the notice before you rely on them",
    ),
    Nature.CORRECTION: (
        "corrected",
        "read the correction, and see whether it touches what you cite",
    ),
    Nature.REINSTATEMENT: (
        "retracted once and reinstated",
        "read the notice before you rely on them",
    ),
}


def retracted_works(
    project: Project, works: Sequence[CitationMeta], path: Path, reader: RetractionReader
) -> Iterator[Check]:
    """Works are found by DOI. Raises InvalidSource."""
    keys: dict[str, list[str]] = defaultdict(list)
    for work in works:
        if doi := normalise_doi(work.doi or ""):
            keys[doi].append(work.citekey)
    retraction_list = reader.find(path, keys.keys())
    by_doi: dict[str, list[Notice]] = defaultdict(list)
    for notice in retraction_list.notices:
        by_doi[notice.doi].append(notice)
    stand = {doi: current_notice(notices) for doi, notices in by_doi.items()}
    for nature, (what, guidance) in _WORDING.items():
        items = [
            f"{key} ({_notice_text(notice)})"
            for doi, notice in stand.items()
            if notice.nature is nature
            for key in keys[doi]
        ]
        if items:
            message = f"{counted(len(items), 'work')} {what}, by {_list(retraction_list)}"
            yield warned(project, "retractions", message, guidance, sorted(items))
    if not stand:
        with_doi = counted(len(keys), "work")
        yield passed(
            project, "retractions", f"none of {with_doi} with a DOI is in {_list(retraction_list)}"
        )
    if retraction_list.warnings:
        yield Check(
            project=project.id.value,
            check="retractions",
            status=Status.WARN,
            message=f"{retraction_list.source}: {retraction_list.warnings[0]}"
            + (
                f" and {len(retraction_list.warnings) - 1} more"
                if len(retraction_list.warnings) > 1
                else ""
            ),
            guidance="download the list again",
            items=retraction_list.warnings,
        )


def _notice_text(notice: Notice) -> str:
    when = f" of {notice.dated.isoformat()}" if notice.dated else ""
    why = f": {', '.join(notice.reasons)}" if notice.reasons else ""
    where = f"; https://doi.org/{notice.notice_doi}" if notice.notice_doi else ""
    return f"{notice.nature.value}{when}{why}{where}"


def _list(retraction_list: RetractionList) -> str:
    newest = (
        f", the newest notice of {retraction_list.newest.isoformat()}"
        if retraction_list.newest
        else ""
    )
    records = counted(retraction_list.records, "record")
    return f"{retraction_list.source} of {retraction_list.dated.isoformat()} ({records}{newest})"
