"""Answers about removals."""

from pathlib import PurePath
from typing import Final

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.projects.removal import Removal
from citeloom.domain.text.phrasing import shortened
from citeloom.infrastructure.mcp.answers.contents import Reply

_SHOWN: Final = 50
_LINE: Final = 120
_STAYS: Final = "the user's own files stay; an ingest of their folder adds them again"

TO_CONFIRM: Final = "to be confirmed"


class RemovalReply(Reply, total=False):
    """What is removed, or would be."""

    status: str
    project: str
    documents: list[str]
    documents_removed: int
    passages: int
    confirm: str
    note: str


def to_confirm(removal: Removal) -> RemovalReply:
    """What would go, and how it is confirmed."""
    return {
        "status": TO_CONFIRM,
        **_described(removal),
        "confirm": removal.name,
        "next": "ask the user, then remove with the same parameters and this confirm",
    }


def removed(removal: Removal) -> RemovalReply:
    return {"status": "removed", **_described(removal), "note": _STAYS}


def _described(removal: Removal) -> RemovalReply:
    return {
        "project": removal.project_id.value,
        "documents": [_line(document) for document in removal.documents[:_SHOWN]],
        "documents_removed": len(removal.documents),
        "passages": removal.passages,
    }


def _line(document: StoredDocument) -> str:
    citation = document.citation
    if citation is not None:
        return shortened(f"@{citation.citekey} {citation.title}", _LINE)
    paths = [PurePath(source.path).name for source in document.sources[:1]]
    return shortened(next(iter(paths), document.document_id[:16]), _LINE)
