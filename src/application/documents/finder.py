"""Documents by whatever names them: the one lookup, names of documents, and those that are near."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import PurePath

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.citation import OwnRecords
from citeloom.domain.citation.own import reading_status, status_of
from citeloom.domain.errors import DocumentNotFound, ProjectNotFound
from citeloom.domain.library import DocumentRole
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import Action, NextStep, nearest
from citeloom.domain.naming import (
    IDENTIFIERS,
    Name,
    NameKind,
    Spelling,
    citation_key,
    identifiers_in,
    label,
    nfc,
    parse_spelling,
    source_names,
)
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.identifiers import as_file_name, letters_and_digits
from citeloom.domain.resources.uris import SCHEME, document_uri, is_short_name_of, subrealm_of
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.text.phrasing import counted, shortened

#: Letters of a part of a title or file name that is long enough to name it.
LEAST_PART = 3
_SHOWN, _TITLE, _LONGEST = 5, 60, 200
_Rule = Callable[[ProjectId], Sequence[StoredDocument]]


@dataclass(frozen=True)
class DocumentFinder:
    """Finds documents by citation key, title, file, DOI, arXiv id, id, address or citation.

    The first rule that fits any document decides: exact names, whole titles and file names,
    beginnings of citation keys, beginnings of ids, parts of titles and file names. ``base`` is the
    working directory of the caller, for relative paths; ``own`` is needed for filters by status.
    Methods raise what ``parse_spelling`` raises, and ProjectNotFound.
    """

    catalogue: Catalogue
    base: PurePath | None = None
    own: OwnRecords | None = None

    def spelling(self, name: str) -> Spelling:
        return parse_spelling(name, self.base)

    def find(self, name: str | Spelling, project_id: ProjectId | None = None) -> StoredDocument:
        """The document of the project, or of any, that is named so.

        Raises DocumentNotFound: for none, with the nearest names, and for several, with
        ``options`` in its details.
        """
        return self.named(name, project_id)[0]

    def named(
        self, name: str | Spelling, project_id: ProjectId | None = None
    ) -> Sequence[StoredDocument]:
        """The same document once for each project that has it."""
        spelling = self._spelled(name)
        projects = self._projects(spelling, project_id)
        found = self._found(projects, spelling)
        _refuse_several(spelling, found, project_id)
        return found

    def among(
        self, name: str | Spelling, projects: Sequence[ProjectId]
    ) -> Sequence[StoredDocument]:
        """The document that is named so in each of ``projects`` that has one. Raises as ``find``,
        if no project has one, or one has several."""
        spelling = self._spelled(name)
        found = self._found(projects, spelling)
        for project_id in projects:
            own = [one for one in found if one.project_id == project_id]
            _refuse_several(spelling, own, project_id)
        return found

    def with_ids(self, filter: Filter, projects: Sequence[ProjectId]) -> Mapping[ProjectId, Filter]:
        """The filter for each project: each ``doc=NAME`` replaced by the id of its document, if it
        has one, each ``citekey=`` by the key that alone begins so, and each ``status=`` by the
        documents with it. Raises DocumentNotFound for a name that is unknown in all, or ambiguous
        in one, and for an ambiguous key; InvalidRequest for an unknown status."""
        found = {
            name: self.among(name, projects)
            for clause in filter.clauses
            if clause.field is Field.DOC
            for name in clause.values
        }
        clauses = [
            one.model_copy(update={"values": tuple(self._key(n, projects) for n in one.values)})
            if one.field is Field.CITEKEY
            else one
            for one in filter.clauses
        ]

        def resolved(clause: Clause, project_id: ProjectId) -> Clause:
            if clause.field is Field.STATUS:
                ids = self._with_status(clause.values, project_id)
                return Clause(field=Field.DOC, negated=clause.negated, values=ids)
            if clause.field is not Field.DOC:
                return clause
            documents = [one for name in clause.values for one in found[name]]
            values = [one.document_id for one in documents if one.project_id == project_id]
            return clause.model_copy(update={"values": tuple(values)})

        return {id: Filter(clauses=tuple(resolved(one, id) for one in clauses)) for id in projects}

    def _key(self, name: str, projects: Sequence[ProjectId]) -> str:
        """The citation key that ``name`` is, in any case or formerly, or whose only beginning it
        is; otherwise ``name``. Raises DocumentNotFound for several."""
        key, find = name.removeprefix("@"), self.catalogue.find_documents
        rules: list[_Rule] = [
            lambda id: find(id, [citation_key(key)]),
            lambda id: find(id, [label(key)]),
            lambda id: [one for one in self.catalogue.documents(id) if begins_key(key, one)],
        ]
        found = self._first(projects, rules)
        keyed = {one.citation.citekey: one for one in found if one.citation}
        if len(keyed) > 1:
            raise several(name, projects[0] if len(projects) == 1 else None, [*keyed.values()])
        return next(iter(keyed), name)

    def _with_status(self, values: Sequence[str], project_id: ProjectId) -> tuple[str, ...]:
        """Ids of the documents with one of these statuses; those without one are unread."""
        assert self.own is not None, "a filter by status needs the own records"
        wanted = {reading_status(value) for value in values}
        owned = self.own.owned(project_id)
        return tuple(
            one.document_id
            for one in self.catalogue.documents(project_id)
            if status_of(owned.get(one.document_id)) in wanted
        )

    def known(
        self, name: str | Spelling, project_id: ProjectId | None = None
    ) -> StoredDocument | None:
        """The document that has exactly this name; None if there is none. Raises
        DocumentNotFound if there are several."""
        spelling = self._spelled(name)
        found = self._first(self._projects(spelling, project_id), self._exact(spelling))
        _refuse_several(spelling, found, project_id)
        return found[0] if found else None

    def uri_of(self, name: str, project_id: ProjectId | None = None) -> str:
        """The knowledge URI of the document that is named so, in the project or in any; a
        knowledge URI is returned as it is.

        Raises what ``find`` raises, and DocumentNotFound for a document of several projects.
        """
        if name.startswith(SCHEME):
            return name
        first, *others = self.named(name, project_id)
        if others:
            projects = ", ".join(one.project_id.value for one in (first, *others))
            raise DocumentNotFound(
                f"{name}: is in several projects: {projects}; name the project", name=name
            )
        return str(document_uri(first.project_id, first.document_id))

    def _spelled(self, name: str | Spelling) -> Spelling:
        return name if isinstance(name, Spelling) else self.spelling(name)

    def _projects(self, spelling: Spelling, project_id: ProjectId | None) -> Sequence[ProjectId]:
        """The project asked for, else that of a knowledge URI, else all."""
        if project_id is not None:
            return (self.catalogue.project(project_id).id,)
        if spelling.project is not None:
            return [project.id for project in projects_named(self.catalogue, spelling.project)]
        return [project.id for project in self.catalogue.projects()]

    def _found(self, projects: Sequence[ProjectId], spelling: Spelling) -> Sequence[StoredDocument]:
        found = self._first(projects, chain(self._exact(spelling), self._loose(spelling)))
        if not found:
            where = projects[0] if len(projects) == 1 else None
            documents = [one for id in projects for one in self.catalogue.documents(id)]
            raise no_document(spelling.text, where, documents)
        return found

    def _first(
        self, projects: Sequence[ProjectId], rules: Iterable[_Rule]
    ) -> Sequence[StoredDocument]:
        """The result of the first rule that finds anything."""
        for rule in rules:
            found = [one for project_id in projects for one in main_documents(rule(project_id))]
            if found:
                return found
        return ()

    def _exact(self, spelling: Spelling) -> Iterator[_Rule]:
        def named(names: tuple[Name, ...]) -> _Rule:
            return lambda project_id: [
                document
                for document in self.catalogue.find_documents(project_id, names)
                if not IDENTIFIERS.issuperset(kind for kind, _ in names)
                or not own_identifiers(document).isdisjoint(names)
            ]

        yield from map(named, spelling.readings)
        if spelling.has_whole_id or spelling.address or spelling.uri:
            yield from self._beginning(spelling)

    def _beginning(self, spelling: Spelling) -> Iterator[_Rule]:
        if (prefix := spelling.document_id) is not None:
            yield lambda project_id: self.catalogue.documents_beginning(project_id, prefix)

    def _loose(self, spelling: Spelling) -> Iterator[_Rule]:
        documents = cache(self.catalogue.documents)

        def fitting(fits: Callable[[Spelling, StoredDocument], bool]) -> _Rule:
            return lambda project_id: [one for one in documents(project_id) if fits(spelling, one)]

        yield fitting(is_whole_name)
        yield fitting(lambda spelling, one: begins_key(spelling.text, one))
        yield from self._beginning(spelling)
        yield fitting(is_part_of_name)


def projects_named(catalogue: Catalogue, subrealm: str) -> Sequence[Project]:
    """The projects that a knowledge URI names: by the full name, else by a short one. Raises
    ProjectNotFound."""
    projects = catalogue.projects()
    full = [one for one in projects if subrealm_of(one.id) == subrealm]
    chosen = full or [one for one in projects if is_short_name_of(one.id, subrealm)]
    if not chosen:
        raise ProjectNotFound(subrealm, [subrealm_of(one.id) for one in projects])
    return chosen


def _refuse_several(
    spelling: Spelling, found: Sequence[StoredDocument], project_id: ProjectId | None
) -> None:
    documents = list({document.document_id: document for document in found}.values())
    if len(documents) > 1:
        raise several(spelling.text, project_id, documents)


def main_documents(matches: Sequence[StoredDocument]) -> Sequence[StoredDocument]:
    """Reduce the documents of one library item (paper, supplement, notes) to the main one;
    other ambiguous matches stay as they are."""
    main = [d for d in matches if d.held is None or d.held.role is DocumentRole.MAIN]
    return main if len(main) == 1 else matches


def names_of(document: StoredDocument) -> frozenset[Name]:
    """The names of ``document``, besides its id."""
    texts = list(document.identifiers)
    names: set[Name] = set(source_names(source.path for source in document.sources))
    if citation := document.citation:
        texts += [text for text in (citation.doi, citation.url) if text]
        names |= {citation_key(citation.citekey)}
        names.update(label(key) for key in (citation.citekey, *citation.former_keys))
        if citation.item_key:
            names.add((NameKind.ITEM, citation.item_key))
    if record := document.held:
        keys = [*record.former_keys, *(alternative.citekey for alternative in record.alternatives)]
        names.update(label(key) for key in keys)
        names.update((NameKind.ITEM, alternative.item_key) for alternative in record.alternatives)
    for text in texts:
        names.update(_of_works(text))
    return frozenset(names)


def own_identifiers(document: StoredDocument) -> frozenset[Name]:
    """The identifiers of its citation, and the first in its file; others may be of other works."""
    citation = document.citation
    given = [citation.doi, citation.url] if citation else []
    texts = [text for text in (*given, *document.identifiers[:1]) if text]
    return frozenset(name for text in texts for name in _of_works(text))


def _of_works(text: str) -> set[Name]:
    return {name for name in identifiers_in(nfc(text)) if name[0] is not NameKind.ITEM}


def is_whole_name(spelling: Spelling, document: StoredDocument) -> bool:
    """Whether the words are a title or a file name, with or without suffix."""
    letters = letters_and_digits(spelling.words or "")
    return bool(letters) and any(
        letters == letters_and_digits(name) for name in (*_titles(document), *_files(document))
    )


def begins_key(name: str, document: StoredDocument) -> bool:
    """Whether the citation key begins with the name, in any case."""
    name = name.removeprefix("@").casefold()
    if document.citation is None or len(letters_and_digits(name)) < LEAST_PART:
        return False
    return document.citation.citekey.casefold().startswith(name)


def is_part_of_name(spelling: Spelling, document: StoredDocument) -> bool:
    """Whether the words occur in a title or a file name, from the beginning of a word on, or the
    path is the end of the path of a file."""
    if spelling.path and any(_ends_with(path, spelling.path) for path in _paths(document)):
        return True
    part = as_file_name(spelling.words or "")
    if len(letters_and_digits(part)) < LEAST_PART:
        return False
    names = (*_titles(document), *_files(document))
    return any(f"_{part}" in f"_{as_file_name(name)}" for name in names)


def no_document(
    name: str, project_id: ProjectId | None, documents: Sequence[StoredDocument]
) -> DocumentNotFound:
    """``documents`` are those among which ``name`` was looked for; the nearest are named."""
    where, name = project_id.value if project_id else "any project", _shown(name)
    if not documents:
        return DocumentNotFound(
            f"{name}: no such document in {where}; there are none yet",
            NextStep(Action.ADD_DOCUMENTS, project=project_id.value) if project_id else None,
            name=name,
        )
    distinct = {document.document_id: document for document in documents}
    ids = nearest(name, {id: _names(document) for id, document in distinct.items()})
    near = [distinct[id] for id in ids]
    shown = ", ".join(f"{short_name(one)} ({_title(one)})" for one in near)
    return DocumentNotFound(
        f"{name}: no such document in {where}; the nearest {'are' if len(near) > 1 else 'is'} "
        f"{shown}",
        name=name,
        nearest=[short_name(one) for one in near],
    )


def several(
    name: str, project_id: ProjectId | None, documents: Sequence[StoredDocument]
) -> DocumentNotFound:
    """``documents`` are those that ``name`` may mean, each once."""
    where, name = project_id.value if project_id else "all projects", _shown(name)
    listed = "; ".join(
        ", ".join(filter(None, (short_name(one), _title(one), one.path)))
        for one in documents[:_SHOWN]
    )
    more = f"; and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else ""
    return DocumentNotFound(
        f"{name}: means {counted(len(documents), 'document')} of {where}: {listed}{more}; "
        "name one by its citation key or id",
        name=name,
        options=[document.document_id for document in documents],
    )


def short_name(document: StoredDocument) -> str:
    """The citation key, else the short id."""
    return document.citation.citekey if document.citation else short_id(document.document_id)


def _shown(name: str) -> str:
    """A name from outside, without what moves a cursor."""
    short = shortened(name, _LONGEST)
    return short if short.isprintable() else repr(short)[1:-1]


def _names(document: StoredDocument) -> Iterator[str]:
    yield short_name(document)
    yield from _titles(document)
    yield from _files(document)


def _title(document: StoredDocument) -> str:
    titles = (*_titles(document), *_files(document), "no title")
    return shortened(titles[0], _TITLE)


def _titles(document: StoredDocument) -> Iterator[str]:
    """The title of its work, then that of the file itself."""
    if document.citation and document.citation.title:
        yield document.citation.title
    if document.title:
        yield document.title


def _paths(document: StoredDocument) -> Iterator[str]:
    return (source.path for source in document.sources)


def _files(document: StoredDocument) -> Iterator[str]:
    for path in map(PurePath, _paths(document)):
        yield from (path.name, path.stem)


def _ends_with(path: str, end: str) -> bool:
    parts = PurePath(end).parts
    return PurePath(path).parts[-len(parts) :] == parts
