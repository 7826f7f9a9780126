"""What the hyphen at the end of a line stands for: a break in a word, or a hyphen of the word."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.words.characters import HYPHENS, is_hangul

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_ADVERB = re.compile(r"[^\W\d_]{4,}ly-[^\W\d_]{3,}(?:ed|ing)")  # not multiply-|ing
_SUFFIX = re.compile(
    r"able|comings?|ers?|est|ings?|less|ly|ments?|ness|ship|some|stamp(?:s|ed)?|ware|wise"
)
_DOUBLED = re.compile(r"\w{3}([b-df-hj-np-tv-z])-\1(?:ing|ed|ers?|able)\Z")  # infer-|ring
_NOUN = re.compile(r"(?:[ts]ion|ment|ness|ity|[ae]nce|ing)s?\Z")  # not an acronym
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "ers")
_LEAST_STEM = 4
# Parts that keep the hyphen in English when the joined word is not known: before it, behind it.
_PREFIXES = frozenset(
    "self non well half high low cross quasi semi all multi long short "
    "intra one two three few".split()
)
_BEHIND = frozenset(
    "balancing based called dimensional fashioned grained hoc oriented tolerant".split()
)
_BOUND = frozenset("bi de dis in re un uni".split())  # of these words: dis-|oriented
_BEFORE_WORD = re.compile(r"(?:over|under)-\w{11}|per-\w{4}|(?:re|pre)-e\w{4}")  # of the document
# Words that English writes in one; not *work-related*.
_CLOSED = re.compile(
    r"(?:over|under|out|down|up|back)-\w+|bench-mark\w*"
    r"|(?:screen|snap)-shots?|work-(?:arounds?|bench|days?|flows?|loads?|sheets?|spaces?|stations?)"
)
_SMALL = frozenset("of in on or up to by".split())  # built-|in
_LINKING = frozenset("to of and in on by the out as vs".split())  # end-to-|end
_LEAST_PART = 4  # letters of the parts of a compound that the document does not have, too
_FREQUENT = 20_000  # entries of the list, which is in the order of frequency
_ENGLISH = 0.5  # share of a document's words in it
_LIST = "data/all-minilm-l6-v2/tokenizer.json"


class Vocabulary(NamedTuple):
    """Words of the document that are not broken across lines, in lower case; whether they are
    English."""

    words: frozenset[str]
    is_english: bool = True

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Vocabulary":
        words: set[str] = set()
        broken = False
        for text in texts:
            line_words = _WORD.findall(text.lower())
            if line_words and broken:
                del line_words[0]
            broken = text[-1:] in HYPHENS
            if line_words and (broken or is_hangul(text[-1:])):
                line_words.pop()
            if line_words and is_hangul(text[:1]):
                del line_words[0]
            words.update(word.replace("\u2010", "-").replace("\u2011", "-") for word in line_words)
        long = [word for word in words if len(word) >= _LEAST_STEM]
        known = sum(word in _english_words() for word in long)
        return cls(frozenset(words), is_english=known >= _ENGLISH * len(long))

    def has(self, word: str) -> bool:
        """Whether the document has the word; of a word in capitals, whether English may."""
        lower = word.lower()
        may = word.isupper() and (_NOUN.search(lower) is not None or self._is_known(lower))
        return lower in self.words or may

    def is_one_word(self, first: str, second: str) -> bool:
        """Whether a hyphen at the end of a line only marks the line break: as the document
        writes the word elsewhere, else as English words do.

        ``first`` may contain hyphens, as in *state-of-the*.
        """
        first, second = first.lower(), second.lower()
        if f"{first}-{second}" in self.words:
            return False
        start, _, first = first.rpartition("-")
        if first + second in self.words:
            return True
        if not (first.isalpha() and second.isalpha()) or len(first) == 1:
            return False
        if start and first in _LINKING:
            return False
        parted = f"{first}-{second}"
        if self._is_known(first + second) or _SUFFIX.fullmatch(second):
            return True
        if second in _BEHIND and first not in _BOUND:
            return False
        if _BEFORE_WORD.match(parted) and second in self.words:
            return False
        if _CLOSED.fullmatch(parted):
            return True
        if first in _PREFIXES:
            return first == "multi" and second.startswith("pl")  # multi-|plication
        is_compound = _ADVERB.fullmatch(parted) or self._is_compound(first, second)
        return not is_compound or _DOUBLED.search(parted) is not None

    def _is_known(self, word: str) -> bool:
        return any(form in self.words or self._rank(form) is not None for form in _forms(word))

    def _rank(self, word: str) -> int | None:
        return _english_words().get(word) if self.is_english else None

    def _is_compound(self, first: str, second: str) -> bool:
        """Whether both are words, long enough not to be syllables."""
        for part in (first, second):
            rank = self._rank(part)
            if part not in self.words and (rank is None or rank >= _FREQUENT):
                return False
        if second in _SMALL:
            return len(first) > len(second)
        least = 3 if {first, second} <= self.words else _LEAST_PART
        return min(len(first), len(second)) >= least


def _forms(word: str) -> Iterator[str]:
    """The word, and what it may be an inflected form of."""
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            yield word.removesuffix(ending)


@cache
def _english_words() -> dict[str, int]:
    """Whole words of the bundled model's vocabulary, with their places in the order of
    frequency."""
    folder = resources.files("citeloom.infrastructure.models.embedding")
    entries = json.loads(folder.joinpath(_LIST).read_text("utf-8"))["model"]["vocab"]
    return {word: place for word, place in entries.items() if word.isalpha()}
