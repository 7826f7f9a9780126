"""What a person is told: one record for each thing that happened to a project."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import Silent
from citeloom.application.ports.system import Clock
from citeloom.domain.ingest.report import DocumentReport, DocumentStatus
from citeloom.domain.value import Value


class Outcome(StrEnum):
    WATCHING = "watching"
    ADDED = "added"
    UPDATED = "updated"
    MOVED = "moved"
    REMOVED = "removed"
    KEY_CHANGED = "key changed"
    CITED = "cited anew"
    FAILED = "failed"
    NOTICE = "notice"


class Happening(Value):
    """``what`` is a path, an address or what was tried; ``before`` the path or citation key
    that it had. ``passages`` are those of the document. ``retry_seconds`` says when what
    failed is tried again; None: when it changes. Times are in UTC."""

    time: datetime
    outcome: Outcome
    what: str
    citekey: str | None = None
    before: str | None = None
    passages: int | None = None
    detail: str | None = None
    retry_seconds: float | None = None


Tell = Callable[[Happening], None]


class Teller(Silent):
    """Tells of documents as they come in, and of all the rest after each run.

    A failure or a warning that was told is not told again, until it is another.
    """

    def __init__(self, tell: Tell, clock: Clock) -> None:
        self._tell = tell
        self._clock = clock
        self._added: set[str] = set()
        self._failures: dict[str, str] = {}
        self._warnings: set[str] = set()

    def say(self, outcome: Outcome, what: str, **more: object) -> None:
        self._tell(Happening(time=self._clock.now(), outcome=outcome, what=what, **more))

    def done(self, report: DocumentReport) -> None:
        if report.status is DocumentStatus.FAILED:
            self.failed(report.source, report.error or "it cannot be read", None)
            return
        self._failures.pop(report.source, None)
        if report.status is DocumentStatus.ADDED and report.document_id not in self._added:
            self._added.add(str(report.document_id))
            self.say(Outcome.ADDED, report.source, citekey=report.citekey, passages=report.chunks)

    def failed(self, what: str, reason: str, retry_seconds: float | None) -> None:
        if self._failures.get(what) != reason:
            self._failures[what] = reason
            self.say(Outcome.FAILED, what, detail=reason, retry_seconds=retry_seconds)

    def worked(self, what: str) -> None:
        self._failures.pop(what, None)

    def warn(self, what: str, warnings: Sequence[str]) -> None:
        for warning in warnings:
            if warning not in self._warnings:
                self._warnings.add(warning)
                self.say(Outcome.NOTICE, what, detail=warning)

    def differences(
        self, before: Sequence[StoredDocument], after: Sequence[StoredDocument]
    ) -> None:
        """All that is otherwise than before and was not told as it came in."""
        for document_id, happening in differences(before, after, self._clock.now()):
            if document_id not in self._added:
                self._tell(happening)
        self._added.clear()


def differences(
    before: Sequence[StoredDocument], after: Sequence[StoredDocument], now: datetime
) -> Iterator[tuple[str, Happening]]:
    """By the id of the document: what is otherwise."""
    old, new = ({one.document_id: one for one in state} for state in (before, after))
    had = {source.path for one in before for source in one.sources}
    has = {source.path for one in after for source in one.sources}
    for document_id, is_now in new.items():
        was = old.get(document_id)
        if was is None:
            path = _path(is_now)
            outcome = Outcome.UPDATED if path in had else Outcome.ADDED
            yield document_id, _happened(outcome, is_now, now, passages=is_now.chunks)
        elif was != is_now:
            for happening in _changes(was, is_now, now):
                yield document_id, happening
    for document_id, was in old.items():
        replaced = any(source.path in has for source in was.sources)
        if document_id not in new and not replaced:
            yield document_id, _happened(Outcome.REMOVED, was, now)


def _changes(was: StoredDocument, is_now: StoredDocument, now: datetime) -> Iterator[Happening]:
    paths, before = ([one.path for one in each.sources] for each in (is_now, was))
    left = [path for path in before if path not in paths]
    new = [path for path in paths if path not in before]
    for path in new:
        if left:
            yield _happened(Outcome.MOVED, is_now, now, what=path, before=left.pop(0))
        else:
            detail = f"the same content as {before[0]}" if before else None
            yield _happened(Outcome.ADDED, is_now, now, what=path, detail=detail)
    for path in left:
        yield _happened(Outcome.REMOVED, is_now, now, what=path, detail=f"still at {paths[0]}")
    old_key, key = _key(was), _key(is_now)
    if old_key and key and old_key != key:
        yield _happened(Outcome.KEY_CHANGED, is_now, now, before=old_key)
    elif was.stored_at != is_now.stored_at:
        yield _happened(Outcome.UPDATED, is_now, now, passages=is_now.chunks)
    elif was.citation != is_now.citation:
        yield _happened(Outcome.CITED, is_now, now)


def _happened(
    outcome: Outcome, document: StoredDocument, now: datetime, **more: object
) -> Happening:
    told = {"what": _path(document), "citekey": _key(document), **more}
    return Happening.model_validate({"time": now, "outcome": outcome, **told})


def _path(document: StoredDocument) -> str:
    return document.path or document.document_id


def _key(document: StoredDocument) -> str | None:
    return document.citation.citekey if document.citation else None
