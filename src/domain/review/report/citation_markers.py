"""Citation markers in generated text: passage numbers or citation keys in brackets."""

import re
from collections.abc import Mapping
from typing import Final

from citeloom.domain.review.report.source_keys import parse_key
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.value import Value

_NUMBER: Final = re.compile(r"\[(\d{1,6})\]")
# [0], [0, 2], [Arxiv-2], [@smith2020; 3].
_BRACKETS: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")
_LEADING_CITATIONS: Final = re.compile(r"(?:\s*\[[^\[\]\n]{1,200}\])+\s*")
_SEPARATOR: Final = re.compile(r"\s*[,;]\s*")
_SPACE_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_LIST_ITEM: Final = re.compile(r"\A\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING: Final = re.compile(r"\A\s*#{1,6}\s")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class CitedSentence(Value):
    """A sentence without its citation markers; ``numbers`` and ``keys`` are the distinct cited
    ones, in order."""

    text: str
    numbers: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


def replace_markers(text: str, keys: Mapping[int, str]) -> str:
    """``[0]`` becomes ``[Arxiv]`` where ``keys`` has 0; other numbers stay as they are, for
    whoever reads it to see."""

    def key(found: re.Match[str]) -> str:
        known = keys.get(int(found[1]))
        return f"[{known}]" if known is not None else found[0]

    return _NUMBER.sub(key, text)


def cited_sentences(text: str) -> tuple[CitedSentence, ...]:
    """The sentences of running text, line by line, with their citations; headings and lines
    without words are skipped. A citation after the full stop belongs to the sentence before."""
    sentences: list[CitedSentence] = []
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        body = _LIST_ITEM.sub("", line)
        pieces = [body[start:end] for start, end in sentence_spans(body)]
        for number, piece in enumerate(pieces):
            sentence = read_citations(piece)
            # "One. [0] Two. [1]": the sentence before ended without its citation.
            leading = _LEADING_CITATIONS.match(piece) if number else None
            if leading and not (sentences[-1].numbers or sentences[-1].keys):
                citations = read_citations(leading[0])
                sentences[-1] = sentences[-1].model_copy(
                    update={"numbers": citations.numbers, "keys": citations.keys}
                )
                sentence = read_citations(piece[leading.end() :])
            if _WORD.search(sentence.text):
                sentences.append(sentence)
    return tuple(sentences)


def read_citations(sentence: str) -> CitedSentence:
    """Parse one sentence; brackets with anything but numbers and keys stay in its text."""
    numbers: dict[int, None] = {}
    keys: dict[str, None] = {}

    def collect(match: re.Match[str]) -> str:
        parts = _SEPARATOR.split(match[1].strip())
        markers = [_parse_marker(part) for part in parts]
        if any(marker is None for marker in markers):
            return match[0]
        for marker in markers:
            if isinstance(marker, int):
                numbers[marker] = None
            elif marker is not None:
                keys[marker] = None
        return ""

    text = " ".join(_BRACKETS.sub(collect, sentence).split())
    return CitedSentence(
        text=_SPACE_BEFORE_STOP.sub("", text).strip(), numbers=tuple(numbers), keys=tuple(keys)
    )


def _parse_marker(part: str) -> int | str | None:
    if part.isascii() and part.isdecimal():
        return int(part) if len(part) <= 6 else None
    return parse_key(f"[{part.removeprefix('@')}]")
