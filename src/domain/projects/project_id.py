"""Project id: namespace, name, and the derived collection name."""

import re
import unicodedata
from typing import Self

from pydantic import field_validator

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.value import Value

DEFAULT_NAMESPACE = "local"
_UNTITLED = "library"


_SEGMENT = re.compile(r"[^\W_](?:[\w.-]*[\w-])?")


_MAX_LENGTH = 100
_NO_NAME_CHARACTERS = re.compile(r"[^\w.-]+")


# File systems allow names of 255 bytes; the rest is for suffixes.
_MAX_COLLECTION = 220


class ProjectId(Value):
    """``namespace/name``; letters and digits of any script, and ``. _ -`` inside."""

    value: str

    @field_validator("value")
    @classmethod
    def _shaped(cls, value: str) -> str:
        namespace, slash, name = value.partition("/")
        if not slash or not _SEGMENT.fullmatch(namespace) or not _SEGMENT.fullmatch(name):
            raise ValueError(
                f"{value!r} is no project id: write NAME or NAMESPACE/NAME with letters, "
                "digits, '.', '_' and '-', each part beginning with a letter or digit"
            )
        if len(value) > _MAX_LENGTH:
            raise ValueError(f"a project id has at most {_MAX_LENGTH} characters")
        if len(_collection(namespace, name)) > _MAX_COLLECTION:
            raise ValueError(f"{value!r} is too long to name a folder; shorten it")
        return value

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse user input; a bare name is in the namespace ``local``. Raises InvalidRequest."""
        name = unicodedata.normalize("NFC", text.strip())
        try:
            return cls(value=name if "/" in name else f"{DEFAULT_NAMESPACE}/{name}")
        except ValueError as error:
            raise InvalidRequest(_reason(error), parameter="project") from None

    @classmethod
    def from_title(cls, title: str) -> Self:
        """An id like ``title``, which may hold any characters: ``My papers`` becomes
        ``local/My-papers``; without a usable character it is ``local/library``."""
        name = _NO_NAME_CHARACTERS.sub("-", unicodedata.normalize("NFC", title)).strip("._-")
        try:
            return cls(value=f"{DEFAULT_NAMESPACE}/{name}")
        except ValueError:
            return cls(value=f"{DEFAULT_NAMESPACE}/{_UNTITLED}")

    @property
    def namespace(self) -> str:
        return self.value.partition("/")[0]

    @property
    def name(self) -> str:
        return self.value.partition("/")[2]

    @property
    def collection(self) -> str:
        """A readable, injective collection name.

        ``a/b`` becomes ``proj-a-b``. Hyphens of the namespace are doubled, and no name begins
        with one, so the first single hyphen separates the two. Non-ASCII letters are written
        ``~hex~``.
        """
        return _collection(self.namespace, self.name)

    def __str__(self) -> str:
        return self.value


def _collection(namespace: str, name: str) -> str:
    return f"proj-{_ascii(namespace.replace('-', '--'))}-{_ascii(name)}"


def _ascii(text: str) -> str:
    return "".join(c if c.isascii() else f"~{ord(c):x}~" for c in text)


def _reason(error: ValueError) -> str:
    details = getattr(error, "errors", None)
    if callable(details):
        return str(details()[0]["msg"]).removeprefix("Value error, ")
    return str(error)
