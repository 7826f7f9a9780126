"""Checks of a project's documents against its library and a retraction list."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import ReferenceLibrary, RetractionList, RetractionReader
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library import ITEM_TYPE, NOTE_TYPE, WORK_TYPE, DocumentRole
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import Project
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi, versionless
from citeloom.domain.references.work_versions import Nature, Notice, current_notice
from citeloom.domain.text.phrasing import counted

from .checks import Check, Status, named, passed, warned


def works_of(
    documents: Iterable[StoredDocument], library: ReferenceLibrary | None
) -> list[CitationMeta]:
    """The items of the reference file and of the documents, each citation key once."""
    items = [*(library.items if library else ()), *(d.citation for d in documents if d.citation)]
    return list({item.citekey: item for item in reversed(items)}.values())[::-1]


def items_without_files(
    project: Project,
    documents: Sequence[StoredDocument],
    library: ReferenceLibrary | None,
    exists: Callable[[str], bool],
) -> Iterator[Check]:
    """Items without a document: without file, with a missing file, or with one that was not
    ingested."""
    works = works_of(documents, library)
    if not works:
        return
    files = [d for d in documents if d.mime_type not in (ITEM_TYPE, NOTE_TYPE, WORK_TYPE)]
    document_names = {name for d in files for name in _names_of(d)}
    without = [work for work in works if document_names.isdisjoint(_names(work))]
    paths: dict[str, list[str]] = defaultdict(list)
    for attachment in library.attachments if library else ():
        paths[attachment.citekey].append(attachment.path)
    on_disk = {w.citekey: [p for p in paths[w.citekey] if exists(p)] for w in without}
    if bare := [w.citekey for w in without if not paths[w.citekey]]:
        yield warned(
            project,
            "items without files",
            f"{counted(len(bare), 'item')} of {len(works):,} without a file",
            "add their files and ingest them; until then they can be cited, but their text "
            "cannot be searched",
            bare,
        )
    if gone := [w.citekey for w in without if paths[w.citekey] and not on_disk[w.citekey]]:
        yield warned(
            project,
            "missing files",
            f"{counted(len(gone), 'item')} with files that are not on this machine",
            "let Zotero download them, or correct their paths, and export again",
            [f"{key} ({paths[key][0]})" for key in gone],
        )
    if left := [w.citekey for w in without if on_disk[w.citekey]]:
        yield warned(
            project,
            "files not ingested",
            f"{counted(len(left), 'item')} with files that were not ingested",
            UserMessage(
                "ingest them too",
                NextStep(Action.ADD_DOCUMENTS, project.id.value, on_disk[left[0]][0]),
            ),
            [f"{key} ({on_disk[key][0]})" for key in left],
        )
    if not without:
        yield passed(project, "items without files", f"all {len(works):,} items have a document")


def keys_that_clash(
    project: Project, documents: Sequence[StoredDocument], library: ReferenceLibrary | None
) -> Iterator[Check]:
    """Citation keys that differ only in case, and keys of several documents."""
    works = works_of(documents, library)
    folded: dict[str, set[str]] = defaultdict(set)
    for work in works:
        folded[work.citekey.casefold()].add(work.citekey)
    alike = [" / ".join(sorted(keys)) for keys in folded.values() if len(keys) > 1]
    if alike:
        yield warned(
            project,
            "citation keys",
            f"{counted(len(alike), 'key')} in ways that differ in capitals only",
            "BibTeX does not distinguish them: give each item its own key in the library",
            sorted(alike),
        )
    owners: dict[str, list[StoredDocument]] = defaultdict(list)
    for document in documents:
        if document.citation and _is_main(document):
            owners[document.citation.citekey].append(document)
    shared = {
        key: documents_of_key
        for key, documents_of_key in owners.items()
        if len(documents_of_key) > 1
    }
    if shared:
        yield warned(
            project,
            "citation keys",
            f"{counted(len(shared), 'key')} of several documents",
            "name such a document by its path or id; remove the one that is no longer wanted, "
            "or give it its own item",
            [
                f"{key} ({', '.join(map(named, documents_of_key))})"
                for key, documents_of_key in sorted(shared.items())
            ],
        )
    if works and not alike and not shared:
        yield passed(project, "citation keys", f"{counted(len(works), 'key')}, all different")


def dois_that_disagree(project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
    """Documents whose first pages and metadata have DOIs, but not that of their item. A file with
    only an arXiv id counts as a preprint and is not compared with the DOI of an article."""
    compared, wrong = 0, []
    for document in documents:
        item = normalise_doi(document.citation.doi or "") if document.citation else None
        stated = {_plain(name) for name in document.identifiers if normalise_doi(name)}
        if item is None or not stated or document.mime_type in (ITEM_TYPE, NOTE_TYPE):
            continue
        compared += 1
        arxiv = {id for name in document.identifiers if (id := normalise_arxiv(name))}
        if _plain(item) in stated or normalise_arxiv(item) in arxiv:
            continue
        assert document.citation is not None
        says = ", ".join(sorted(stated))
        wrong.append(f"{document.citation.citekey}: {item}, {named(document)}: {says}")
    if wrong:
        yield warned(
            project,
            "DOIs",
            f"{counted(len(wrong), 'document')} with a DOI other than that of the item",
            "look at the first page: if it is another paper, link the right file to the item; if "
            "it names the DOI of another work or version, nothing is wrong",
            wrong,
        )
    elif compared:
        agree = counted(compared, "document agrees", "documents agree")
        yield passed(project, "DOIs", f"{agree} with the DOI of the item")


def _is_main(document: StoredDocument) -> bool:
    """Whether a document is its item's main one; supplements and notes share its key."""
    return document.held is None or document.held.role is DocumentRole.MAIN


def _names_of(document: StoredDocument) -> set[str]:
    """Identifying names of all items that the document is, or may be, cited as."""
    names = _names(document.citation) if document.citation else set()
    others = document.held.alternatives if document.held else ()
    return names | {f"item {one.item_key}" for one in others}


def _names(work: CitationMeta) -> set[str]:
    """Names by which two records count as one item: citation key, item key, DOI."""
    doi = normalise_doi(work.doi or "")
    return (
        {f"key {work.citekey}"}
        | ({f"item {work.item_key}"} if work.item_key else set())
        | ({f"doi {doi}"} if doi else set())
    )


def _plain(doi: str) -> str:
    return versionless(normalise_doi(doi) or doi)


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
