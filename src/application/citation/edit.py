"""The verbs *edit* and *undo*: a person's own metadata of documents."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.documents.stores import DocumentStores
from citeloom.application.index.collection import Remover
from citeloom.application.index.passage_writer import PassageWriter
from citeloom.application.ports.catalogue import UNSETTLED, StoredDocument
from citeloom.application.ports.citation import ReferenceReader
from citeloom.domain.citation.metadata import CitationMeta, CitationSource, CiteKey, csl_item
from citeloom.domain.citation.own import OwnChange, OwnMetadata, ReadingStatus, reading_status
from citeloom.domain.errors import InvalidRequest, ShardBusy
from citeloom.domain.maps.address import short_id
from citeloom.domain.messages import Action, MessageText, NextStep, UserMessage, prefixed
from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.references.fields import KEY, field_named, read_value, written_value
from citeloom.domain.references.provisional import NOTE
from citeloom.domain.value import Value

from .assignment import ReferenceAssigner, mark_unsettled
from .own import own_reassigner, project_assigner

_ASSIGNMENT: Final = re.compile(r"\s*([A-Za-z][A-Za-z_-]*?)\s*(\+=|-=|=)(.*)", re.DOTALL)
_TAG, _NOTE, _STATUS, _BECAUSE = "tag", "note", "status", "because"
_OWN: Final = {"tag": _TAG, "tags": _TAG, "note": _NOTE, "status": _STATUS, "because": _BECAUSE}
_MOST_TAG: Final = 200
"""Letters of a tag."""
_MOST_NOTE: Final = 20_000


class FieldChange(Value):
    """The old and the new value of a field, in words; empty for a missing value."""

    field: str
    before: str
    after: str


class Edited(Value):
    """What a change did to a document, which ``name`` is the key of; no ``changes`` where all was
    so already."""

    document_id: str
    name: str
    what: str
    changes: tuple[FieldChange, ...]
    warnings: tuple[MessageText, ...] = ()


class Assignment(Value):
    """``name`` is that of a CSL variable, ``key``, or one of a person's own; ``operator`` is
    ``=``, ``+=`` or ``-=``."""

    name: str
    operator: str
    text: str

    @property
    def is_own(self) -> bool:
        """Whether no item has it: it is the person's own anyway."""
        return self.name in _OWN


def parse_assignment(text: str) -> Assignment:
    """``title=…``, ``tag+=…`` or ``tag-=…``. Raises InvalidRequest, with the nearest names."""
    found = _ASSIGNMENT.fullmatch(text)
    if found is None:
        raise InvalidRequest(f"{text!r}: write FIELD=VALUE", parameter="changes")
    named, operator, value = found.groups()
    name = _OWN.get(named.casefold()) or field_named(named, tuple(_OWN))
    if operator != "=" and name != _TAG:
        raise InvalidRequest(
            f"{named}{operator}: only tags are added and taken away; write {named}=…",
            parameter="changes",
        )
    value = value.strip()
    if named.casefold() == "year" and value and not re.fullmatch(r"\d{1,4}", value):
        raise InvalidRequest(f"year={value}: write a year such as 2020", parameter="changes")
    return Assignment(name=name, operator=operator, text=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditWork:
    """Changes a person's own metadata of documents, and takes changes back.

    The catalogue marks the document first, then the change is recorded, then it is cited again: an
    interrupted change is lost as a whole or completed by the next ingest."""

    documents: DocumentFinder
    stores: DocumentStores
    writer: PassageWriter
    references: ReferenceReader
    remover: Remover

    def __call__(
        self,
        project_id: ProjectId,
        name: str,
        assignments: Sequence[Assignment],
        *,
        force: bool = False,
    ) -> Edited:
        """Change a document. A field of an item in a reference file or library is the person's
        own only by ``force``. Raises InvalidRequest, DocumentNotFound, ProjectNotFound,
        StorageFailed, IndexUnavailable."""
        project = self.stores.catalogue.project(project_id)
        stored = self.documents.find(name, project.id)
        base = stored.without_own.citation
        own = self._own(project.id, stored)
        after = own
        for assignment in assignments:
            if not assignment.is_own:
                after = _with_field(after, base, assignment, name)
            else:
                after = _with_own(after, base, assignment)
        if after.excluded_because and after.status is not ReadingStatus.EXCLUDED:
            after = after.model_copy(update={"excluded_because": ""})
        if after == own and stored.references_digest != UNSETTLED:
            return _edited(stored, stored, "nothing", own, own)
        changed = ", ".join(dict.fromkeys(one.name for one in assignments))
        if (after.edits, after.citekey) != (own.edits, own.citekey) and not force:
            _refuse_foreign(project, stored, base)
        assigner, warnings = self._assigner(project)
        if after.citekey != own.citekey:
            _check_key(stored, after.citekey, assigner)

        return self._replaced(project, stored, after, f"edited: {changed}", assigner, warnings)

    def replace(
        self, project: Project, stored: StoredDocument, after: OwnMetadata, what: str
    ) -> Edited:
        """Put ``after`` in the place of the person's own metadata of a document, whose state may be
        another than the catalogue's: it is cited again."""
        return self._replaced(project, stored, after, what, *self._assigner(project))

    def _replaced(
        self,
        project: Project,
        stored: StoredDocument,
        after: OwnMetadata,
        what: str,
        assigner: ReferenceAssigner,
        warnings: list[str],
    ) -> Edited:
        own = self._own(project.id, stored)

        def record() -> str:
            if after != own:
                change = OwnChange(document_id=stored.document_id, what=what, after=after)
                self.stores.own.put(project.id, change)
            return what

        return self._changed(project, stored, own, record, assigner, warnings)

    def undo(self, project_id: ProjectId) -> Edited | None:
        """Take back the last change of a project; None if there is none."""
        project = self.stores.catalogue.project(project_id)
        last = self.stores.own.last(project.id)
        if last is None:
            return None
        stored = self.stores.catalogue.document(project.id, last.document_id)
        if stored is None:  # its document was removed: there is nothing to cite again
            self.stores.own.undo(project.id)
            name = short_id(last.document_id)
            return Edited(document_id=last.document_id, name=name, what=last.what, changes=())

        def undo() -> str:
            self.stores.own.undo(project.id)
            return last.what

        undone = self._changed(project, stored, last.after, undo, *self._assigner(project))
        if stored.has_file or not last.after.found or self._own(project.id, stored).found:
            return undone
        # The look-up that added a work without text: nothing else is known of it.
        self.remover.documents(project, [stored.document_id])
        change = FieldChange(field="paper", before=stored.title or undone.name, after="")
        return undone.model_copy(update={"changes": (change,)})

    def _own(self, project_id: ProjectId, stored: StoredDocument) -> OwnMetadata:
        return self.stores.own.own(project_id, stored.document_id) or OwnMetadata()

    def _changed(
        self,
        project: Project,
        stored: StoredDocument,
        own: OwnMetadata,
        record: Callable[[], str],
        assigner: ReferenceAssigner,
        warnings: list[str],
    ) -> Edited:
        """The document after ``record``, cited again; ``own`` is what was the person's before."""
        reassigner = own_reassigner(
            project, self.stores, self.writer, self.references, assigner, warnings.append
        )
        mark_unsettled(self.stores.catalogue, project, stored)
        what = record()
        try:
            after = reassigner.reassign(project, stored, anew=True).document
        except ShardBusy as error:
            kept = "the change is kept, and shown by the next ingest: "
            error.message = UserMessage(prefixed(kept, error.message), error.next_step)
            raise
        edited = _edited(stored, after, what, own, self._own(project.id, stored))
        return edited.model_copy(update={"warnings": tuple(warnings)})

    def _assigner(self, project: Project) -> tuple[ReferenceAssigner, list[str]]:
        return project_assigner(project, self.stores.catalogue, self.references)


def _check_key(stored: StoredDocument, key: str | None, assigner: ReferenceAssigner) -> None:
    if key is None:
        return
    if not CiteKey.is_valid(key):
        raise InvalidRequest(
            f"key={key}: a citation key has no spaces, quotes, commas or brackets, and at most "
            "200 letters",
            parameter="changes",
        )
    if assigner.is_taken(key, {stored.document_id}):
        raise InvalidRequest(
            f"key={key}: is the key of another work; choose another one", parameter="changes"
        )


def _refuse_foreign(project: Project, stored: StoredDocument, base: CitationMeta | None) -> None:
    """Raise InvalidRequest where the item belongs to a reference file or a library."""
    if base is None or base.source is not CitationSource.REFERENCES:
        return
    where = "Zotero" if stored.held else project.named_references or "a reference file"
    step = NextStep(Action.KEEP_OWN, project=project.id.value)
    raise InvalidRequest(
        f"{base.citekey}: its entry is in {where}: change it there, and ingest again",
        step,
        parameter="force",
    )


def _with_field(
    own: OwnMetadata, base: CitationMeta | None, assignment: Assignment, name: str
) -> OwnMetadata:
    if base is None:
        raise InvalidRequest(f"{name}: has no citation yet; ingest it again", parameter="changes")
    if assignment.name == KEY:
        key = assignment.text or None
        return own.model_copy(update={"citekey": None if key == base.citekey else key})
    value = read_value(assignment.name, assignment.text)
    if value is None and assignment.name in ("title", "type"):
        raise InvalidRequest(
            f"{assignment.name}=: every work has a {assignment.name}", parameter="changes"
        )
    edits = {field: one for field, one in own.edits.items() if field != assignment.name}
    if value != _item(own, base).get(assignment.name):
        edits[assignment.name] = value
    return own.model_copy(update={"edits": edits})


def _item(own: OwnMetadata, base: CitationMeta) -> Mapping[str, Any]:
    """The item below the edits."""
    return dict(own.found) if own.found and base.is_provisional else csl_item(base)


def _with_own(own: OwnMetadata, base: CitationMeta | None, assignment: Assignment) -> OwnMetadata:
    text = assignment.text
    if assignment.name == _TAG:
        return own.model_copy(update={"tags": _tags(own, base, assignment)})
    if assignment.name == _NOTE:
        if len(text) > _MOST_NOTE:
            raise InvalidRequest(f"note: write at most {_MOST_NOTE:,} letters", parameter="changes")
        return own.model_copy(update={"note": text})
    if assignment.name == _BECAUSE:
        return own.model_copy(
            update={"excluded_because": text, "status": ReadingStatus.EXCLUDED}
            if text
            else {"excluded_because": ""}
        )
    return own.model_copy(update={"status": reading_status(text) if text else None})


def _tags(own: OwnMetadata, base: CitationMeta | None, assignment: Assignment) -> tuple[str, ...]:
    """The person's own tags after the change. Raises InvalidRequest for one of the item."""
    given = [one for part in assignment.text.split(";") if (one := " ".join(part.split()))]
    if long := next((one for one in given if len(one) > _MOST_TAG), None):
        raise InvalidRequest(
            f"tag {long[:40]}…: write at most {_MOST_TAG} letters", parameter="changes"
        )
    foreign = base.tags if base else ()
    if assignment.operator == "-=":
        if theirs := next((one for one in given if one in foreign and one not in own.tags), None):
            raise InvalidRequest(
                f"tag {theirs}: is a tag of the entry; take it away there", parameter="changes"
            )
        return tuple(one for one in own.tags if one not in given)
    before = own.tags if assignment.operator == "+=" else ()
    return tuple(dict.fromkeys((*before, *(one for one in given if one not in foreign))))


def _edited(
    before: StoredDocument,
    after: StoredDocument,
    what: str,
    own_before: OwnMetadata,
    own_after: OwnMetadata,
) -> Edited:
    was = dict(_told(before.citation, own_before))
    now = dict(_told(after.citation, own_after))
    changes = [
        FieldChange(field=field, before=was.get(field, ""), after=now.get(field, ""))
        for field in dict.fromkeys((*was, *now))
        if was.get(field, "") != now.get(field, "")
    ]
    name = after.citation.citekey if after.citation else short_id(after.document_id)
    return Edited(document_id=after.document_id, name=name, what=what, changes=tuple(changes))


def _told(citation: CitationMeta | None, own: OwnMetadata) -> Iterator[tuple[str, str]]:
    """The fields of a document in words."""
    if citation is not None:
        yield KEY, citation.citekey
        ours = {"id", "keyword", "annote", "citation-key"}
        for field, value in csl_item(citation).items():
            if field not in ours and value != NOTE:
                yield field, written_value(field, value)
        yield _TAG, "; ".join(citation.tags)
    yield _NOTE, own.note
    because = f": {own.excluded_because}" if own.excluded_because else ""
    yield _STATUS, f"{own.status.value}{because}" if own.status else ""
