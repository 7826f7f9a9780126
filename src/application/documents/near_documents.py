"""Documents whose titles and files resemble a name, and the errors that list them."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.errors import DocumentNotFound
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.naming.names import Spelling
from citeloom.domain.near_names import nearest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.references.identifiers import as_file_name, letters_and_digits
from citeloom.domain.text.phrasing import counted, shortened

#: Letters of a part of a title or file name that is long enough to name it.
LEAST_PART = 3
_SHOWN, _TITLE, _LONGEST = 5, 60, 200


def is_whole_name(spelling: Spelling, document: StoredDocument) -> bool:
    """Whether the words are a title or a file name, with or without suffix."""
    letters = letters_and_digits(spelling.words or "")
    return bool(letters) and any(
        letters == letters_and_digits(name) for name in (*_titles(document), *_files(document))
    )


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
    """Of its work, then of the file itself."""
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
