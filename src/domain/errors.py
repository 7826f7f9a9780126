"""Error hierarchy.

::

    CiteLoomError
    ├── UsageError                  the request itself is wrong             exit 2
    │   ├── InvalidRequest
    │   │   ├── InvalidAddress      of a fragment: doc://ID#pages=3-5
    │   │   ├── InvalidUri          of knowledge: ndk://file/project/id/$body
    │   │   └── InvalidMap          a resource map that is none, or hostile
    │   ├── InvalidSource           a path that is missing or unreadable
    │   ├── NoDocuments
    │   ├── NoCitations             a draft in which none was recognised
    │   ├── ReferencesUnreadable
    │   └── ConfigurationError
    ├── Refused                     a rule forbids it                       exit 3
    │   ├── NotPermitted            something that who asks may see, but not do
    │   ├── ProjectNotFound
    │   ├── ProjectExists
    │   ├── DocumentNotFound
    │   ├── NodeNotFound
    │   ├── NothingThere            a knowledge URI that names nothing in this workspace
    │   ├── SourceChanged           a file has not the content that was mapped
    │   ├── ProjectChanged
    │   ├── EmbeddingModelMismatch
    │   ├── ModelNotInProject
    │   ├── ProjectsDiffer          asked at once, but embedded by other models
    │   ├── HybridNotSupported
    │   ├── SessionNotFound         of research, in this workspace
    │   ├── SessionBusy             somebody else works on it, or too many run
    │   ├── SessionEnded
    │   ├── WorkspaceTooOld
    │   └── WorkspaceTooNew
    ├── Unavailable                 a resource cannot be used now           exit 4
    │   ├── ModelUnavailable
    │   │   └── LanguageModelUnavailable
    │   ├── IndexUnavailable
    │   │   └── ShardBusy
    │   ├── StorageFailed
    │   ├── ProgramUnavailable
    │   ├── LibraryUnavailable  Zotero, or what stands for it
    │   ├── LookupFailed        a public service of bibliographic records
    │   └── OperationTimeout
    └── DocumentFailed              one document of a batch                 exit 1
        ├── ConversionFailed
        ├── PasswordNeeded
        ├── UnsupportedFormat
        ├── DocumentTooLarge
        └── ConversionTimeout

Each error names the thing and the reason, has a ``next_step`` where adapters have words for
it, a stable ``code`` (the name of the class in capitals, ``PROJECT_EXISTS``, unless the class
states another) and machine-readable ``details``. Errors survive pickling, so that workers can
return them.
"""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from .messages import CLOSE, Action, NextStep, UserMessage, nearest

_LONGEST = 200
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class CiteLoomError(Exception):
    """The root. ``str(error)`` is one sentence for a person, *thing: reason*, with the remedy if
    ``next_step`` does not say it."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    exit_code: ClassVar[int] = 1

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = _CAPITAL.sub("_", cls.__name__).upper()

    def __init__(self, message: str, next_step: NextStep | None = None, /, **details: Any) -> None:
        super().__init__(message)
        self.message = UserMessage(message, next_step)
        self.details = details

    @property
    def next_step(self) -> NextStep | None:
        return self.message.next_step

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message), dict(self.__dict__))


def _rebuild(kind: type[CiteLoomError], message: str) -> CiteLoomError:
    """An empty error; pickle then restores its fields (constructors differ by class)."""
    return kind.__new__(kind, message)


class UsageError(CiteLoomError):
    code = "INVALID_PARAMETER"
    exit_code = 2


class InvalidRequest(UsageError):
    """A parameter is missing or invalid."""

    code = UsageError.code


class InvalidAddress(InvalidRequest):
    """Not a valid fragment address."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{shown(address)}: no address: {reason}", address=shown(address))


class InvalidUri(InvalidRequest):
    """Not a valid knowledge URI."""

    def __init__(self, uri: str, reason: str) -> None:
        super().__init__(f"{shown(uri)}: no knowledge URI: {reason}", uri=shown(uri))


class InvalidMap(InvalidRequest):
    """Not a resource map, or one with duplicate node ids, too many nodes or levels."""


def shown(text: str) -> str:
    """User input, shortened, with unprintable characters escaped."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return cut if cut.isprintable() else repr(cut)[1:-1]


class InvalidSource(UsageError):
    """A path to read from does not exist or cannot be read."""


class NoDocuments(UsageError):
    """The sources have no file that can be ingested."""


class NoCitations(UsageError):
    """A draft has no citation that is recognised."""


class ConfigurationError(UsageError):
    """A setting is malformed or contradicts another."""


class Refused(CiteLoomError):
    code = CiteLoomError.code
    exit_code = 3


class NotPermitted(Refused):
    """An object that the caller may see but not change."""

    code = "FORBIDDEN"


class ProjectNotFound(Refused):
    code = "INVALID_PROJECT"

    def __init__(
        self, project_id: str, available_projects: Sequence[str] = (), named_by: str = ""
    ) -> None:
        """``named_by`` says which setting has the name, where it is not the request."""
        known = ", ".join(available_projects)
        last_parts = {one: (one.rpartition("/")[2],) for one in available_projects}
        similar = nearest(project_id.rpartition("/")[2], last_parts, at_least=CLOSE)
        question = f"did you mean {' or '.join(similar)}? " if similar else ""
        hint = f"{question}projects here: {known}" if known else "there are no projects yet"
        super().__init__(
            f"{project_id}{named_by and f' ({named_by})'}: no such project; {hint}",
            None if known else NextStep(Action.CREATE_PROJECT),
            project_id=project_id,
            available_projects=list(available_projects),
        )


class ProjectExists(Refused):
    """A project of this name exists already."""


class DocumentNotFound(Refused):
    """No document has this key, id, alias or path; or an id prefix fits several."""


class NodeNotFound(Refused):
    """A map has no node with this id."""


class NothingThere(Refused):
    """A well-formed knowledge URI that does not exist in this workspace."""


class SourceChanged(Refused):
    """A file has not, or no longer, the content of its map or conversion."""


class EmbeddingModelMismatch(Refused):
    code = "EMBEDDING_MISMATCH"

    def __init__(self, project_id: str, expected_model: str, provided_model: str) -> None:
        super().__init__(
            f"{project_id}: embedded with {expected_model}, but {provided_model} was asked for; "
            "use the model that it has",
            NextStep(Action.MIGRATE_MODEL, project=project_id, model=provided_model.split("@")[0]),
            project_id=project_id,
            expected_model=expected_model,
            provided_model=provided_model,
        )


class ModelNotInProject(Refused):
    """A project has no passages of this embedding model."""

    def __init__(self, project_id: str, model: str, models: Sequence[str]) -> None:
        others = f"; it has vectors of {', '.join(models)}" if models else ""
        super().__init__(
            f"{project_id}: holds no passages of {model} beside those in use{others}",
            NextStep(Action.MIGRATE_MODEL, project=project_id, model=model),
            project_id=project_id,
            model=model,
            models=list(models),
        )


class ProjectChanged(Refused):
    """The project was switched to another model while something was being written."""

    def __init__(self, project_id: str) -> None:
        super().__init__(
            f"{project_id}: was switched to another embedding model meanwhile; run it again, "
            "what was finished is kept",
            project_id=project_id,
        )


class ProjectsDiffer(Refused):
    """Projects of different embedding models cannot be searched at once: their scores are not
    comparable."""

    def __init__(self, project_id: str, other_id: str) -> None:
        super().__init__(
            f"{project_id} and {other_id} have different embedding models; ask them one by one",
            NextStep(Action.MIGRATE_MODEL, project=other_id),
            project_id=project_id,
            other_id=other_id,
        )


class HybridNotSupported(Refused):
    def __init__(self, project_id: str, reason: str) -> None:
        super().__init__(
            f"{project_id}: hybrid search is not possible: {reason}",
            NextStep(Action.SEARCH_BY_MEANING),
            project_id=project_id,
            reason=reason,
        )


class SessionNotFound(Refused):
    """No research session or report has this id, or several do."""


class SessionBusy(Refused):
    """Another process works on the session, or its user has too many running."""


class SessionEnded(Refused):
    """The session has ended: it cannot be resumed or cancelled."""


class WorkspaceTooOld(Refused):
    """The workspace was written by an earlier version and cannot be upgraded."""


class WorkspaceTooNew(Refused):
    """The workspace was written by a later version whose format this one does not know."""


class Unavailable(CiteLoomError):
    exit_code = 4


class ModelUnavailable(Unavailable):
    """Weights or a tokenizer are missing or not the expected ones."""


class LanguageModelUnavailable(ModelUnavailable):
    """The server of a language model is unreachable, refuses, or times out."""


class IndexUnavailable(Unavailable):
    """A project's index cannot be opened or read now."""


class ShardBusy(IndexUnavailable):
    """Another process holds the project's index and did not release it in time."""

    code = IndexUnavailable.code


class StorageFailed(Unavailable):
    """The workspace cannot be read or written (full, read-only, damaged)."""


class ProgramUnavailable(Unavailable):
    """A required external program (FFmpeg) is not installed or does not work."""


class LibraryUnavailable(Unavailable):
    """A reference library (Zotero's database, its API, Better BibTeX) cannot be read now."""


class LookupFailed(Unavailable):
    """A service did not answer, or not with a record: *host: reason*."""


class OperationTimeout(Unavailable):
    code = "TIMEOUT"

    def __init__(self, operation: str, timeout_seconds: float, instead: str = "") -> None:
        advice = instead or "ask for less, or try again later"
        super().__init__(
            f"{operation}: not finished after {timeout_seconds:g} s; {advice}",
            operation=operation,
            timeout_seconds=timeout_seconds,
        )


class DocumentFailed(CiteLoomError):
    """One document of a batch could not be read."""


class ConversionFailed(DocumentFailed):
    """The file is damaged, empty, or the converter crashed on it."""


class PasswordNeeded(DocumentFailed):
    @classmethod
    def of(cls, name: str, *, given: bool) -> "PasswordNeeded":
        """For the file ``name``; ``given`` if there was a password, but a wrong one."""
        reason = "the password is wrong" if given else "password needed"
        return cls(f"{name}: {reason}", NextStep(Action.GIVE_PASSWORD))


class UnsupportedFormat(DocumentFailed):
    """The file is of no format that is read."""


class DocumentTooLarge(DocumentFailed):
    """Converting the file takes more memory than it may, or it expands to more than is read."""


class ConversionTimeout(DocumentFailed):
    """The conversion took longer than it may."""


class ReferencesUnreadable(UsageError):
    """A reference file is malformed or not in an encoding that can be read."""
