"""The verb *validate*: models, references, bundles, index, citations, and what became of works."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.citation.assignment import find_notices
from citeloom.application.citation.references import read_references
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import open_collection
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.models import other_models
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.citation import (
    ReferenceLibrary,
    ReferenceReader,
    RetractionList,
    RetractionReader,
)
from citeloom.application.ports.index import Index
from citeloom.application.ports.models import Embedder
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import CiteLoomError, ReferencesUnreadable
from citeloom.domain.library import ITEM_TYPE, NOTE_TYPE, WORK_TYPE, DocumentRole
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi, versionless
from citeloom.domain.references.work_versions import Nature, Notice
from citeloom.domain.text.phrasing import counted
from citeloom.domain.value import Value

from .checks import (
    Check,
    IndexContents,
    Status,
    Validation,
    catalogue_integrity,
    doubted,
    failed,
    index_contents,
    named,
    passed,
    scanned_documents,
    server_condition,
    stored_conversions,
    text_fidelity,
    warned,
)


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
    without = [work for work in works if document_names.isdisjoint(_key_names(work))]
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
    shared = {key: found for key, found in owners.items() if len(found) > 1}
    if shared:
        yield warned(
            project,
            "citation keys",
            f"{counted(len(shared), 'key')} of several documents",
            "name such a document by its path or id; remove the one that is no longer wanted, "
            "or give it its own item",
            [f"{key} ({', '.join(map(named, found))})" for key, found in sorted(shared.items())],
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
    names = _key_names(document.citation) if document.citation else set()
    others = document.held.alternatives if document.held else ()
    return names | {f"item {one.item_key}" for one in others}


def _key_names(work: CitationMeta) -> set[str]:
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
    retraction_list, keys, stand = find_notices(works, path, reader)
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
    if unread := retraction_list.warnings:
        guidance = "download the list again"
        yield warned(project, "retractions", retraction_list.source, guidance, unread)


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


_SHOWN = 5
#: Checks that read no document.
_QUICK = frozenset({"embedding model", "server", "index"})


class ValidateRequest(Value):
    """One project, or all; ``deep`` reads everything that is stored, not only a sample."""

    project_id: ProjectId | None = None
    deep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Validate:
    """Runs the checks of one project or of all."""

    documents: DocumentStores
    index: Index
    references: ReferenceReader
    retractions: RetractionReader
    embedder: Callable[[str], Embedder]
    writer: PassageWriter

    def __call__(
        self,
        project_id: ProjectId | None = None,
        *,
        retractions: Path | None = None,
        deep: bool = False,
        quick: bool = False,
        told: Callable[[int, int], None] = lambda *_: None,
    ) -> Validation:
        """Check one project, or all; with a list of ``retractions`` their works too. ``deep``
        reads everything that is stored, not only a sample; ``quick`` reads no document. ``told``
        hears how many projects are done, and of how many. Raises ProjectNotFound, and
        InvalidSource for a list that cannot be read."""
        projects: Sequence[Project]
        if project_id is not None:
            projects = [self.documents.catalogue.project(project_id)]
        else:
            projects = self.documents.catalogue.projects()
        checks = [] if quick else [catalogue_integrity(self.documents.catalogue, deep=deep)]
        for number, project in enumerate(projects):
            told(number, len(projects))
            checks += self._checks(project, retractions, deep=deep, quick=quick)
        if not projects:
            checks.append(
                Check(
                    check="projects",
                    status=Status.WARN,
                    message="there are no projects",
                    guidance=UserMessage("", NextStep(Action.CREATE_PROJECT)),
                )
            )
        return Validation(checks=tuple(checks))

    def _checks(
        self, project: Project, retractions: Path | None, *, deep: bool, quick: bool
    ) -> Iterator[Check]:
        bundles = self.documents.bundles
        documents = self.documents.catalogue.documents(project.id)
        read: list[ReferenceLibrary] = []
        contents = IndexContents(self.documents.catalogue, self.index, bundles)

        def library() -> ReferenceLibrary | None:
            return read[0] if read else None

        steps: tuple[tuple[str, Callable[[], Iterator[Check]]], ...] = (
            ("embedding model", lambda: self._model(project)),
            ("references", lambda: self._reference_file(project, documents, read)),
            ("bundles", lambda: stored_conversions(project, documents, bundles, deep=deep)),
            ("server", lambda: server_condition(project, self.index)),
            ("index", lambda: index_contents(project, documents, contents, deep=deep)),
            ("other models", lambda: self._other_models(project)),
            ("citations", lambda: self._citations(project, documents)),
            (
                "items without files",
                lambda: items_without_files(
                    project, documents, library(), self.documents.files.exists
                ),
            ),
            ("citation keys", lambda: keys_that_clash(project, documents, library())),
            ("DOIs", lambda: dois_that_disagree(project, documents)),
            ("text", lambda: scanned_documents(project, documents, bundles)),
            ("text fidelity", lambda: text_fidelity(project, documents)),
        )
        for name, step in steps:
            if quick and name not in _QUICK:
                continue
            checkpoint()
            try:
                yield from step()
            except Cancelled:
                raise
            except CiteLoomError as error:
                yield failed(project, name, error.message)
        if retractions is not None:
            works = works_of(documents, library())
            yield from retracted_works(project, works, retractions, self.retractions)

    def _model(self, project: Project) -> Iterator[Check]:
        stored = project.embedding_model
        present = self.embedder(stored.name).model
        if present == stored:
            yield passed(project, "embedding model", stored.fingerprint)
            return
        yield failed(
            project,
            "embedding model",
            f"the project has {stored.fingerprint}, here is {present.fingerprint}",
            UserMessage(
                "install the model that the project was made with",
                NextStep(Action.MIGRATE_MODEL, project=project.id.value, model=present.name),
            ),
        )

    def _reference_file(
        self, project: Project, documents: Sequence[StoredDocument], read: list[ReferenceLibrary]
    ) -> Iterator[Check]:
        """Check the reference files; their library is appended to ``read``."""
        paths = project.reference_files
        held = sum(document.held is not None for document in documents)
        if not paths and held:
            yield passed(project, "references", f"{held} documents of the library it follows")
            return
        if not paths:
            yield passed(project, "references", "no reference file")
            return
        references = read_references(self.references, paths)
        library = references.library
        if library is None:
            raise ReferencesUnreadable(references.unread[0])
        for reason in references.unread:
            yield failed(project, "references", reason, "or drop the file from the project")
        read.append(library)
        yield passed(project, "references", f"{library.source}: {len(library.items)} items")
        for warning in library.warnings[:_SHOWN]:
            yield doubted(project, "references", warning)
        if len(library.warnings) > _SHOWN:
            more = f"{len(library.warnings) - _SHOWN} more warnings of this kind"
            yield doubted(
                project, "references", more, "as JSON this names them all", library.warnings
            )

    def _indexed(self, project: Project) -> Mapping[str, int]:
        if not self.index.exists(project.collection):
            return {}
        with open_collection(self.index, project) as collection:
            return dict(collection.counts())

    def _other_models(self, project: Project) -> Iterator[Check]:
        """State of models that are not in use: an incomplete one is only a warning."""
        counts = {other.collection: self._indexed(project.on(other)) for other in project.others}
        for other in other_models(self.documents.catalogue, self.writer, project, counts):
            message = f"{other.name}: {other.ready} of {other.documents} documents are ready"
            action = Action.USE_MODEL if other.ready < other.documents else None
            if other.unwanted:
                message, action = f"{other.name}: is to be deleted", Action.DROP_MODEL
            if action is None:
                yield passed(project, "other models", message)
                continue
            step = NextStep(action, project.id.value, model=other.name)
            yield doubted(project, "other models", message, UserMessage("", step))

    def _citations(self, project: Project, documents: Sequence[StoredDocument]) -> Iterator[Check]:
        without = [document for document in documents if not document.is_cited]
        if without:
            names = [one.citation.citekey if one.citation else named(one) for one in without]
            has = "has" if len(without) == 1 else "have"
            yield warned(
                project,
                "citations",
                f"{len(without)} of {counted(len(documents), 'document')} {has} a provisional "
                "citation",
                UserMessage("", NextStep(Action.IDENTIFY, project.id.value)),
                names,
            )
        else:
            yield passed(project, "citations", f"{len(documents)} documents are cited")
