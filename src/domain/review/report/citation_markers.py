"""Citations in text that a language model wrote: numbers of passages, or keys, in brackets."""

import re
from collections.abc import Mapping
from typing import Final

from citeloom.domain.review.report.source_keys import parse_key
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.value import Value

_NUMBER: Final = re.compile(r"\[(\d{1,6})\]")
# [0], [0, 2], [Arxiv-2], [@smith2020; 3]: what stands between brackets in short pieces.
_BRACKETS: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")
_LEAD: Final = re.compile(r"(?:\s*\[[^\[\]\n]{1,200}\])+\s*")
_APART: Final = re.compile(r"\s*[,;]\s*")
_SPACE_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_LIST_ITEM: Final = re.compile(r"\A\s*(?:[-*•]|\d{1,3}[.)])\s+")
_HEADING: Final = re.compile(r"\A\s*#{1,6}\s")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class Said(Value):
    """A sentence as written, without its citations: ``numbers`` and ``keys`` are what it
    cites, each once, in order."""

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


def sentences_said(text: str) -> tuple[Said, ...]:
    """The sentences of running text, line by line, with what each cites; headings and lines
    without words are none. A citation after the full stop belongs to the sentence before."""
    found: list[Said] = []
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        body = _LIST_ITEM.sub("", line)
        pieces = [body[start:end] for start, end in sentence_spans(body)]
        for number, piece in enumerate(pieces):
            said = read_citations(piece)
            # "One. [0] Two. [1]": the sentence before ended without its citation.
            lead = _LEAD.match(piece) if number else None
            if lead and not (found[-1].numbers or found[-1].keys):
                own = read_citations(lead[0])
                found[-1] = found[-1].model_copy(update={"numbers": own.numbers, "keys": own.keys})
                said = read_citations(piece[lead.end() :])
            if _WORD.search(said.text):
                found.append(said)
    return tuple(found)


def read_citations(sentence: str) -> Said:
    """One sentence; brackets that hold anything but numbers and keys stay in its text."""
    numbers: dict[int, None] = {}
    keys: dict[str, None] = {}

    def taken(found: re.Match[str]) -> str:
        parts = _APART.split(found[1].strip())
        read = [_read(part) for part in parts]
        if any(one is None for one in read):
            return found[0]
        for one in read:
            if isinstance(one, int):
                numbers[one] = None
            elif one is not None:
                keys[one] = None
        return ""

    text = " ".join(_BRACKETS.sub(taken, sentence).split())
    return Said(
        text=_SPACE_BEFORE_STOP.sub("", text).strip(), numbers=tuple(numbers), keys=tuple(keys)
    )


def _read(part: str) -> int | str | None:
    if part.isascii() and part.isdecimal():
        return int(part) if len(part) <= 6 else None
    return parse_key(f"[{part.removeprefix('@')}]")
