"""What all library sources have in common, and a source that falls back to another one."""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.domain.errors import InvalidRequest, LibraryUnavailable
from citeloom.domain.library import LibraryAttachment, LibraryScope, LibrarySnapshot, LinkMode

from .snapshot import RawLibrary, assemble

_STORED = (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL)
Answer = TypeVar("Answer", LibraryStatus, LibrarySnapshot)


@dataclass(frozen=True)
class RawReading:
    """What a source read of the libraries of a scope, in their order. ``incomplete`` are reasons
    why it is not all of them."""

    state: str
    libraries: Sequence[RawLibrary]
    incomplete: Sequence[str] = ()
    warnings: Sequence[str] = ()


class RawSource(ABC):
    """A LibrarySource that gives raw libraries, by the rules of every other one."""

    name: ClassVar[str]
    place: str

    @property
    def asks_network(self) -> bool:
        return False

    @abstractmethod
    def status(self) -> LibraryStatus: ...

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        """Raises LibraryUnavailable, and InvalidRequest for names of the scope that no library has,
        unless an unread part may have them."""
        reading = self._read(scope)
        try:
            parts = assemble(reading.libraries, scope)
        except InvalidRequest as error:
            if reading.incomplete:
                raise self._unavailable("; ".join(reading.incomplete)) from error
            raise
        not_whole = (f"{self.name}: not read whole: {reason}" for reason in reading.incomplete)
        return LibrarySnapshot(
            source=self.name,
            state=reading.state + (" incomplete" if reading.incomplete else ""),
            scope=scope,
            complete=not reading.incomplete,
            libraries=tuple(raw.library for raw in reading.libraries),
            **{
                **parts._asdict(),
                "warnings": (*not_whole, *reading.warnings, *parts.warnings),
            },
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """The file at the attachment's path, if it is there; see ``existing_file``."""
        if not attachment.path:
            return None
        try:
            return existing_file(Path(attachment.path), is_stored=attachment.link_mode in _STORED)
        except OSError:
            return None

    def close(self) -> None:  # noqa: B027
        """Releases nothing, because calls keep nothing open."""

    @abstractmethod
    def _read(self, scope: LibraryScope) -> RawReading:
        """Raises LibraryUnavailable, and InvalidRequest for an unknown group."""

    def _unavailable(self, reason: str, step: str = "try again") -> LibraryUnavailable:
        return LibraryUnavailable(
            f"Zotero's {self.name} ({self.place}): {reason}; {step}", source=self.name
        )


def existing_file(path: Path, *, is_stored: bool) -> Path | None:
    """The file at ``path``, whose name may be written in another Unicode form (macOS decomposes
    accents). ``is_stored``: in the folder of one attachment in Zotero's storage, in which a PDF of
    another name is the same one if it is the only PDF there. Raises OSError."""
    if path.is_file():
        return path
    if not path.parent.is_dir():
        forms = (Path(unicodedata.normalize(form, str(path))) for form in ("NFC", "NFD"))
        return next((form for form in forms if form.is_file()), None)
    name = unicodedata.normalize("NFC", path.name)
    files = [one for one in path.parent.iterdir() if one.is_file() and one.name[:1] != "."]
    same = [one for one in files if unicodedata.normalize("NFC", one.name) == name]
    if len(same) != 1 and is_stored and path.suffix.lower() == ".pdf":
        same = [one for one in files if one.suffix.lower() == ".pdf"]
    return same[0] if len(same) == 1 else None


class FallbackSource:
    """``sources`` are tried in order. A complete answer takes precedence over an earlier incomplete
    one. A file missing in one source is looked up in the others.

    The errors of skipped sources are reported in ``warnings`` or ``notices``, after ``absent``: the
    reasons why other sources are unavailable. An invalid request (InvalidRequest) is invalid for
    each source and ends the call.
    """

    def __init__(self, sources: Sequence[LibrarySource], absent: Sequence[str] = ()) -> None:
        if not sources:
            raise ValueError("at least one source is needed")
        self._sources, self._absent = tuple(sources), tuple(absent)

    @property
    def name(self) -> str:
        return ", else ".join(source.name for source in self._sources)

    @property
    def asks_network(self) -> bool:
        return any(source.asks_network for source in self._sources)

    def status(self) -> LibraryStatus:
        answer, messages = self._first(lambda source: source.status(), lambda _: True)
        return answer.model_copy(update={"notices": (*messages, *answer.notices)})

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        answer, messages = self._first(
            lambda source: source.snapshot(scope), lambda snapshot: snapshot.complete
        )
        return answer.model_copy(update={"warnings": (*messages, *answer.warnings)})

    def file(self, attachment: LibraryAttachment) -> Path | None:
        """Raises LibraryUnavailable if no source has it and one of them did not answer."""
        failed: LibraryUnavailable | None = None
        for source in self._sources:
            try:
                if path := source.file(attachment):
                    return path
            except LibraryUnavailable as error:
                failed = failed or error
        if failed is not None:
            raise failed
        return None

    def close(self) -> None:
        for source in self._sources:
            source.close()

    def _first(
        self, request: Callable[[LibrarySource], Answer], is_complete: Callable[[Answer], bool]
    ) -> tuple[Answer, list[str]]:
        """The answer, and the messages of the sources skipped before it."""
        messages = list(self._absent)
        partial: tuple[Answer, list[str]] | None = None
        for source in self._sources:
            try:
                answer = request(source)
            except LibraryUnavailable as error:
                messages.append(error.message)
                continue
            if is_complete(answer):
                return answer, messages
            partial = partial or (answer, list(messages))
            messages.append(f"{source.name}: not the whole library; another source is used")
        if partial is not None:
            return partial
        steps = (getattr(message, "next_step", None) for message in messages)
        raise LibraryUnavailable(
            "; ".join(messages),
            next(filter(None, steps), None),
            sources=[one.name for one in self._sources],
        )
