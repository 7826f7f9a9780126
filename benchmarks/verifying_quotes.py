"""Quotations altered by one word, and the same quotations only set in another way."""

import random
import re
from collections.abc import Callable

Rule = Callable[[str, random.Random], str | None]

_CONTENT = re.compile(r"(?<![\w-])[a-z]{5,}(?![\w-])")
_LEAST = 5
_MARKS = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("‘", "’"))
_OTHER_WORDS = "banana granite violet umbrella harbour lantern marble thistle".split()
_LIGATURES = {"ffi": "ﬃ", "ffl": "ﬄ", "ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ"}
_SYLLABLE = re.compile(r"(?<=[a-z]{3})(?=(?:tion|ment|ing|able|ity|tive|ness|sion|ers|ed)\b)")


def quotable(sentence: str, chance: random.Random) -> str | None:
    """The sentence, or a part of it that begins and ends with words; none of its own
    quotation marks, formulas and ellipses."""
    if re.search(r"[“”\"«»„‘…\[\]$\\{}]|\.\.|``|''", sentence):
        return None
    words = sentence.rstrip(".").split()
    if chance.random() < 0.5:
        length = chance.randint(min(_LEAST, len(words)), len(words))
        start = chance.randint(0, len(words) - length)
        words = words[start : start + length]
    quote = " ".join(words).strip(" ,;:.()–—-")
    return quote if len(quote.split()) >= _LEAST and quote.count("(") == quote.count(")") else None


def marked(quote: str, chance: random.Random) -> str:
    """Between quotation marks of one kind or other."""
    single = any(sign in quote for sign in "‘’'")
    opening, closing = chance.choice(_MARKS[:-1] if single else _MARKS)
    return f"{opening}{quote}{closing}"


def _replaced(quote: str, chance: random.Random) -> str | None:
    """A word of five letters or more is another one."""
    return _with_word(quote, chance, lambda _: chance.choice(_OTHER_WORDS))


def _left_out(quote: str, chance: random.Random) -> str | None:
    """A word within is missing, and nothing tells so."""
    words = quote.split()
    inner = [n for n in range(1, len(words) - 1) if words[n].isalpha() and len(words[n]) > 1]
    if not inner or len(words) <= _LEAST - 1:
        return None
    at = chance.choice(inner)
    return " ".join(words[:at] + words[at + 1 :])


def _put_in(quote: str, chance: random.Random) -> str | None:
    words = quote.split()
    at = chance.randint(1, len(words) - 1)
    return " ".join([*words[:at], chance.choice(("not", "very", "never", "rarely")), *words[at:]])


def _moved(quote: str, chance: random.Random) -> str | None:
    """Two words next to each other have changed places."""
    words = quote.split()
    able = [
        n
        for n in range(len(words) - 1)
        if words[n].isalpha() and words[n + 1].isalpha() and words[n] != words[n + 1]
    ]
    if not able:
        return None
    at = chance.choice(able)
    return " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])


def _other_number(quote: str, chance: random.Random) -> str | None:
    found = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", quote))
    if not found:
        return None
    one = chance.choice(found)
    return quote[: one.start()] + str(int(one[0]) + chance.randint(1, 9)) + quote[one.end() :]


def _other_ending(quote: str, chance: random.Random) -> str | None:
    """One letter: a plural or a tense."""
    return _with_word(quote, chance, lambda word: word[:-1] if word.endswith("s") else f"{word}s")


def _with_word(quote: str, chance: random.Random, other: Callable[[str], str]) -> str | None:
    found = list(_CONTENT.finditer(quote))
    if not found:
        return None
    one = chance.choice(found)
    return quote[: one.start()] + other(one[0]) + quote[one.end() :]


def _line_breaks(quote: str, chance: random.Random) -> str | None:
    return re.sub(r" (?=[A-Za-z])", lambda _: "\n" if chance.random() < 0.2 else " ", quote)


def _hyphenated(quote: str) -> str | None:
    """Words broken over lines, as copied from a page."""
    told = _SYLLABLE.sub("-\n", quote, count=2)
    return told if told != quote else None


def _soft_hyphens(quote: str) -> str | None:
    told = _SYLLABLE.sub("\u00ad", quote)
    return told if told != quote else None


def _ligatures(quote: str) -> str | None:
    told = quote
    for letters, one in _LIGATURES.items():
        told = told.replace(letters, one)
    return told if told != quote else None


def _typography(quote: str, chance: random.Random) -> str | None:
    """Curly or straight apostrophes, dashes of other lengths, spaces that do not break."""
    told = quote.replace("’", "\0").replace("'", "’").replace("\0", "'")
    told = told.replace("–", "-").replace("—", " - ").replace("  ", " ")
    return re.sub(r" ", lambda _: chance.choice((" ", " ", "\u00a0", "\u202f")), told)


def _ellipsis(quote: str, chance: random.Random) -> str | None:
    """One to four words within are left out, and dots tell so."""
    words = quote.split()
    if len(words) < _LEAST + 4:
        return None
    gone = chance.randint(1, 4)
    at = chance.randint(3, len(words) - gone - 2)
    dots = chance.choice(("…", "...", "[…]", "[...]", ". . ."))
    return " ".join([*words[:at], dots, *words[at + gone :]])


def _bracketed(quote: str) -> str | None:
    """A first letter fitted to the sentence: *[t]he*."""
    if not quote[0].isalpha():
        return None
    return f"[{quote[0].swapcase()}]{quote[1:]}"


ALTERED: dict[str, Rule] = {
    "a word replaced": _replaced,
    "a word left out": _left_out,
    "a word put in": _put_in,
    "two words in another order": _moved,
    "another number": _other_number,
    "another ending": _other_ending,
}
RESET: dict[str, Rule] = {
    "word for word": lambda quote, _: quote,
    "line breaks": _line_breaks,
    "hyphens at line ends": lambda quote, _: _hyphenated(quote),
    "soft hyphens": lambda quote, _: _soft_hyphens(quote),
    "ligatures": lambda quote, _: _ligatures(quote),
    "apostrophes, dashes, spaces": _typography,
    "ellipses": _ellipsis,
    "a letter in brackets": lambda quote, _: _bracketed(quote),
}
