"""The form that edits a paper, and the edit that can be taken back."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.citation.metadata import CitationSource, csl_item
from citeloom.domain.citation.own import OwnMetadata, ReadingStatus
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.fields import TYPES, fields_of, name_parts, written_value
from citeloom.domain.references.provisional import NOTE

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

_NAMES: Final[Mapping[str, str]] = {
    "issued": "Date", "container-title": "Journal or book", "page": "Pages",
    "collection-title": "Series", "publisher-place": "Place", "event-title": "Conference",
    "editor": "Editors (Family, Given; …)", "number-of-pages": "Number of pages",
}  # fmt: skip
_LONG: Final = frozenset({"title", "abstract"})


class FormField(NamedTuple):
    """``field`` is what a change names it; ``long`` values have several lines."""

    field: str
    name: str
    value: str
    long: bool = False


class EditForm(NamedTuple):
    """``authors`` are family and given names. ``entry`` says where the entry of the paper is,
    where it has one: a change of it is the person's own only by ``force``."""

    fields: Sequence[FormField]
    authors: Sequence[tuple[str, str]]
    key: str
    type: str
    types: Sequence[str]
    tags: str
    note: str
    status: str
    statuses: Sequence[str]
    because: str
    entry: str | None


def edit_form(application: "Application", stored: StoredDocument) -> EditForm | None:
    """None for a document without a citation."""
    work, base = stored.citation, stored.without_own.citation
    if work is None or base is None:
        return None
    own = application.stores.own_records.own(stored.project_id, stored.document_id)
    own = own or OwnMetadata()
    item = {name: value for name, value in csl_item(work).items() if value != NOTE}
    authors = item.get("author")
    project = application.stores.catalogue.project(stored.project_id)
    has_entry = base.source is CitationSource.REFERENCES
    return EditForm(
        fields=[
            FormField(name, _named(name), written_value(name, item.get(name)), name in _LONG)
            for name in fields_of(work.type or "document", item)
            if name != "author"
        ],
        authors=[name_parts(one) for one in authors] if isinstance(authors, list) else [],
        key=work.citekey,
        type=work.type or "document",
        types=sorted(TYPES),
        tags="; ".join(own.tags),
        note=own.note,
        status=own.status.value if own.status else "",
        statuses=list(ReadingStatus),
        because=own.excluded_because,
        entry=("Zotero" if stored.held else project.named_references) if has_entry else None,
    )


def last_edit(application: "Application", project_id: ProjectId) -> str | None:
    """What the last edit of a project changed, with the paper's key; None where there is none."""
    last = application.stores.own_records.last(project_id)
    if last is None:
        return None
    stored = application.stores.catalogue.document(project_id, last.document_id)
    key = stored.citation.citekey if stored and stored.citation else last.document_id[:16]
    return f"@{key}, {last.what}"


def _named(field: str) -> str:
    name = field.replace("-", " ").replace("_", " ")
    return _NAMES.get(field) or (name if name.isupper() else name.capitalize())
