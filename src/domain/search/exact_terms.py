"""Exact-phrase and exclusion operators of a question.

``"square grid" error -transect`` searches for *square grid error* in passages that contain
*square grid* and do not contain *transect*. Letter case, accents, kinds of quotation marks,
hyphens and line breaks are ignored; anything else is plain text.
"""

import itertools
import re
from functools import lru_cache
from typing import Final

from citeloom.domain.text.words import normalized_spelling, without_accents
from citeloom.domain.value import Value

# At the start or after a space or bracket: 5" and well-known are no operators. A minus before
# a number is a sign.
_OPERATOR: Final = re.compile(
    "(?:(?<=[\\s(\\[])|^)"
    '(?:(?P<minus>-?)(?:"(?P<a>[^"]*)"|\u201c(?P<b>[^\u201c\u201d]*)\u201d'
    "|\u201e(?P<c>[^\u201c\u201d\u201e]*)[\u201c\u201d]|\u00ab(?P<d>[^\u00ab\u00bb]*)\u00bb)"
    "(?!\\w)"
    '|-(?P<word>[^\\W\\d_][^\\s"\u201c\u201d\u201e\u00ab\u00bb]*))'
)
_AFTER_WORD: Final = re.compile(r"[^\w+#]+$")
_PIECE: Final = re.compile(r"[^\W_]+")
_SIGNS: Final = re.compile(r"[+#]+$")
_UNSPACED: Final = re.compile("[\u0e01-\u0e4e\u0e81-\u0ecd\u1780-\u17d3\u3041-\u30ff\u3400-\u9fff]")


class ParsedQuestion(Value):
    """``text`` is the query without operators (words of ``phrases`` included); passages must
    contain all ``phrases`` and none of ``without``."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        return not self.phrases and not self.without

    def accepts(self, text: str) -> bool:
        """Whether a passage contains all phrases and nothing excluded."""
        if self.is_plain:
            return True
        normalized = _normalized(text)
        return all(_contains(normalized, phrase) for phrase in self.phrases) and not self.excludes(
            text
        )

    def excludes(self, text: str) -> bool:
        """Whether a passage contains an excluded word or phrase."""
        normalized = _normalized(text) if self.without else ""
        return any(_contains(normalized, phrase) for phrase in self.without)


def is_one_word(text: str) -> bool:
    """Whether ``text`` is a single word; scripts without spaces never are."""
    return len(text.split()) == 1 and not _UNSPACED.search(text)


def parse_question(text: str) -> ParsedQuestion:
    """Parse the operators of a question. ``text`` of the result is empty if all was exclusions."""
    phrases: list[str] = []
    without: list[str] = []

    def collect(match: re.Match[str]) -> str:
        if match["word"] is not None:
            without.append(_AFTER_WORD.sub("", match["word"]))
            return ""
        phrase = " ".join(next(match[q] for q in "abcd" if match[q] is not None).split())
        if not _PIECE.search(phrase):
            return match[0]
        if match["minus"]:
            without.append(phrase)
            return ""
        phrases.append(phrase)
        return phrase

    remainder = _OPERATOR.sub(collect, text)
    if not phrases and not without:
        return ParsedQuestion(text=text)
    return ParsedQuestion(
        text=" ".join(remainder.split()) if _PIECE.search(remainder) else "",
        phrases=tuple(dict.fromkeys(phrases)),
        without=tuple(dict.fromkeys(without)),
    )


def _contains(normalized: str, phrase: str) -> bool:
    pattern = _pattern(phrase)
    return pattern is not None and pattern.search(normalized) is not None


def _normalized(text: str) -> str:
    return without_accents(normalized_spelling(text))


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> re.Pattern[str] | None:
    """None for a phrase without letters and digits."""
    normalized = _normalized(phrase).strip()
    pieces = list(_PIECE.finditer(normalized))
    if not pieces:
        return None
    pattern = "" if _UNSPACED.match(pieces[0][0]) else r"(?<![^\W_])"
    end = pieces[0].start()
    for piece in pieces:
        pattern += _separator_pattern(
            normalized[end : piece.start()], normalized[end - 1 : end], piece[0][0]
        )
        pattern += _piece_pattern(piece[0])
        end = piece.end()
    if signs := _SIGNS.search(normalized):
        return re.compile(pattern + re.escape(signs[0]))
    return re.compile(pattern + ("" if _UNSPACED.match(pieces[-1][0][-1]) else r"(?![^\W_])"))


def _separator_pattern(separator: str, before: str, after: str) -> str:
    if not separator:
        return ""
    if set(separator) <= {"-", "'", "/", "_"}:
        numbers = before.isdigit() and after.isdigit()
        return r"[\W_]+" if numbers else r"[\W_]*"
    return "".join(
        r"[\s-]+" if match[0][0].isspace() or match[0][0] == "-" else re.escape(match[0])
        for match in re.finditer(r"[\s-]+|[^\s-]", separator)
    )


def _piece_pattern(piece: str) -> str:
    """Optional hyphens between letters of a word, none between digits of a number."""
    pattern = piece[0]
    for before, char in itertools.pairwise(piece):
        pattern += char if before.isdigit() and char.isdigit() else f"-*{char}"
    return pattern


def no_exact_match(question: ParsedQuestion, *, filtered: bool) -> str:
    """Warning for a search in which no passage contains the phrases."""
    quoted = " and ".join(f'"{phrase}"' for phrase in question.phrases)
    condition = " and passes filters and exclusions" if filtered or question.without else ""
    return (
        f"no passage has {quoted} word for word{condition}; "
        "leave out the quotation marks to search wider"
    )
