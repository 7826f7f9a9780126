"""Matching of a document to an item of a reference library.

A wrong match is worse than none: every citation of the document would be wrong. Evidence is
used by descending reliability (a stated link, DOI, arXiv id, file name, title, a title that the
file name spells). An identifier counts only if the first page does not contradict it, since
papers contain DOIs of other papers. If two different works fit, there is no match.
"""

import posixpath
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol
from urllib.parse import unquote

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.value import Value

from .first_page import VARIANT, DocumentEvidence, FirstPage, name_words, spells_title, stem_words
from .identifiers import (
    as_file_name,
    distinctive_words,
    file_names_of,
    find_arxiv_ids,
    find_dois,
    is_distinctive,
    letters_and_digits,
    main_title,
    normalise_arxiv,
    normalise_doi,
    same_title,
    versionless,
)

MatchMethod = Literal["link", "doi", "arxiv", "citekey", "title"]

# Minimum coverage of a title's longer words on the first page; less may be a common subject.
_MIN_WORD_COVERAGE = 0.6
# Minimum title similarity of the closest item in a hint, and of the same title.
_CLOSE, _SAME = 0.6, 0.97
_YEARS = 3  # between a preprint and its publication
_START = 16  # letters by which titles are found
_NOT_IN_NAMES = str.maketrans("-:/+.", "_____")
_ABOUT_SUBTITLE = re.compile(
    r"\b(?:supplement\w*|supporting|corrigendum|erratum|corrections?|reply|response|comments?|"
    r"commentary|rejoinder|appendix|retraction|part|volume|follow-?up|revisited|review)\b|"
    r"\b[ivx]+\b|\d",
    re.IGNORECASE,
)


class Match(Value):
    """The matched item; ``detail`` is the evidence for people."""

    item: CitationMeta
    how: MatchMethod
    detail: str


class LinkedFile(Protocol):
    """A file that an item names as its own."""

    @property
    def path(self) -> str: ...
    @property
    def citekey(self) -> str: ...


class ItemMatcher:
    """Index of a library's items for matching documents."""

    def __init__(
        self, items: Iterable[CitationMeta], attachments: Iterable[LinkedFile] = ()
    ) -> None:
        self._items = tuple(items)
        self._by_identifier: dict[str, list[CitationMeta]] = defaultdict(list)
        self._by_name: dict[str, list[tuple[MatchMethod, CitationMeta]]] = defaultdict(list)
        self._by_key: dict[str, list[CitationMeta]] = defaultdict(list)
        self._squashed = [(letters_and_digits(item.title), item) for item in self._items]
        self._title_words = [distinctive_words(_required_title(item.title)) for item in self._items]
        self._by_letters, self._by_word = _title_index(self._squashed, self._title_words)
        self._name_words = [name_words(item.title) for item in self._items]
        self._by_token: dict[str, list[CitationMeta]] = defaultdict(list)
        for item in self._items:
            self._by_key[as_file_name(item.citekey)].append(item)
            if token := _token(item.citekey):
                self._by_token[token].append(item)
            for identifier in _identifiers(item):
                self._by_identifier[identifier].append(item)
                for name in file_names_of(identifier):
                    self._by_name[name].append((_method(identifier), item))
        owners = {item.citekey: item for item in self._items}
        self._linked: dict[str, dict[str, CitationMeta]] = defaultdict(dict)
        for file in attachments:
            if owner := owners.get(file.citekey):
                path = _path(file.path)
                for end in {path, *_ends(path)}:
                    self._linked[end][owner.citekey] = owner

    def match(self, document: DocumentEvidence) -> Match | None:
        """The item of ``document``; None if there is none or it is ambiguous."""
        page = FirstPage(document)
        titled = self._titled(page)
        return (
            self._by_link(document, page)
            or self._by_stated_identifier(document, page, titled)
            or self._by_file_name(document, page, titled)
            or _one_work(titled, "title", "title on the first page")
            or (None if titled else self._by_named_title(document, page))
        )

    def hint(self, document: DocumentEvidence) -> str:
        """The reason for no match and the next step, in one sentence."""
        page = FirstPage(document)
        ending = (re.search(r"\.\w+$", document.file_name) or [""])[0]

        def rename(key: str) -> str:
            return f"name the file {re.sub(r'[/:*?<>|]', '_', key)}{ending}"

        works = _group_by_work(self._titled(page))
        if len(works) > 1:
            keys = ", ".join(repr(work[0].citekey) for work in works[:3])
            return f"several items fit: {keys}; {rename(works[0][0].citekey)} to choose"
        identifiers = _stated_identifiers(document, page)
        for identifier in identifiers:
            for item in self._by_identifier.get(versionless(identifier), ())[:1]:
                return (
                    f"{identifier} is {item.citekey!r}, but the first page does not "
                    f"confirm it (title, authors); if it is, {rename(item.citekey)}"
                )
        missing = [f"DOI {d}" if d.startswith("10.") else d for d in identifiers[:1]]
        title = _displayed_title(page)
        missing += [f"a title like {title[:80]!r}"] if title else []
        closest = self._closest(title)
        sought = " or ".join(missing) or "a title or DOI of this document"
        sought = f"no item has {sought}; "
        add = "add it to the reference file (a field `file` links it to an entry), or "
        if closest is None:
            return sought + add + rename("KEY") + ", where KEY is its citation key"
        key, ratio = closest[0].citekey, closest[1]
        if ratio > _SAME:
            return (
                f"{key!r} has the title {title[:80]!r}, but the first page does not confirm it "
                f"(authors, title on a line of its own); if it is, {rename(key)}"
            )
        near = f"closest: {key!r} (title similarity {ratio:.2f}); "
        return sought + near + add + rename(key)

    def _closest(self, title: str) -> tuple[CitationMeta, float] | None:
        from rapidfuzz import fuzz, process

        titles = [letters for letters, _ in self._squashed]
        closest = process.extractOne(
            letters_and_digits(title), titles, scorer=fuzz.ratio, score_cutoff=_CLOSE * 100
        )
        return (self._items[closest[2]], closest[1] / 100) if closest else None

    def _by_link(self, document: DocumentEvidence, page: FirstPage) -> Match | None:
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
        self, document: DocumentEvidence, page: FirstPage, titled: Sequence[CitationMeta]
    ) -> Match | None:
        """By DOI or arXiv id. The first one is the document's unless the page contradicts it; a
        later one is a citation unless the page shows that item's title."""
        for rank, identifier in enumerate(_stated_identifiers(document, page)):
            items = self._by_identifier.get(versionless(identifier), [])
            fitting = [item for item in items if item in titled or _shows_title(page, item)]
            if not fitting and rank == 0 and not titled:
                fitting = [item for item in items if _could_be(item, page, identifier)]
            if found := _one_work(fitting, _method(identifier), identifier):
                return found
        return None

    def _by_file_name(
        self, document: DocumentEvidence, page: FirstPage, titled: Sequence[CitationMeta]
    ) -> Match | None:
        stem = re.sub(r"\.(?=\w*[^\W\d])\w{1,8}$", "", unquote(document.file_name))
        stem = re.sub(r"(?: ?\(\d+\)| - copy| copy)$", "", stem.strip(), flags=re.IGNORECASE)
        by_name = self._by_name.get(as_file_name(re.sub(r"(?<=\d)v\d+$", "", stem)), [])
        fitting = [item for _, item in by_name if _is_plausible(item, page)]
        if found := _one_work(fitting, by_name[0][0] if by_name else "doi", f"file name {stem}"):
            return found
        keys = self._by_key.get(as_file_name(stem), [])
        exact = [item for item in keys if item.citekey.casefold() == stem.casefold()]
        keys = exact or keys
        if not keys:
            name = stem.casefold().translate(_NOT_IN_NAMES)
            keys = [
                item
                for token in _tokens_in(name)
                for item in self._by_token.get(token, ())
                if _shares_title(item, page)
            ]
            longest = max((len(item.citekey) for item in keys), default=0)
            keys = [item for item in keys if len(item.citekey) == longest]
        if titled and not any(item in titled for item in keys):
            return None  # the page bears the title of another item
        return _one_work(keys, "citekey", f"file name {stem}")

    def _by_named_title(self, document: DocumentEvidence, page: FirstPage) -> Match | None:
        """By a title that the file name spells, with the first author on the page: the title
        there may be misread. A year that is far from the item's contradicts."""
        named, printed = stem_words(document.file_name), name_words(page.own_title)
        fitting = [
            item
            for item, words in zip(self._items, self._name_words, strict=True)
            if spells_title(named, words, printed)
            and (printed or _shares_title(item, page))
            and page.names_first_author(item)
            and abs((document.year or item.year or 0) - (item.year or document.year or 0)) <= _YEARS
        ]
        return _one_work(fitting, "title", "title in the file name, first author on the page")

    def _titled(self, page: FirstPage) -> list[CitationMeta]:
        """The items whose title is the document's; of nested titles only the longest."""
        own_title = letters_and_digits(page.own_title)
        starts = {"", own_title[:_START], *page.runs(_START)}
        near = {at for start in starts for at in self._by_letters.get(start, ())}
        near.update(at for word in page.words for at in self._by_word.get(word, ()))
        titled: list[tuple[str, CitationMeta]] = []
        for at in sorted(near):
            (letters, item), words = self._squashed[at], self._title_words[at]
            may_fit = letters == own_title or page.holds(letters) or page.shared(words) >= VARIANT
            if letters and may_fit and self._is_titled(page, item):
                titled.append((letters, item))
        return [
            item
            for letters, item in titled
            if not any(letters != other and letters in other for other, _ in titled)
        ]

    def _is_titled(self, page: FirstPage, item: CitationMeta) -> bool:
        authors = page.authors(item)
        if not is_distinctive(item.title):
            is_shown = page.shows(item.title) or same_title(item.title, page.own_title)
            return is_shown and authors is not None and authors > 0.5
        if _shows_title(page, item):
            return bool(authors) or _title_suffices(item, page, authors)
        return bool(authors) and (
            page.shows_title_variant(item.title)
            or self._bears_without_subtitle(page, item, authors or 0)
        )

    def _bears_without_subtitle(self, page: FirstPage, item: CitationMeta, authors: float) -> bool:
        main = main_title(item.title)
        if main and is_distinctive(main):
            alone = (
                sum(letters.startswith(letters_and_digits(main)) for letters, _ in self._squashed)
                == 1
            )
            return alone and (page.shows(main) or same_title(main, page.own_title))
        own_title = main_title(page.own_title)
        if main or not own_title or not same_title(own_title, item.title):
            return False
        return authors > 0.5 and not _ABOUT_SUBTITLE.search(page.own_title[len(own_title) :])


def _title_index(
    squashed: Sequence[tuple[str, CitationMeta]], title_words: Sequence[Sequence[str]]
) -> tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]]:
    """The places of the titles by their first letters (shorter titles by none), and by their rarest
    words: so many of these that a page without any of them lacks too many words of the title."""
    by_letters: dict[str, list[int]] = defaultdict(list)
    by_word: dict[str, list[int]] = defaultdict(list)
    counts = Counter(word for words in title_words for word in words)
    for at, ((letters, _), words) in enumerate(zip(squashed, title_words, strict=True)):
        by_letters[letters[:_START] if len(letters) >= _START else ""].append(at)
        size = len(words)
        lacking = sum((size - n) / size >= VARIANT for n in range(1, size + 1))
        for word in {*sorted(words, key=counts.__getitem__)[: lacking + 1]}:
            by_word[word].append(at)
    return by_letters, by_word


def _required_title(title: str) -> str:
    """The part of a title that the page must have: without subtitle if still distinctive."""
    main = main_title(title)
    return main if main and is_distinctive(main) else title


def _shows_title(page: FirstPage, item: CitationMeta) -> bool:
    """Whether the item's title is the document's, on the page or in its metadata."""
    if page.shows(item.title):
        return True
    same = same_title(item.title, page.own_title)
    return same and (
        page.has_little_text or page.shared(distinctive_words(item.title)) >= _MIN_WORD_COVERAGE
    )


def _title_suffices(item: CitationMeta, page: FirstPage, authors: float | None) -> bool:
    """Whether the title suffices without any author on the page."""
    is_long = len(item.title.split()) >= 6 and len(item.title) >= 40
    if page.has_little_text:
        return True
    return is_long and (
        authors is None or letters_and_digits(item.title) == letters_and_digits(page.own_title)
    )


def _is_plausible(item: CitationMeta, page: FirstPage) -> bool:
    """Whether the page does not contradict the item."""
    return page.has_little_text or bool(page.authors(item)) or _shares_title(item, page)


def _shares_title(item: CitationMeta, page: FirstPage) -> bool:
    return page.has_little_text or page.shared(distinctive_words(item.title)) >= _MIN_WORD_COVERAGE


def _could_be(item: CitationMeta, page: FirstPage, identifier: str) -> bool:
    """Whether the first identifier may be the document's own although the page does not show the
    item's title (edited or translated, say)."""
    if page.has_little_text:
        return True
    authors = page.authors(item)
    if page.shared(distinctive_words(item.title)) >= _MIN_WORD_COVERAGE:
        return authors is None or authors > 0 or page.is_own(identifier)
    return bool(authors) and page.is_own(identifier)


def _one_work(items: Sequence[CitationMeta], how: MatchMethod, detail: str) -> Match | None:
    """A match if ``items`` are one work; of duplicates the most complete item."""
    works = _group_by_work(items)
    if len(works) != 1:
        return None
    best, *others = works[0]
    if others:
        detail += f"; also entered as {', '.join(other.citekey for other in others)}"
    return Match(item=best, how=how, detail=detail)


def _group_by_work(items: Sequence[CitationMeta]) -> list[list[CitationMeta]]:
    """``items`` grouped by work; in each group the most complete item first, ties by key."""
    works: list[list[CitationMeta]] = []
    for item in sorted(items, key=lambda item: (-item.completeness, item.citekey)):
        for work in works:
            if _is_same_work(work[0], item):
                work.append(item)
                break
        else:
            works.append([item])
    return works


def _is_same_work(one: CitationMeta, other: CitationMeta) -> bool:
    if letters_and_digits(one.title) != letters_and_digits(other.title):
        return False
    if one.doi and other.doi:
        return one.doi == other.doi
    return one.type == other.type and (one.year == other.year or None in (one.year, other.year))


def _identifiers(item: CitationMeta) -> set[str]:
    """DOIs and arXiv ids of an item; those of arXiv's own DOIs as arXiv ids."""
    fields = [item.doi or "", item.url or ""]
    names = ("note", "number", "archive_location", "archive")
    fields += [str(item.csl[name]) for name in names if item.csl.get(name)]
    ids = set(find_arxiv_ids("\n".join(fields)))
    if doi := normalise_doi(item.doi or ""):
        ids.add(normalise_arxiv(doi) or versionless(doi))
    return ids


def _stated_identifiers(document: DocumentEvidence, page: FirstPage) -> list[str]:
    """Identifiers of a document: from its metadata, then from the page."""
    given = (normalise_arxiv(name) or normalise_doi(name) for name in document.identifiers)
    read = (normalise_arxiv(doi) or doi for doi in find_dois(page.text))
    return list(dict.fromkeys(i for i in (*given, *read, *find_arxiv_ids(page.text)) if i))


def _method(identifier: str) -> MatchMethod:
    return "arxiv" if identifier.startswith("arXiv:") else "doi"


def _tokens_in(stem: str) -> list[str]:
    """The parts of a file name that begin and end at word boundaries."""
    begins = [at for at in range(len(stem)) if not stem[:at][-1:].isalnum()]
    ends = [at for at in range(1, len(stem) + 1) if not stem[at : at + 1].isalnum()]
    parts = [(stem[begin:end], begin) for begin in begins for end in ends if begin < end]
    return list(dict.fromkeys(part for part, begin in parts if stem.find(part) == begin))


def _token(citekey: str) -> str | None:
    """A citation key as part of a file name; None if too short or too common."""
    has_both = any(map(str.isdigit, citekey)) and any(map(str.isalpha, citekey))
    return citekey.casefold().translate(_NOT_IN_NAMES) if has_both and len(citekey) > 4 else None


def _path(path: str) -> str:
    return posixpath.normpath(unicodedata.normalize("NFC", path).replace("\\", "/"))


def _ends(path: str) -> list[str]:
    """Identifying ends of a path: Zotero's ``ITEMKEY/name``, then the name."""
    *folders, name = path.removeprefix("storage:").split("/")
    is_zotero = bool(folders) and re.fullmatch(r"[A-Z0-9]{8}", folders[-1]) is not None
    return [f"{folders[-1]}/{name}", name] if is_zotero else [name]


def _displayed_title(page: FirstPage) -> str:
    """The document's title from metadata, else the first line of the page."""
    lines = (page.own_title, *page.text.splitlines())
    texts = ("".join(filter(str.isprintable, line)).strip() for line in lines)
    return next((text for text in texts if text), "")
