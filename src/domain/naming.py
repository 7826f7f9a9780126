"""Names of documents: exact names, and how somebody writes one."""

import os.path
import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import PurePath
from typing import Final
from urllib.parse import unquote, urlsplit

from .citation.locators import Locator, parse_locator
from .documents.spans import CharSpan
from .errors import InvalidRequest
from .maps.address import Address, parse_address
from .references.identifiers import find_dois, normalise_doi
from .resources.uris import (
    FILE,
    SCHEME,
    ObservableUri,
    ResourceUri,
    SuffixKind,
    page_of,
    parse_uri,
    span_of,
)
from .value import Value

# Old and new identifiers: https://info.arxiv.org/help/arxiv_identifier.html
_ARXIV = re.compile(
    r"(?:arxiv:\s*|https?://arxiv\.org/(?:abs|pdf|html)/|"
    r"(?:https?://doi\.org/|doi:\s*)?10\.48550/arxiv\.)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
# Zotero's links, and those of its early versions (``items/LIBRARY_KEY``).
_ITEM = re.compile(r"(?:zotero://select/(?:(?:library|groups/\d+)/)?items/(?:\d+_)?)?([A-Z0-9]{8})")
#: Hex digits of the shortest prefix of an id.
LEAST_PREFIX = 4
#: Realms of knowledge URIs whose paths are identifiers, with the prefix of those.
ELSEWHERE: Final = {"doi": "doi:", "zotero": "zotero://select/library/items/", "www": "https://"}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
#: Schemes of names that are not addresses of fragments.
_NAMING = frozenset({"file", "http", "https", "zotero"})
_HEX = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},64}}")
_WHOLE_IDS = (16, 64)
_FILE_URL = "file://"
_ITEM_OF_KEY = "zotero://select/items/@"
_CITATION = ("[", "@", "-@")
# After the pandoc manual, "Citation syntax".
_CITED = re.compile(
    r"[^@]*?-?@(?:\{(?P<braced>[^{}\s]+)\}|(?P<bare>\w(?:\w|[:.#$%&\-+?<>~/](?=\w))*))(?P<rest>.*)",
    re.DOTALL,
)


class NameKind(StrEnum):
    """``LABEL`` is a citation key without regard to case, present or former; ``FILE`` a file
    name, likewise."""

    CITEKEY = "citekey"
    PATH = "path"
    DOI = "doi"
    ARXIV = "arxiv"
    URL = "url"
    ITEM = "item"
    LABEL = "label"
    FILE = "file"


Name = tuple[NameKind, str]

#: Kinds of names that a document has of its files.
OF_SOURCES = (NameKind.PATH, NameKind.FILE)
#: Kinds of names that a text may mention without being theirs.
IDENTIFIERS = frozenset({NameKind.DOI, NameKind.ARXIV, NameKind.URL})


def citation_key(key: str) -> Name:
    return NameKind.CITEKEY, nfc(key)


def label(key: str) -> Name:
    return NameKind.LABEL, nfc(key).casefold()


def path_name(path: str) -> Name:
    return NameKind.PATH, nfc(path)


def file_name(path: str) -> Name:
    return NameKind.FILE, nfc(PurePath(path).name).casefold()


def source_names(paths: Iterable[str]) -> frozenset[Name]:
    """The names of a document with these source files."""
    return frozenset(name for path in paths for name in (path_name(path), file_name(path)))


def identifiers_in(text: str) -> Iterator[Name]:
    """What the whole of ``text`` may identify: a DOI, an arXiv id (without version), a Zotero
    item, a URL."""
    text = text.strip()
    if doi := normalise_doi(text) or next(iter(find_dois(text) if _is_url(text) else ()), None):
        yield NameKind.DOI, doi
    if match := _ARXIV.fullmatch(text):
        yield NameKind.ARXIV, match[1].lower()
    if match := _ITEM.fullmatch(text):
        yield NameKind.ITEM, match[1]
    if _is_url(text):
        parts = urlsplit(text)
        query = f"?{parts.query}" if parts.query else ""
        yield NameKind.URL, f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"


def _is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


class Spelling(Value):
    """What names one document, and perhaps a place in it.

    ``readings`` are groups of exact names, the most exact first: a group counts only if no
    document has a name of those before. ``document_id`` is an id or the beginning of one;
    ``words`` may be a title or a file name, or a part of one; ``path`` the end of a path.
    ``project`` is the readable name of the project in a knowledge URI. ``locator`` is that of a
    citation, ``address`` and ``uri`` are the text where it is one.
    """

    text: str
    readings: tuple[tuple[Name, ...], ...] = ()
    document_id: str | None = None
    words: str | None = None
    path: str | None = None
    project: str | None = None
    locator: Locator | None = None
    address: Address | None = None
    uri: ResourceUri | ObservableUri | None = None

    @property
    def key(self) -> str | None:
        """The text as a citation key; None if it is not one."""
        kinds = (name for names in self.readings for name in names)
        return next((value for kind, value in kinds if kind is NameKind.CITEKEY), None)

    @property
    def span(self) -> CharSpan | None:
        """The span of a passage's URI, in characters of the document's text; else None."""
        path = self._path
        return span_of(path[1]) if len(path) == 2 else None

    @property
    def page(self) -> int | None:
        """The page of a page's URI, from 1 in the file; else None."""
        return page_of(self._path)

    @property
    def _path(self) -> tuple[str, ...]:
        uri = self.uri.resource if isinstance(self.uri, ObservableUri) else self.uri
        return uri.path if uri and uri.realm == FILE else ()

    @property
    def is_whole(self) -> bool:
        """Whether a knowledge URI names the document, and no part of it."""
        parts = (SuffixKind.CHUNK, SuffixKind.MEDIA)
        suffix = self.uri.suffix if isinstance(self.uri, ObservableUri) else None
        within = self.span is not None or self.page is not None
        return not within and (suffix is None or suffix.kind not in parts)

    @property
    def has_whole_id(self) -> bool:
        """Whether ``document_id`` is a whole or a short id, not another beginning of one."""
        return self.document_id is not None and len(self.document_id) in _WHOLE_IDS


def parse_spelling(text: str, base: PurePath | None = None) -> Spelling:
    """``base`` is the folder of relative paths; without it they are ends of paths only.

    Raises InvalidAddress, InvalidUri, and InvalidRequest for an empty text, several works, and a
    knowledge URI of a project or collection.
    """
    text = nfc(text.strip())
    if not text:
        raise InvalidRequest("the name of a document is empty", parameter="document")
    if text.startswith(SCHEME):
        return _of_uri(text)
    if (scheme := _SCHEME.match(text)) and scheme[1].lower() not in _NAMING:
        address = parse_address(text)
        named = spelling_of_key(address.resource_id)
        file = file_name(address.resource_id)
        readings = (*named.readings, (file,))
        return named.model_copy(update={"text": text, "readings": readings, "address": address})
    if text.lower().startswith(_FILE_URL):
        return Spelling(text=text, readings=((path_name(_path_of(text)),),))
    if text.startswith(_CITATION) and (cited := _cited(text)) is not None:
        return cited
    key = text.removeprefix(_ITEM_OF_KEY)
    return Spelling(
        text=text,
        readings=(
            (citation_key(key), *_paths(text, base)),
            tuple(identifiers_in(text)),
            (label(key), file_name(text)) if PurePath(text).name == text else (label(key),),
        ),
        document_id=_hex(text),
        words=None if "://" in text or _is_rooted(text) else text,
        path=text if len(PurePath(text).parts) > 1 and not _is_rooted(text) else None,
    )


def spelling_of_key(key: str) -> Spelling:
    """A citation key as a draft has it; it may be a DOI or an id too."""
    readings = ((citation_key(key),), tuple(identifiers_in(key)), (label(key),))
    return Spelling(text=key, readings=readings, document_id=_hex(key))


def _of_uri(text: str) -> Spelling:
    uri = parse_uri(text)
    resource = uri.resource if isinstance(uri, ObservableUri) else uri
    if resource.realm in ELSEWHERE:
        names = tuple(identifiers_in(ELSEWHERE[resource.realm] + "/".join(resource.path)))
        return Spelling(text=text, readings=(names,), project=resource.subrealm, uri=uri)
    first, *rest = resource.path
    known = not rest or page_of(resource.path) or (len(rest) == 1 and span_of(rest[0]))
    if resource.realm != FILE or _hex(first) is None or not known:
        raise InvalidRequest(
            f"{text}: names no document; name one, as ndk://file/PROJECT/ID", parameter="document"
        )
    return Spelling(text=text, document_id=first, project=resource.subrealm, uri=uri)


def _cited(text: str) -> Spelling | None:
    """A citation in pandoc's form: ``@key``, ``[@key, p. 5]``, ``@key [p. 5]``."""
    within = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    match = _CITED.fullmatch(within)
    if match is None:
        return None
    key, rest = match["braced"] or match["bare"], match["rest"].strip()
    if "@" in rest:
        raise InvalidRequest(f"{text}: cites several works; name one", parameter="document")
    if rest.startswith("["):
        rest = rest[1:].removesuffix("]")
    locator, words = parse_locator(rest)
    if locator is None and (words := words.strip(" ,")):
        locator = Locator(text=words)
    return spelling_of_key(key).model_copy(update={"text": text, "locator": locator})


def _paths(text: str, base: PurePath | None) -> Iterator[Name]:
    if "://" in text:
        return
    yield path_name(text)
    path = PurePath(text)
    if path.is_absolute() or base is not None:
        yield path_name(os.path.normpath(path if base is None else base / path))


def _path_of(url: str) -> str:
    path = unquote(urlsplit(url).path)
    on_drive = len(path) > 2 and path[2] == ":"
    return str(PurePath(path[1:] if on_drive else path))


def _is_rooted(text: str) -> bool:
    """Whether a path names its beginning: the root or the working directory."""
    return PurePath(text).is_absolute() or text.startswith(("./", "../", ".\\", "..\\", "~"))


def _hex(text: str) -> str | None:
    folded = text.lower()
    return folded if _HEX.fullmatch(folded) else None
