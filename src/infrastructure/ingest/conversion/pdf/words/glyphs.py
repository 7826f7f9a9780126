"""Characters cleaned for text: ligatures opened, accents composed, control codes dropped."""

import re
import unicodedata

_LIGATURE = re.compile("[\ufb00-\ufb06\ufb13-\ufb17]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]")
_NO_WORD = re.compile(r"[\W_]+")
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")
# Spacing accents that old TeX fonts draw before the letter. Grave accent and tilde are left
# alone: they are quotes and operators too.
_ACCENTS = {
    "\u00b4": "\u0301",
    "\u00a8": "\u0308",
    "\u02c6": "\u0302",
    "\u02dc": "\u0303",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02d8": "\u0306",
    "\u02da": "\u030a",
    "\u02dd": "\u030b",
}
_SPACING_ACCENT = re.compile(f"([{''.join(_ACCENTS)}]) ?([A-Za-z\u0131])")
_CEDILLA = re.compile("([CcSsTt])\u00b8")  # drawn over the end of its letter
SOFT_HYPHEN = "\u00ad"
HYPHENS = "-\u00ad\u2010\u2011"


def clean(text: str) -> str:
    """Open ligatures, drop control characters, compose accents. Mathematics is untouched."""
    if text.isascii() and text.isprintable():
        return text
    text = _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    text = _SPACE.sub(" ", _CONTROL.sub("", text))
    text = _CEDILLA.sub("\\1\u0327", text)
    text = _SPACING_ACCENT.sub(_compose, text)
    if SOFT_HYPHEN in text:
        text = text[:-1].replace(SOFT_HYPHEN, "") + text[-1]
    return unicodedata.normalize("NFC", text) if _has_combining(text) else text


def _compose(match: re.Match[str]) -> str:
    letter = match[2] if match[2] != "\u0131" else "i"
    composed = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return composed if len(composed) == 1 else match[0]


def _has_combining(text: str) -> bool:
    return any(unicodedata.combining(char) for char in text)


def is_cjk(char: str) -> bool:
    """Whether the script of ``char`` writes no spaces between words (Han, kana and their
    punctuation)."""
    return char >= "\u3001" and (
        char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or "\uff01" <= char <= "\uff9f"
    )


def is_hangul(char: str) -> bool:
    """Whether ``char`` is a Korean syllable; lines may break between any two of them."""
    return "\uac00" <= char <= "\ud7a3"


def squash(text: str) -> str:
    """Letters and digits only, lower case, without accents: for comparing titles."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKD", text).casefold())
