"""Titles, people and identifiers on the first page of a document, and in the name of its file."""

import re
from collections.abc import Collection
from functools import cached_property
from pathlib import PurePosixPath

from citeloom.domain.citation.metadata import NOBODY, CitationMeta
from citeloom.domain.value import Value

from .identifiers import (
    distinctive_words,
    folded,
    is_distinctive,
    letters_and_digits,
    normalise_title,
    same_title,
)

# Characters of the first page: title zone, author zone, and the number of letters below which
# it is a scan or picture.
_TITLE_ZONE, _AUTHOR_ZONE, _SCANT = 2000, 2500, 200
# Minimum word coverage of a title on the page, in whatever spelling.
VARIANT = 0.75
_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references|bibliography|works cited|literature cited|"
    r"literatur(?:verzeichnis)?|bibliographie|références)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
# Before a title: the document is about that work.
_ABOUT = re.compile(
    r"(?:(?:comment(?:s|ary)?|notes?|remarks) on|(?:review|discussion|critique|summary) of|"
    r"(?:repl(?:y|ies)|response|rejoinder|addendum|erratum|corrigendum|corrections?|"
    r"supplement(?:ary (?:material|information|data))?|supporting information|appendix|"
    r"retraction(?: note)?)(?: (?:to|for|of|on))?)"
    r"(?: the (?:paper|article|book))?\W*$",
    re.IGNORECASE,
)


class DocumentEvidence(Value):
    """Bibliographic evidence in a document.

    ``identifiers`` are DOIs and arXiv ids, most trustworthy first; ``title`` to ``pages`` are the
    document's own, by its first page and metadata, and ``uncertain`` names those of them that are
    weakly supported; ``first_text`` is the start of the text (some 3,000 characters) with line
    ends.
    """

    file_name: str
    source_path: str = ""
    identifiers: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    container_title: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    uncertain: tuple[str, ...] = ()
    first_text: str = ""


class FirstPage:
    def __init__(self, evidence: DocumentEvidence) -> None:
        text = evidence.first_text
        if references := _REFERENCES.search(text, 200):
            text = text[: references.start()]
        self.text = text
        self.own_title = evidence.title or ""
        self._people = "\n".join([*evidence.authors, text[:_AUTHOR_ZONE]])
        pairs = [
            (char, at) for at, whole in enumerate(text) for char in folded(whole) if char.isalnum()
        ]
        self._letters = "".join(char for char, _ in pairs)
        self._at = [at for _, at in pairs]
        self.has_little_text = len(pairs) < _SCANT

    @cached_property
    def _people_words(self) -> list[str]:
        return re.findall(r"[^\W\d_]+", self._people)

    @cached_property
    def _folded_people_words(self) -> list[str]:
        return [folded(word) for word in self._people_words]

    @cached_property
    def words(self) -> frozenset[str]:
        """Those of the document's own title and the head of the page, folded."""
        return frozenset(normalise_title(folded(f"{self.own_title}\n{self.text[:1200]}")).split())

    @cached_property
    def _lines(self) -> list[str]:
        """One to four consecutive lines of the page's head, joined: candidate titles."""
        lines = [line.strip() for line in self.text[:_TITLE_ZONE].splitlines() if line.strip()][:40]
        starts = [at for at in range(len(lines)) if not at or not _ABOUT.search(lines[at - 1])]
        return [" ".join(lines[at : at + n]) for at in starts for n in range(1, 5)]

    def shared(self, words: Collection[str]) -> float:
        """Share of ``words`` of a title on the head of the page."""
        return sum(word in self.words for word in words) / len(words) if words else 0.0

    def lacks_part(self, title: str) -> bool:
        """Whether a word of ``title`` that makes it another work (erratum, part, reply) is not on
        the head of the page."""
        words = normalise_title(folded(title)).split()
        return any(_OTHER_WORK.fullmatch(word) and word not in self.words for word in words)

    def authors(self, item: CitationMeta) -> float | None:
        """Share of the item's first five people on the page; None if the item has none."""
        people = people_of(item)[:5]
        if not people:
            return None
        return sum(self._names(family, given) for family, given in people) / len(people)

    def names_first_author(self, item: CitationMeta) -> bool:
        return any(self._names(family, given) for family, given in people_of(item)[:1])

    def _names(self, family: str, given: str) -> bool:
        is_caseless = family.upper() == family.lower()  # written together, as in Chinese
        if given and (is_caseless or len(letters_and_digits(given + family)) > 6):
            letters = self._letters[: len(self.text[:_AUTHOR_ZONE])]
            if (
                letters_and_digits(given + family) in letters
                or letters_and_digits(family + given) in letters
            ):
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
        """Whether a word of the page is the given name ``first`` or its initial."""
        word = self._folded_people_words[at]
        if not first or not word.startswith(first[0]):
            return False
        initial = len(word) == 1 or word[:3] == first[:3]
        return self._people_words[at][0].isupper() and (initial or len(first) == 1)

    def holds(self, letters: str) -> bool:
        """Whether the squashed text holds ``letters``: quick, and no proof of anything."""
        return letters in self._letters

    def runs(self, size: int) -> set[str]:
        """All runs of ``size`` letters of the squashed text."""
        return {self._letters[at : at + size] for at in range(len(self._letters) - size + 1)}

    def shows(self, title: str) -> bool:
        """Whether ``title`` is at the head of the page on lines of its own."""
        wanted, own = letters_and_digits(title), letters_and_digits(self.own_title)
        if own != wanted and own.startswith(wanted) and own in self._letters:
            return False  # the document's title begins like this one and goes on
        at = self._letters.find(wanted) if wanted else -1
        while at >= 0 and self._at[at] < _TITLE_ZONE:
            start, end = self._at[at], self._at[at + len(wanted) - 1] + 1
            before, after = self.text[:start], self.text[end:]
            line_before = before.rpartition("\n")[2]
            line_after, _, next_line = after.partition("\n")
            goes_on = re.search(r"[^\W\d_]{2}", line_after) or next_line.lstrip(" ")[:1].islower()
            if not letters_and_digits(line_before) and not goes_on:
                return not _ABOUT.search(before[-80:])
            at = self._letters.find(wanted, at + 1)
        return False

    def shows_title_variant(self, title: str) -> bool:
        """Whether a spelling variant of ``title`` is at the head of the page."""
        if not is_distinctive(title) or self.shared(distinctive_words(title)) < VARIANT:
            return False
        return any(same_title(title, line) for line in self._lines)

    def is_own(self, identifier: str) -> bool:
        """Whether an identifier is the document's own, not in a citation."""
        bare = identifier.removeprefix("arXiv:")
        at = self.text.lower().find(bare.lower())
        if at < 0:
            return True  # from the metadata
        line = self.text[:at].rpartition("\n")[2]
        title = letters_and_digits(self.own_title)
        if is_distinctive(self.own_title) and title in letters_and_digits(line):
            return True  # it says how it is cited itself
        if _IMPRINT.search(line):
            return True
        return len(letters_and_digits(line)) <= 80 and not re.search(
            r"^\s*\[?\d+[\].]|\bet al\b", line
        )


def people_of(item: CitationMeta) -> list[tuple[str, str]]:
    """Family and given names of authors, else of editors."""
    for role in ("author", "editor"):
        people = item.csl.get(role)
        if isinstance(people, list) and people:
            names = [person for person in people if isinstance(person, dict)]
            pairs = [
                (str(n.get("family") or n.get("literal") or ""), str(n.get("given") or ""))
                for n in names
            ]
            return [pair for pair in pairs if pair[0]]
    if item.csl or item.authors == (NOBODY,):
        return []
    return [
        (name.split()[-1], " ".join(name.split()[:-1])) for name in item.authors if name.split()
    ]


#: What stands before the DOI of the paper itself: ``© 2003 Elsevier B.V. All rights reserved.
#: doi:``, ``ISSN 2150-8097. doi:``, on the cover of a repository ``Lines · April 2001 DOI:``.
_IMPRINT = re.compile(
    r"(?:\ball rights reserved|\bISSN:?\s*\d{4}-\d{3}[\dX])\W{0,3}"
    r"(?:doi\W{0,2}|https?://(?:dx\.)?doi\.org/)?\s*$|·[^·\n]{0,20}\bdoi:\s*$",
    re.IGNORECASE,
)
# A title must be distinctive without its light words, and all but one in five of them named.
_LEAST_WORDS, _COVERAGE = 3, 0.8
_LIGHT = frozenset(
    "a an and at by for from in into of on or the to und der die das et la le".split()
)
# Words that make another work of the same title: parts, replies, supplements.
_OTHER_WORK = re.compile(
    r"(?:supplement\w*|supporting|corrigendum|erratum|corrections?|reply|response|comments?|"
    r"commentary|rejoinder|appendix|retraction|part|volume|follow|revisited|review|slides|poster|"
    r"extended|short|[ivx]+|\d{1,3})"
)


def name_words(text: str) -> frozenset[str]:
    """The words of a title or of a file name without its ending, folded, no light words."""
    return frozenset(normalise_title(folded(text)).split()) - _LIGHT


def stem_words(file_name: str) -> frozenset[str]:
    return name_words(PurePosixPath(file_name.replace("\\", "/")).stem)


def spells_title(named: frozenset[str], wanted: frozenset[str], printed: frozenset[str]) -> bool:
    """Whether the words of a file name spell the title with the words ``wanted``.

    ``printed`` are those of the title found in the document, which may be misread or cut: half of
    them must be wanted, and neither they nor the file name may point to another part, version or
    reply.
    """
    if len(wanted) < _LEAST_WORDS or len(wanted & named) < _COVERAGE * len(wanted):
        return False
    if 2 * len(printed & wanted) < len(printed):
        return False
    differing = (wanted ^ named) | (printed - wanted)
    return not any(_OTHER_WORK.fullmatch(word) for word in differing)
