"""A person's own data about a document, which override its file and its references."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.value import Value


class ReadingStatus(StrEnum):
    """How far the reader is with a document; ``EXCLUDED`` ones are out of the review, with a
    reason (PRISMA 2020, "Screening")."""

    UNREAD = "unread"
    READING = "reading"
    READ = "read"
    EXCLUDED = "excluded"


class OwnMetadata(Value):
    """A person's own metadata of a document, which outlast every ingest, sync and look-up.

    ``found`` is the CSL-JSON item of a look-up, or of a copy that was merged: it takes the place
    of a provisional citation, not of an item. ``edits`` are CSL fields that replace those of the
    item; None removes one. ``citekey`` is the person's own key, ``note`` is CSL's ``annote``.
    ``excluded_because`` goes with ``ReadingStatus.EXCLUDED``.
    """

    found: Mapping[str, Any] | None = None
    edits: Mapping[str, Any] = Field(default_factory=dict)
    citekey: str | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    status: ReadingStatus | None = None
    excluded_because: str = ""

    @property
    def changes_citation(self) -> bool:
        return bool(self.found or self.edits or self.citekey or self.tags or self.note)


def joined_own(own: OwnMetadata, other: OwnMetadata) -> OwnMetadata:
    """``own`` with the tags, note and status of ``other``: the status that is further on, with
    its reason. Its fields and its key stay."""
    order = list(ReadingStatus)
    further = max((own, other), key=lambda one: order.index(one.status) if one.status else -1)
    notes = dict.fromkeys(filter(None, (own.note, other.note)))
    return own.model_copy(
        update={
            "tags": tuple(dict.fromkeys([*own.tags, *other.tags])),
            "note": "\n".join(notes),
            "status": further.status,
            "excluded_because": further.excluded_because,
        }
    )


def status_of(own: OwnMetadata | None) -> ReadingStatus:
    """Where nothing was said of a document it is unread."""
    return own.status if own and own.status else ReadingStatus.UNREAD


def reading_status(text: str) -> ReadingStatus:
    """Raises InvalidRequest."""
    try:
        return ReadingStatus(text.strip().casefold())
    except ValueError:
        known = ", ".join(ReadingStatus)
        raise InvalidRequest(
            f"status={text}: unknown status; choose from {known}", parameter="status"
        ) from None


class OwnChange(Value):
    """A change of a person's own metadata: ``what`` was done, in words; ``after`` it."""

    document_id: str
    what: str
    after: OwnMetadata
