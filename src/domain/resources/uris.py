"""Knowledge URIs: ``ndk://realm/subrealm/path…[/$suffix]``.

Those of projects, documents and passages are ``ndk://file/PROJECT/DOCUMENT``. ``PROJECT`` is the
project's unique readable name; ``DOCUMENT`` the short id. A passage is ``DOCUMENT/START-END``, by
its character offsets in the document's text, a page of the file ``DOCUMENT/page/NUMBER``, its
picture ``DOCUMENT/page/NUMBER.png``; ``-`` is the project itself, ``collection/NAME`` and
``tag/NAME`` are those of its citations.
"""

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final, Self
from urllib.parse import unquote

from pydantic import AfterValidator, Field, ValidationError, model_validator

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import InvalidUri
from citeloom.domain.maps.address import short_id
from citeloom.domain.projects.project import DEFAULT_NAMESPACE, ProjectId
from citeloom.domain.value import Value

MAX_NAME = 512
"""Characters of a part of a path."""

REALM = re.compile(r"[a-z][a-z0-9]+(?:-[a-z0-9]+)*")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_OTHER = re.compile(r"[^A-Za-z0-9.-]+")
SCHEME = "ndk://"
SELF = "self://"
MAX_URI = 4096
"""Characters of a URI that is read."""
_INDEX = re.compile(r"0[0-9]|[1-9][0-9]{1,8}")
FILE = "file"
WHOLE = "-"
_FULL = "proj-"
_ESCAPED = re.compile(r"~([0-9a-f]+)~")
_PAGE = "page"
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_SPAN = re.compile(r"(0|[1-9][0-9]{0,11})-([1-9][0-9]{0,11})")


def check_realm(realm: str) -> str:
    """``realm`` itself; raises ValueError if it is not one."""
    if not REALM.fullmatch(realm) or len(realm) > MAX_NAME:
        raise ValueError(f"the realm {realm!r} is not two or more of a-z, 0-9 and single hyphens")
    return realm


def check_name(name: str) -> str:
    """``name`` itself; raises ValueError if it cannot be part of a path. ASCII letters, digits, ``.
    _ -``; only ``-`` may consist of punctuation alone."""
    if not name:
        raise ValueError("a part between slashes is empty")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} holds more than ASCII letters, digits, '.', '_' and '-'")
    if name != "-" and not any(c.isalnum() for c in name):
        raise ValueError(f"{name!r} has no letter and no digit")
    if len(name) > MAX_NAME:
        raise ValueError(f"a name has at most {MAX_NAME} characters")
    return name


def normalize_name(text: str) -> str:
    """A path segment from ``text``: percent-decoded, without accents, and ``_`` for each run of
    other characters.

    Raises ValueError if no letter or digit is left.
    """
    plain = unicodedata.normalize("NFKD", unquote(text))
    bare = "".join(c for c in plain if not unicodedata.combining(c))
    return check_name(_OTHER.sub("_", bare))


class SuffixKind(StrEnum):
    """Kind of a suffix, without the dollar sign."""

    BODY = "body"
    CHUNK = "chunk"
    COLLECTION = "collection"
    FILE = "file"
    MEDIA = "media"
    PLAIN = "plain"


AFFORDANCES: Final = frozenset(
    {SuffixKind.BODY, SuffixKind.COLLECTION, SuffixKind.FILE, SuffixKind.PLAIN}
)
_WITH_PATH: Final = frozenset({SuffixKind.FILE, SuffixKind.MEDIA})


class Suffix(Value):
    """``$body``, ``$chunk/01/02``, ``$media/figures/a.png``, …

    ``indexes`` are those of a chunk, from 0; ``path`` is that of a file or of media.
    """

    kind: SuffixKind
    indexes: tuple[Annotated[int, Field(ge=0, lt=10**9)], ...] = ()
    path: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        if self.indexes and self.kind is not SuffixKind.CHUNK:
            raise ValueError(f"${self.kind} takes no numbers")
        if self.path and self.kind not in _WITH_PATH:
            raise ValueError(f"${self.kind} takes no path")
        for name in self.path:
            check_name(name)
        return self

    @property
    def is_affordance(self) -> bool:
        return self.kind in AFFORDANCES

    def holds(self, other: "Suffix") -> bool:
        """Whether ``other`` is this, below it, or (for ``$body``) observed within it."""
        if self.kind is SuffixKind.BODY:
            return other.kind in (SuffixKind.BODY, SuffixKind.CHUNK, SuffixKind.MEDIA)
        return (
            other.kind is self.kind
            and other.indexes[: len(self.indexes)] == self.indexes
            and other.path[: len(self.path)] == self.path
        )

    def __str__(self) -> str:
        parts = (*(f"{index:02d}" for index in self.indexes), *self.path)
        return "/".join((f"${self.kind}", *parts))


BODY: Final = Suffix(kind=SuffixKind.BODY)


def chunk(*indexes: int) -> Suffix:
    return Suffix(kind=SuffixKind.CHUNK, indexes=indexes)


def media(*path: str) -> Suffix:
    return Suffix(kind=SuffixKind.MEDIA, path=path)


class ResourceUri(Value):
    """``realm`` is the handler of the resource, ``subrealm`` a namespace within it (a library, a
    project), ``path`` the resource there."""

    realm: Annotated[str, AfterValidator(check_realm)]
    subrealm: str
    path: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names(self) -> Self:
        for name in (self.subrealm, *self.path):
            check_name(name)
        return self

    def observable(self, suffix: Suffix) -> "ObservableUri":
        """An AffordanceUri if the suffix is that of an affordance."""
        kind = AffordanceUri if suffix.is_affordance else ObservableUri
        return kind(resource=self, suffix=suffix)

    def __str__(self) -> str:
        return SCHEME + "/".join((self.realm, self.subrealm, *self.path))


class ObservableUri(Value):
    """An observable of a resource."""

    resource: ResourceUri
    suffix: Suffix

    @property
    def affordance(self) -> "AffordanceUri":
        """The affordance of the observable: for chunks and media the ``$body``."""
        suffix = self.suffix if self.suffix.is_affordance else BODY
        return AffordanceUri(resource=self.resource, suffix=suffix)

    def __str__(self) -> str:
        return f"{self.resource}/{self.suffix}"


class AffordanceUri(ObservableUri):
    """An affordance of a resource, which is also observable."""

    @model_validator(mode="after")
    def _affords(self) -> Self:
        if not self.suffix.is_affordance:
            raise ValueError(f"{self.suffix} is not an affordance; it is seen within $body")
        return self


KnowledgeUri = ResourceUri | ObservableUri


def parse_uri(text: str) -> KnowledgeUri:
    """A ResourceUri, an AffordanceUri, or another ObservableUri. ``str`` of the result is
    ``text``. Raises InvalidUri with the reason."""
    if len(text) > MAX_URI:
        raise InvalidUri(text, f"longer than {MAX_URI} characters")
    if not text.startswith(SCHEME):
        raise InvalidUri(text, f"it begins with {SCHEME}")
    before, dollar, after = text.removeprefix(SCHEME).partition("$")
    if dollar and not before.endswith("/"):
        raise InvalidUri(text, "a '/' stands before the suffix, and no '$' elsewhere")
    names = (before[:-1] if dollar else before).split("/")
    if len(names) < 3:
        raise InvalidUri(text, f"write {SCHEME}realm/subrealm/path, with /$body or another suffix")
    try:
        resource = ResourceUri(realm=names[0], subrealm=names[1], path=tuple(names[2:]))
        return resource.observable(_suffix(f"${after}")) if dollar else resource
    except ValueError as error:
        raise InvalidUri(text, _reason(error)) from None


def parse_suffix(text: str) -> Suffix:
    """Raises InvalidUri for an invalid suffix."""
    try:
        if len(text) > MAX_URI:
            raise ValueError(f"longer than {MAX_URI} characters")
        return _suffix(text)
    except ValueError as error:
        raise InvalidUri(text, _reason(error)) from None


def parse_self(text: str) -> Suffix:
    """The suffix that ``self://$…`` names. Raises InvalidUri."""
    if not text.startswith(SELF):
        raise InvalidUri(text, f"it begins with {SELF}")
    return parse_suffix(text.removeprefix(SELF))


def self_uri(suffix: Suffix) -> str:
    return f"{SELF}{suffix}"


def is_child_or_self(child: KnowledgeUri, parent: KnowledgeUri) -> bool:
    """Whether ``child`` is ``parent`` or within it: a resource with the parent's path as prefix,
    an observable of that resource, or one within its observable."""
    if isinstance(parent, ObservableUri):
        return (
            isinstance(child, ObservableUri)
            and child.resource == parent.resource
            and parent.suffix.holds(child.suffix)
        )
    if isinstance(child, ObservableUri):
        return child.resource == parent
    return (child.realm, child.subrealm) == (parent.realm, parent.subrealm) and child.path[
        : len(parent.path)
    ] == parent.path


def _suffix(text: str) -> Suffix:
    if not text.startswith("$"):
        raise ValueError("a suffix begins with '$'")
    first, *rest = text.removeprefix("$").split("/")
    if first not in SuffixKind.__members__.values():
        kinds = ", ".join(f"${kind}" for kind in SuffixKind)
        raise ValueError(f"{f'${first}'!r} is not a suffix; there are {kinds}")
    kind = SuffixKind(first)
    if kind is not SuffixKind.CHUNK:
        return Suffix(kind=kind, path=tuple(rest))
    for index in rest:
        if not _INDEX.fullmatch(index):
            raise ValueError(
                f"{index!r} is not a number of a chunk: two digits, or more without a leading zero"
            )
    return Suffix(kind=kind, indexes=tuple(int(index) for index in rest))


def _reason(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return str(error.errors()[0]["msg"]).removeprefix("Value error, ")
    return str(error)


def subrealm_of(project_id: ProjectId) -> str:
    """The name of a project in URIs; non-ASCII letters are ``_.hex.``."""
    escaped = project_id.collection.replace("_.", "_.5f..")
    return _ESCAPED.sub(r"_.\1.", escaped)


def is_short_name_of(project_id: ProjectId, subrealm: str) -> bool:
    """Whether ``subrealm`` is the bare name of this project of the namespace ``local``. A name
    that looks like a full one is never a short one, so that the URI of a deleted project
    resolves to no other."""
    return (
        project_id.namespace == DEFAULT_NAMESPACE
        and project_id.name == subrealm
        and not subrealm.startswith(_FULL)
    )


def project_uri(project_id: ProjectId) -> ResourceUri:
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=(WHOLE,))


def document_uri(project_id: ProjectId, document_id: str) -> ResourceUri:
    path = (short_id(document_id),)
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=path)


def passage_uri(project_id: ProjectId, document_id: str, span: CharSpan) -> ResourceUri:
    name = f"{span.start}-{span.end}"
    path = (short_id(document_id), name)
    return ResourceUri(realm=FILE, subrealm=subrealm_of(project_id), path=path)


def passage_text_uri(project_id: ProjectId, document_id: str, span: CharSpan) -> str:
    """The URI of a passage's text: its one chunk."""
    return str(passage_uri(project_id, document_id, span).observable(chunk()))


def span_of(name: str) -> CharSpan | None:
    """The character span of the last part of a passage's path; None if it is none."""
    match = _SPAN.fullmatch(name)
    if not match or int(match[1]) >= int(match[2]):
        return None
    return CharSpan(start=int(match[1]), end=int(match[2]))


def page_of(path: Sequence[str]) -> int | None:
    """The page of the file that a path names, from 1; None if it names none."""
    if len(path) != 3 or path[1] != _PAGE:
        return None
    number = path[2].removesuffix(".png")
    return int(number) if _NUMBER.fullmatch(number) else None
