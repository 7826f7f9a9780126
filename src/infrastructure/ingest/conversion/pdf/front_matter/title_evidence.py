"""Evidence for a title beside the page: metadata, outline, file name."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

_POOR = re.compile(
    r"^(?:untitled|microsoft (?:word|powerpoint)|document\s*\d*$|title$|paper$|manuscript$|"
    r"\(anonymous\)|no title|full page|slide \d+|print(?:ing)?\b|pii\b|doi\b|article$)|"
    r"\b(?:template|author guidelines|instructions for)\b|@|https?:|"
    r"\.(?:docx?|tex|dvi|pdf|qxd|indd|rtf|ps|eps|fm|wpd|p65|tif)\b|^[\W\d_]*$",
    re.IGNORECASE,
)
_STAMP = re.compile(r"^\s*\[[^\]]*\d[^\]]*\]\s*|\s*\[[^\]]*\bv\d+[^\]]*\]\s*$")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LIGHT = frozenset(
    "a an and at by for from in into of on or the to with via und der die das et la le les".split()
)
MIN_FILE_WORDS = 2


class TitleEvidence(NamedTuple):
    """``titles`` are plausible titles of the file's metadata, most trustworthy first.
    ``file_words`` are words of the file's name: they choose between titles, and are none."""

    titles: tuple[str, ...] = ()
    file_words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, titles: Iterable[str | None], file_stem: str = "") -> "TitleEvidence":
        known: dict[str, str] = {}
        for title in titles:
            if (plausible := plausible_title(title)) is not None:
                known.setdefault(squash(plausible), plausible)
        return cls(tuple(known.values()), _file_words(file_stem))

    def with_outline(self, entries: Iterable[str]) -> "TitleEvidence":
        """The evidence with the outline's first entry, which may be the title."""
        first = plausible_title(next(iter(entries), None))
        return self._replace(titles=(*self.titles, first)) if first else self

    def by_file_name(self, text: str) -> float:
        """Agreement of a title with the file name, from 0 to 1 (F1 of their words)."""
        if len(self.file_words) < MIN_FILE_WORDS:
            return 0.0
        words = title_words(text)
        if not words:
            return 0.0
        found = shared_words(words, self.file_words)
        named = shared_words(self.file_words, words)
        if found < MIN_FILE_WORDS:
            return 0.0
        precision, recall = found / len(words), named / len(self.file_words)
        return 2 * precision * recall / (precision + recall) if named else 0.0

    def by_metadata(self, text: str) -> float:
        """Agreement of a title with the best one of the metadata, from 0 to 1."""
        return max((agreement(text, title) for title in self.titles), default=0.0)


def plausible_title(title: str | None) -> str | None:
    """A title of the metadata, cleaned; None for names of files, programs and templates."""
    text = " ".join(_STAMP.sub("", title or "").split())
    if _POOR.search(text) or len(squash(text)) < 6 or "\ufffd" in text:
        return None
    return text


def title_words(text: str) -> frozenset[str]:
    """The words of a title in lower case without accents, without articles and prepositions."""
    words = {squash(word) for word in _WORD.findall(text)}
    return frozenset(words - _LIGHT - {""}) or frozenset(words - {""})


def shared_words(words: Collection[str], others: Collection[str]) -> int:
    """How many of ``words`` are among ``others``, in singular or plural."""
    return sum(
        word in others or f"{word}s" in others or (word[-1:] == "s" and word[:-1] in others)
        for word in words
    )


def agreement(one: str, other: str) -> float:
    """Share of words common to two titles (Jaccard); 1 for equal letters and digits."""
    if squash(one) == squash(other):
        return 1.0
    left, right = title_words(one), title_words(other)
    common = min(shared_words(left, right), shared_words(right, left))
    union = len(left) + len(right) - common
    return common / union if union else 0.0


def _file_words(stem: str) -> frozenset[str]:
    return title_words(_CAMEL.sub(" ", stem.replace("'s", "s")))
