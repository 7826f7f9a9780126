"""Which item of a reference library a document is.

A wrong link is worse than none: every citation of the document would be wrong. So evidence
is asked in the order of its worth (a stated link, DOI, arXiv id, file name, title), and an
identifier counts only if the first page does not speak against it, because papers name the
DOIs of other papers, too. Where two different works fit, there is no match.
"""

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Literal, Protocol
from urllib.parse import unquote

from citeloom.domain.citation import CitationMeta
from citeloom.domain.identifiers import (
    as_file_name,
    file_names_of,
    find_arxiv_ids,
    find_dois,
    folded,
    is_telling,
    main_title,
    normalise_arxiv,
    normalise_doi,
    normalise_title,
    same_title,
    squashed,
    telling_words,
    versionless,
)
from citeloom.domain.values import Value

How = Literal["link", "doi", "arxiv", "citekey", "title"]

# Characters of the first page: where a title may begin, where its authors stand, and below
# how many letters a page says nothing (scanned, or only a picture).
_TITLE_ZONE, _AUTHOR_ZONE, _SCANT = 2000, 2500, 200
# Share of a title's longer words on the first page that is more than a common subject.
_SHARED = 0.6
# Below this share a title cannot stand on the page, not even in another spelling.
_VARIANT = 0.75
_NOT_IN_NAMES = str.maketrans("-:/+.", "_____")
_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references|bibliography|works cited|literature cited|"
    r"literatur(?:verzeichnis)?|bibliographie|références)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
# In front of a title: this is about that work, and not the work.
_ABOUT = re.compile(
    r"(?:(?:comment(?:s|ary)?|notes?|remarks) on|(?:review|discussion|critique|summary) of|"
    r"(?:repl(?:y|ies)|response|rejoinder|addendum|erratum|corrigendum|corrections?|"
    r"supplement(?:ary (?:material|information|data))?|supporting information|appendix|"
    r"retraction(?: note)?)(?: (?:to|for|of|on))?)"
    r"(?: the (?:paper|article|book))?\W*$",
    re.IGNORECASE,
)
_ABOUT_SUBTITLE = re.compile(
    r"\b(?:supplement\w*|supporting|corrigendum|erratum|corrections?|reply|response|comments?|"
    r"commentary|rejoinder|appendix|retraction|part|volume|follow-?up|revisited|review)\b|"
    r"\b[ivx]+\b|\d",
    re.IGNORECASE,
)


class DocumentEvidence(Value):
    """What a document says of itself.

    ``identifiers`` are its DOIs and arXiv ids, the most trustworthy first; ``first_text``
    is the beginning of its text (some 3,000 characters) with its line ends.
    """

    file_name: str
    source_path: str = ""
    identifiers: tuple[str, ...] = ()
    title: str | None = None
    first_text: str = ""


class Match(Value):
    """The item that a document is; ``detail`` says what was found, for a person."""

    item: CitationMeta
    how: How
    detail: str


class LinkedFile(Protocol):
    """A file that an item names as its own."""

    @property
    def path(self) -> str: ...
    @property
    def citekey(self) -> str: ...


class _Page:
    """The first page of a document, prepared for looking things up in it."""

    def __init__(self, evidence: DocumentEvidence) -> None:
        text = evidence.first_text
        if references := _REFERENCES.search(text, 200):
            text = text[: references.start()]
        self.text = text
        self.own_title = evidence.title or ""
        pairs = [
            (char, at) for at, whole in enumerate(text) for char in folded(whole) if char.isalnum()
        ]
        self._letters = "".join(char for char, _ in pairs)
        self._at = [at for _, at in pairs]
        self.is_scant = len(pairs) < _SCANT

    @cached_property
    def _people_words(self) -> list[str]:
        return re.findall(r"[^\W\d_]+", self.text[:_AUTHOR_ZONE])

    @cached_property
    def _folded_people_words(self) -> list[str]:
        return [folded(word) for word in self._people_words]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(normalise_title(folded(f"{self.own_title}\n{self.text[:1200]}")).split())

    @cached_property
    def _lines(self) -> list[str]:
        """One to four consecutive lines of the page's head, joined: where titles stand."""
        lines = [line.strip() for line in self.text[:_TITLE_ZONE].splitlines() if line.strip()][:40]
        return [" ".join(lines[at : at + n]) for at in range(len(lines)) for n in range(1, 5)]

    def shared(self, words: Collection[str]) -> float:
        """The share of ``words`` (of a title) that the head of the page has."""
        return sum(word in self._words for word in words) / len(words) if words else 0.0

    def authors(self, item: CitationMeta) -> float | None:
        """The share of the item's first five people who are named; None if it names none."""
        people = _people(item)[:5]
        if not people:
            return None
        return sum(self._names(family, given) for family, given in people) / len(people)

    def _names(self, family: str, given: str) -> bool:
        if given and len(squashed(given + family)) > 6:
            letters = self._letters[: len(self.text[:_AUTHOR_ZONE])]
            if squashed(given + family) in letters or squashed(family + given) in letters:
                return True
        names = re.findall(r"[^\W\d_]+", folded(family))
        words, size = self._folded_people_words, len(names)
        first = folded(given).split()[0].strip(".-") if given.split() else ""
        for at in range(len(words)):
            if not names or words[at] != names[0] or words[at : at + size] != names:
                continue
            near = range(max(0, at - 3), min(len(words), at + size + 2))
            if not first or any(self._is_given(n, first) for n in near if not 0 <= n - at < size):
                return True
        return False

    def _is_given(self, at: int, first: str) -> bool:
        """Whether a word of the page is the given name ``first``, or its initial."""
        word = self._folded_people_words[at]
        if not first or not word.startswith(first[0]):
            return False
        initial = len(word) == 1 or word[:3] == first[:3]
        return self._people_words[at][0].isupper() and (initial or len(first) == 1)

    def holds(self, letters: str) -> bool:
        """Whether the squashed text holds ``letters``: quick, and no proof of anything."""
        return letters in self._letters

    def shows(self, title: str) -> bool:
        """Whether ``title`` stands at the head of the page on lines of its own."""
        wanted = squashed(title)
        at = self._letters.find(wanted) if wanted else -1
        while at >= 0 and self._at[at] < _TITLE_ZONE:
            start, end = self._at[at], self._at[at + len(wanted) - 1] + 1
            before, after = self.text[:start], self.text[end:]
            line_before = before.rpartition("\n")[2]
            line_after = after.partition("\n")[0]
            if not squashed(line_before) and not re.search(r"[^\W\d_]{2}", line_after):
                return not _ABOUT.search(before[-80:])
            at = self._letters.find(wanted, at + 1)
        return False

    def shows_variant(self, title: str) -> bool:
        """Whether a title that differs in spelling only stands at the head of the page."""
        if not is_telling(title) or self.shared(telling_words(title)) < _VARIANT:
            return False
        return any(same_title(title, line) for line in self._lines)

    def is_own(self, identifier: str) -> bool:
        """Whether an identifier stands where a paper names itself, not in a citation."""
        bare = identifier.removeprefix("arXiv:")
        at = self.text.lower().find(bare.lower())
        if at < 0:
            return True  # from the metadata
        line = self.text[:at].rpartition("\n")[2]
        return len(squashed(line)) <= 80 and not re.search(r"^\s*\[?\d+[\].]|\bet al\b", line)


class Matcher:
    """Finds documents in a library. Built once, asked for each document."""

    def __init__(
        self, items: Iterable[CitationMeta], attachments: Iterable[LinkedFile] = ()
    ) -> None:
        self._items = tuple(items)
        self._by_identifier: dict[str, list[CitationMeta]] = defaultdict(list)
        self._by_name: dict[str, list[tuple[How, CitationMeta]]] = defaultdict(list)
        self._by_key: dict[str, list[CitationMeta]] = defaultdict(list)
        self._squashed = [(squashed(item.title), item) for item in self._items]
        self._title_words = [telling_words(item.title) for item in self._items]
        self._tokens = [(token, item) for item in self._items if (token := _token(item.citekey))]
        for item in self._items:
            self._by_key[as_file_name(item.citekey)].append(item)
            for identifier in _identifiers(item):
                self._by_identifier[identifier].append(item)
                for name in file_names_of(identifier):
                    self._by_name[name].append((_how(identifier), item))
        owners = {item.citekey: item for item in self._items}
        self._linked: dict[str, dict[str, CitationMeta]] = defaultdict(dict)
        for file in attachments:
            if owner := owners.get(file.citekey):
                path = _path(file.path)
                for end in {path, *_ends(path)}:
                    self._linked[end][owner.citekey] = owner

    def match(self, document: DocumentEvidence) -> Match | None:
        """The item that ``document`` is, or None if none is, or it cannot be told."""
        page = _Page(document)
        titled = self._titled(page)
        return (
            self._by_link(document, page)
            or self._by_stated_identifier(document, page, titled)
            or self._by_file_name(document, page, titled)
            or _one_work(titled, "title", "title on the first page")
        )

    def hint(self, document: DocumentEvidence) -> str:
        """Why there is no match, and what to do: one sentence."""
        page = _Page(document)
        rename = "name the file {}" + (re.search(r"\.\w+$", document.file_name) or [""])[0]
        works = _works(self._titled(page))
        if len(works) > 1:
            keys = ", ".join(repr(work[0].citekey) for work in works[:3])
            return f"several items fit: {keys}; {rename.format(works[0][0].citekey)} to choose"
        named = _stated(document, page)
        for identifier in named:
            for item in self._by_identifier.get(versionless(identifier), ())[:1]:
                return (
                    f"{identifier} is {item.citekey!r}, but neither its title nor its authors "
                    f"stand on the first page; if it is, {rename.format(item.citekey)}"
                )
        missing = [f"DOI {d}" if d.startswith("10.") else d for d in named[:1]]
        title = _shown(document, page)
        missing += [f"a title like {title[:80]!r}"] if title else []
        closest = self._closest(title)
        near = "; add it to the reference file"
        if closest and closest[1] > 0.97 and title:
            key = closest[0].citekey
            return (
                f"{key!r} has the title {title[:80]!r}, but the first page does not bear it out "
                f"(authors, title on a line of its own); if it is, {rename.format(key)}"
            )
        if closest:
            item, ratio = closest
            near = (
                f"; closest: {item.citekey!r} (title similarity {ratio:.2f}); "
                f"add it to the reference file, or {rename.format(item.citekey)}"
            )
        return f"no item has {' or '.join(missing) or 'a title or DOI of this document'}{near}"

    def _closest(self, title: str) -> tuple[CitationMeta, float] | None:
        from rapidfuzz import fuzz, process

        titles = [letters for letters, _ in self._squashed]
        found = process.extractOne(squashed(title), titles, scorer=fuzz.ratio, score_cutoff=40)
        return (self._items[found[2]], found[1] / 100) if found else None

    def _by_link(self, document: DocumentEvidence, page: _Page) -> Match | None:
        path = _path(document.source_path or document.file_name)
        whole = self._linked.get(path, {})
        if len(whole) == 1 and "/" in path:
            return Match(item=next(iter(whole.values())), how="link", detail=f"file {path}")
        for end in _ends(path):
            linked = self._linked.get(end, {})
            if len(linked) != 1:
                continue
            item = next(iter(linked.values()))
            if "/" in end or _is_plausible(item, page):
                return Match(item=item, how="link", detail=f"file name {end}")
        return None

    def _by_stated_identifier(
        self, document: DocumentEvidence, page: _Page, titled: Sequence[CitationMeta]
    ) -> Match | None:
        """By DOI or arXiv id. The first one names the document unless the page denies it;
        a later one is a citation unless the page bears that item's title."""
        for rank, identifier in enumerate(_stated(document, page)):
            items = self._by_identifier.get(versionless(identifier), [])
            fitting = [item for item in items if item in titled or _bears(page, item)]
            if not fitting and rank == 0 and not titled:
                fitting = [item for item in items if _may_be(item, page, identifier)]
            if found := _one_work(fitting, _how(identifier), identifier):
                return found
        return None

    def _by_file_name(
        self, document: DocumentEvidence, page: _Page, titled: Sequence[CitationMeta]
    ) -> Match | None:
        stem = re.sub(r"\.(?=\w*[^\W\d])\w{1,8}$", "", unquote(document.file_name))
        stem = re.sub(r"(?: ?\(\d+\)| - copy| copy)$", "", stem.strip(), flags=re.IGNORECASE)
        named = self._by_name.get(as_file_name(re.sub(r"(?<=\d)v\d+$", "", stem)), [])
        fitting = [item for _, item in named if _is_plausible(item, page)]
        if found := _one_work(fitting, named[0][0] if named else "doi", f"file name {stem}"):
            return found
        keys = self._by_key.get(as_file_name(stem), [])
        exact = [item for item in keys if item.citekey.casefold() == stem.casefold()]
        keys = exact or keys
        if not keys:
            name = stem.casefold().translate(_NOT_IN_NAMES)
            keys = [
                item
                for token, item in self._tokens
                if _is_token(token, name) and _shares_title(item, page)
            ]
            longest = max((len(item.citekey) for item in keys), default=0)
            keys = [item for item in keys if len(item.citekey) == longest]
        if titled and not any(item in titled for item in keys):
            return None  # the page bears the title of another item
        return _one_work(keys, "citekey", f"file name {stem}")

    def _titled(self, page: _Page) -> list[CitationMeta]:
        """The items whose titles the page bears as its own, the longest title only where one
        holds another."""
        own = squashed(page.own_title)
        found: list[tuple[str, CitationMeta]] = []
        for (letters, item), words in zip(self._squashed, self._title_words, strict=True):
            may_fit = letters == own or page.holds(letters) or page.shared(words) >= _VARIANT
            if letters and may_fit and self._is_titled(page, item):
                found.append((letters, item))
        return [
            item
            for letters, item in found
            if not any(letters != other and letters in other for other, _ in found)
        ]

    def _is_titled(self, page: _Page, item: CitationMeta) -> bool:
        authors = page.authors(item)
        if not is_telling(item.title):
            is_shown = page.shows(item.title) or same_title(item.title, page.own_title)
            return is_shown and authors is not None and authors > 0.5
        if _bears(page, item):
            return bool(authors) or _speaks_alone(item, page, authors)
        return bool(authors) and (
            page.shows_variant(item.title) or self._bears_without_subtitle(page, item, authors or 0)
        )

    def _bears_without_subtitle(self, page: _Page, item: CitationMeta, authors: float) -> bool:
        main = main_title(item.title)
        if main and is_telling(main):
            alone = sum(letters.startswith(squashed(main)) for letters, _ in self._squashed) == 1
            return alone and (page.shows(main) or same_title(main, page.own_title))
        own = main_title(page.own_title)
        if main or not own or not same_title(own, item.title):
            return False
        return authors > 0.5 and not _ABOUT_SUBTITLE.search(page.own_title[len(own) :])


def _bears(page: _Page, item: CitationMeta) -> bool:
    """Whether the item's title is the document's, on the page or by its metadata."""
    if page.shows(item.title):
        return True
    named = same_title(item.title, page.own_title)
    return named and (page.is_scant or page.shared(telling_words(item.title)) >= _SHARED)


def _speaks_alone(item: CitationMeta, page: _Page, authors: float | None) -> bool:
    """Whether the title is enough, though none of its authors can be found on the page."""
    is_long = len(item.title.split()) >= 6 and len(item.title) >= 40
    if page.is_scant:
        return True
    return is_long and (authors is None or squashed(item.title) == squashed(page.own_title))


def _is_plausible(item: CitationMeta, page: _Page) -> bool:
    """Whether nothing on the page speaks against the item."""
    return page.is_scant or bool(page.authors(item)) or _shares_title(item, page)


def _shares_title(item: CitationMeta, page: _Page) -> bool:
    return page.is_scant or page.shared(telling_words(item.title)) >= _SHARED


def _may_be(item: CitationMeta, page: _Page, identifier: str) -> bool:
    """Whether the first identifier of a document that does not bear the item's title (because
    it was edited or translated, say) can name the document itself."""
    if page.is_scant:
        return True
    authors = page.authors(item)
    if page.shared(telling_words(item.title)) >= _SHARED:
        return authors is None or authors > 0 or page.is_own(identifier)
    return bool(authors) and page.is_own(identifier)


def _one_work(items: Sequence[CitationMeta], how: How, detail: str) -> Match | None:
    """A match if ``items`` are one work; of several entries for it the fullest is taken."""
    works = _works(items)
    if len(works) != 1:
        return None
    best, *others = works[0]
    if others:
        detail += f"; also entered as {', '.join(other.citekey for other in others)}"
    return Match(item=best, how=how, detail=detail)


def _works(items: Sequence[CitationMeta]) -> list[list[CitationMeta]]:
    """``items`` grouped by the work they describe; in each group the fullest item first, of
    equally full ones the one with the smallest key."""
    works: list[list[CitationMeta]] = []
    for item in sorted(items, key=lambda item: (-_fullness(item), item.citekey)):
        for work in works:
            if _is_same_work(work[0], item):
                work.append(item)
                break
        else:
            works.append([item])
    return works


def _fullness(item: CitationMeta) -> int:
    fields = (item.year, item.doi, item.url, item.container_title, item.page, item.type)
    return sum(field is not None for field in fields) * 100 + len(item.csl)


def _is_same_work(one: CitationMeta, other: CitationMeta) -> bool:
    if squashed(one.title) != squashed(other.title):
        return False
    if one.doi and other.doi:
        return one.doi == other.doi
    return one.type == other.type and (one.year == other.year or None in (one.year, other.year))


def _people(item: CitationMeta) -> list[tuple[str, str]]:
    """Family and given names of authors, else editors; none for bodies that stand in."""
    for role in ("author", "editor"):
        people = item.csl.get(role)
        if isinstance(people, list) and people:
            names = [person for person in people if isinstance(person, dict)]
            pairs = [
                (str(n.get("family") or n.get("literal") or ""), str(n.get("given") or ""))
                for n in names
            ]
            return [pair for pair in pairs if pair[0]]
    if item.csl or item.authors == ("[no author]",):
        return []
    return [
        (name.split()[-1], " ".join(name.split()[:-1])) for name in item.authors if name.split()
    ]


def _identifiers(item: CitationMeta) -> set[str]:
    """DOIs and arXiv ids of an item; those of arXiv's own DOIs as arXiv ids."""
    fields = [item.doi or "", item.url or ""]
    names = ("note", "number", "archive_location", "archive")
    fields += [str(item.csl[name]) for name in names if item.csl.get(name)]
    ids = set(find_arxiv_ids("\n".join(fields)))
    if doi := normalise_doi(item.doi or ""):
        ids.add(normalise_arxiv(doi) or versionless(doi))
    return ids


def _stated(document: DocumentEvidence, page: _Page) -> list[str]:
    """Identifiers of a document: those it was given with, then those on the page."""
    given = (normalise_arxiv(name) or normalise_doi(name) for name in document.identifiers)
    read = (normalise_arxiv(doi) or doi for doi in find_dois(page.text))
    return list(dict.fromkeys(i for i in (*given, *read, *find_arxiv_ids(page.text)) if i))


def _how(identifier: str) -> How:
    return "arxiv" if identifier.startswith("arXiv:") else "doi"


def _is_token(key: str, stem: str) -> bool:
    """Whether a key of letters and digits stands in a file name, not within a word; both with
    ``_`` for what file names do not hold."""
    at = stem.find(key)
    end = at + len(key)
    return at >= 0 and not (stem[:at][-1:].isalnum() or stem[end : end + 1].isalnum())


def _token(citekey: str) -> str | None:
    """A key as it may stand within a file name; None if it is too short or too common."""
    has_both = any(map(str.isdigit, citekey)) and any(map(str.isalpha, citekey))
    return citekey.casefold().translate(_NOT_IN_NAMES) if has_both and len(citekey) > 4 else None


def _path(path: str) -> str:
    return posixpath.normpath(unicodedata.normalize("NFC", path).replace("\\", "/"))


def _ends(path: str) -> list[str]:
    """The ends of a path that can tell a file: Zotero's ``ITEMKEY/name``, then the name."""
    *folders, name = path.removeprefix("storage:").split("/")
    is_zotero = bool(folders) and re.fullmatch(r"[A-Z0-9]{8}", folders[-1]) is not None
    return [f"{folders[-1]}/{name}", name] if is_zotero else [name]


def _shown(document: DocumentEvidence, page: _Page) -> str:
    return page.own_title or next((ln for ln in page.text.splitlines() if ln.strip()), "").strip()
