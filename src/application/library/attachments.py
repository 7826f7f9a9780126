"""Attachment files of a library: path, availability and content digest."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from citeloom.application.library.entries import digest_of, key_of
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.ingest import FoundFiles, SourceFiles
from citeloom.application.ports.library import LibraryEntry, LibrarySource
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library.snapshot import LibraryAttachment, LinkMode

# Failed downloads in a row after which no more are tried.
_GIVE_UP = 5


class FileState(StrEnum):
    """State of an attachment's file: readable; a link; of an unsupported kind; not on this
    machine; not fetched, after an error; unreadable."""

    THERE = "there"
    LINK = "link"
    OTHER_KIND = "other kind"
    MISSING = "missing"
    REFUSED = "refused"
    UNREADABLE = "unreadable"


#: States without access to the file, in which its content of the last sync still counts.
ABSENT = (FileState.MISSING, FileState.REFUSED, FileState.UNREADABLE)


class AttachmentFile(NamedTuple):
    """An attachment with the state of its file. ``stamp`` is set if the file is there;
    ``problem`` is the reason why it is not, or cannot be read."""

    attachment: LibraryAttachment
    state: FileState
    stamp: SourceStamp | None = None
    problem: str = ""

    @property
    def key(self) -> str:
        return key_of(self.attachment)

    @property
    def place(self) -> str:
        """The actual or expected path, else the file name or key."""
        path = self.stamp.path if self.stamp else self.attachment.path
        return path or self.attachment.file_name or self.key


class AttachmentFiles:
    """Attachment files of one sync; opens only files whose stamp is unknown."""

    def __init__(
        self,
        source: LibrarySource,
        files: SourceFiles,
        supports: Callable[[Path], bool],
        known: Mapping[str, LibraryEntry],
        stored: Iterable[StoredDocument],
    ) -> None:
        self._source = source
        self._files = files
        self._supports = supports
        self._known = known
        self._contents = {
            (stamp.path, stamp.size, stamp.mtime_ns): document.document_id
            for document in stored
            for stamp in document.sources
        }
        self._read: dict[str, str] = {}
        self._refused = 0

    def with_states(self, attachments: Sequence[LibraryAttachment]) -> list[AttachmentFile]:
        """The attachments with their files, in the order given."""
        paths = {key_of(a): path for a in attachments if (path := self._expected(a))}
        stamps = self._files.stamps(paths.values())
        return [self._shelved(a, stamps.get(paths.get(key_of(a), ""))) for a in attachments]

    def read(self, path: Path) -> str | None:
        """The sha256 of a file, if it was read in this run."""
        return self._read.get(str(path))

    def content(self, stamp: SourceStamp) -> str:
        """The sha256 of a file, read only if its stamp is unknown. Raises OSError."""
        key = (stamp.path, stamp.size, stamp.mtime_ns)
        if key not in self._contents:
            self._contents[key] = self._files.sha256(Path(stamp.path))
            self._read[stamp.path] = self._contents[key]
        return self._contents[key]

    def _expected(self, attachment: LibraryAttachment) -> str | None:
        """The path in the library, else the path of an unchanged attachment's last sync."""
        if attachment.path or attachment.link_mode is LinkMode.LINKED_URL:
            return attachment.path
        entry = self._known.get(key_of(attachment))
        same = entry is not None and entry.digest == digest_of(attachment)
        return entry.stamp.path if same and entry and entry.stamp else None

    def _shelved(self, attachment: LibraryAttachment, stamp: SourceStamp | None) -> AttachmentFile:
        if attachment.link_mode is LinkMode.LINKED_URL:
            return AttachmentFile(attachment, FileState.LINK)
        name = attachment.file_name or attachment.path
        if name and not self._supports(Path(name)):
            return AttachmentFile(attachment, FileState.OTHER_KIND)
        if stamp is None:
            fetched = self._fetched(attachment)
            if isinstance(fetched, AttachmentFile):
                return fetched
            stamp = fetched
        if not self._supports(Path(stamp.path)):
            return AttachmentFile(attachment, FileState.OTHER_KIND)
        return AttachmentFile(attachment, FileState.THERE, stamp)

    def _fetched(self, attachment: LibraryAttachment) -> SourceStamp | AttachmentFile:
        where = attachment.path or attachment.file_name or attachment.key
        if self._refused >= _GIVE_UP:
            return AttachmentFile(
                attachment, FileState.REFUSED, problem=f"{where}: could not be fetched"
            )
        try:
            path = self._source.file(attachment)
        except LibraryUnavailable as error:
            self._refused += 1
            return AttachmentFile(attachment, FileState.REFUSED, problem=error.message)
        self._refused = 0
        if path is None:
            return AttachmentFile(attachment, FileState.MISSING, problem=f"{where}: no such file")
        if (stamp := self._files.stamps([str(path)]).get(str(path))) is not None:
            return stamp
        return AttachmentFile(
            attachment, FileState.UNREADABLE, problem="it is no file that can be read"
        )


class AttachmentDigests:
    """Source files whose digests are known if the attachment was read in this sync."""

    def __init__(self, files: SourceFiles, attachments: AttachmentFiles) -> None:
        self._files = files
        self._attachments = attachments

    def find(self, sources: Sequence[str], accepts: Callable[[Path], bool]) -> FoundFiles:
        return self._files.find(sources, accepts)

    def stamps(self, paths: Iterable[str]) -> Mapping[str, SourceStamp]:
        return self._files.stamps(paths)

    def sha256(self, path: Path) -> str:
        return self._attachments.read(path) or self._files.sha256(path)

    def exists(self, path: str) -> bool:
        return self._files.exists(path)

    def resolved(self, path: Path) -> Path:
        return self._files.resolved(path)
