"""What a question says besides its subject: phrases that must stand in a passage as they
are, and words or phrases that must not.

``"square grid" error -transect`` asks for *square grid error*, in passages that have
*square grid* and not *transect*. Letter case, accents, kinds of quotation marks, hyphens and
line breaks do not count; whatever is no such operator is plain text.
"""

import itertools
import re
from functools import lru_cache
from typing import Final

from citeloom.domain.text.words import alike, without_accents
from citeloom.domain.value import Value

# At the beginning or after a space or bracket: 5" and well-known are no operators. A minus
# in front of a number is a sign.
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


class Wording(Value):
    """A question taken apart. ``text`` is what is searched for, words of phrases included."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        return not self.phrases and not self.without

    def allows(self, text: str) -> bool:
        """Whether a passage has all phrases and nothing that it must not have."""
        if self.is_plain:
            return True
        plain = _written(text)
        return all(_has(plain, phrase) for phrase in self.phrases) and not self.forbids(text)

    def forbids(self, text: str) -> bool:
        """Whether a passage has anything that it must not have."""
        plain = _written(text) if self.without else ""
        return any(_has(plain, phrase) for phrase in self.without)


def is_one_word(text: str) -> bool:
    """Whether it is a single word; what is written without spaces may be many."""
    return len(text.split()) == 1 and not _UNSPACED.search(text)


def parse_question(text: str) -> Wording:
    """Take a question apart. ``text`` of the result may be empty, if all was exclusions."""
    phrases: list[str] = []
    without: list[str] = []

    def taken(match: re.Match[str]) -> str:
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

    rest = _OPERATOR.sub(taken, text)
    if not phrases and not without:
        return Wording(text=text)
    return Wording(
        text=" ".join(rest.split()) if _PIECE.search(rest) else "",
        phrases=tuple(dict.fromkeys(phrases)),
        without=tuple(dict.fromkeys(without)),
    )


def has_phrase(text: str, phrase: str) -> bool:
    """Whether ``phrase`` stands in ``text``, from word to word. Where the phrase has a space
    there must be one, or a hyphen; where it has a hyphen there may be one, a space, or
    nothing; where it has neither, the text may still be hyphenated."""
    return _has(_written(text), phrase)


def _has(plain: str, phrase: str) -> bool:
    pattern = _pattern(phrase)
    return pattern is not None and pattern.search(plain) is not None


def _written(text: str) -> str:
    return without_accents(alike(text))


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> re.Pattern[str] | None:
    """None for a phrase without letters and digits."""
    plain = _written(phrase).strip()
    pieces = list(_PIECE.finditer(plain))
    if not pieces:
        return None
    pattern = "" if _UNSPACED.match(pieces[0][0]) else r"(?<![^\W_])"
    end = pieces[0].start()
    for piece in pieces:
        pattern += _between(plain[end : piece.start()], plain[end - 1 : end], piece[0][0])
        pattern += _letters(piece[0])
        end = piece.end()
    if signs := _SIGNS.search(plain):
        return re.compile(pattern + re.escape(signs[0]))
    return re.compile(pattern + ("" if _UNSPACED.match(pieces[-1][0][-1]) else r"(?![^\W_])"))


def _between(separator: str, before: str, after: str) -> str:
    if not separator:
        return ""
    if set(separator) <= {"-", "'", "/", "_"}:
        numbers = before.isdigit() and after.isdigit()
        return r"[\W_]+" if numbers else r"[\W_]*"
    return "".join(
        r"[\s-]+" if match[0][0].isspace() or match[0][0] == "-" else re.escape(match[0])
        for match in re.finditer(r"[\s-]+|[^\s-]", separator)
    )


def _letters(piece: str) -> str:
    """A hyphen may stand between letters of a word, not between digits of a number."""
    pattern = piece[0]
    for before, char in itertools.pairwise(piece):
        pattern += char if before.isdigit() and char.isdigit() else f"-*{char}"
    return pattern


def missing(wording: Wording, *, filtered: bool) -> str:
    """What to say where no passage has the phrases."""
    quoted = " and ".join(f'"{phrase}"' for phrase in wording.phrases)
    besides = " and passes filters and exclusions" if filtered or wording.without else ""
    return (
        f"no passage has {quoted} word for word{besides}; "
        "leave out the quotation marks to search wider"
    )
