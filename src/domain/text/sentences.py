"""Rule-based sentence segmentation with exact spans, for scientific prose in any script.

A full stop ends a sentence if white space and a possible sentence start follow, and the word
before it is not an abbreviation, initial or list number. A sentence starts with a capital, or with
a name and its verb (*nbgrader is*). Ideographic, Arabic and Devanagari stops always end a sentence.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby

from .scripts import MARKS
from .words import STOP_WORDS

Span = tuple[int, int]

# A run of stops, closing quotes and brackets, then the gap (none after ideographic stops).
_STOP = re.compile(
    r"(?P<wide>[。！？｡]+[」』）】”’\"']*\s*)"
    r"|(?<![.!?…؟।॥])(?P<stop>[.!?…؟।॥]+)(?P<close>[\"'”’»)\]]*)"
    rf"(?P<mark>(?:\[[\d,\s–-]+\]|{MARKS}|\^[a-z](?!\w))?)"
    r"(?P<gap>\s+)"
    r"|(?P<break>\n\s*\n\s*)"
)
_WORD_BEFORE = re.compile(r"[\w.\-&]*\Z")
_ABBREVIATIONS = frozenset(
    """
        al approx art ca cf chap ch col cp dept dr ed eds eq eqs esp est etc et fig figs ff gen
        gov hon inc incl jr ltd messrs min max mr mrs ms mt no nos op p para pp prof pt rev ref
        refs resp rep sec sect sen sgt sp spp sr st subsp suppl tab tabs var vol vols vs viz
        univ intl assoc bros capt cmdr corp co e.g i.e eg ie a.k.a i.v s.d s.e u.s u.k d.c ph.d
        m.sc b.sc jan feb mar apr jun jul aug sep sept oct nov dec def thm prop lem bzw usw vgl
        z.b d.h u.a abb bd hrsg nr s.o s.u sog aprox
    """.split()
)
# These end a sentence if a capital follows.
_MAY_END = frozenset({"al", "etc", "inc", "ltd", "jr", "co", "corp", "ph.d", "u.s", "u.k", "d.c"})
_NUMBER_BEFORE = re.compile(r"(?<![\w.])(?P<digits>\d[\d.,]*)[ \u00a0\u2009\u202f]\Z")
# Kelvin, volt, watt, ampere, joule, newton, tesla, henry, litre, degrees Celsius, Fahrenheit.
_UNITS = frozenset("KVWAJNTHLCF")
_SHORTEST_QUOTE = 25
_RELATION = re.compile("[=<>≤≥≠≈≡∼∝∈⊂⊆→⇒]")
_FUNCTION = re.compile(
    r"(?:arc)?(?:sin|cos|tan)h?|arg(?:max|min)|lim(?:sup|inf)|rank|span|trace|sign"
)
_BREAK = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(r"[^\W\d_]{4}")
# A word or a bracket that a sentence ends with; no abbreviation of three letters, no address.
_LAST = re.compile(r"(?:^|\s)[\"'“‘(\[]*(?:[a-z-]{4,}|[\w&,;-]+[)\]])[\"'”’]*\Z")
# A short word with the end of one that was cut (*temp, spec, calc, config*), not of *using*.
_CUT_SHORT = re.compile(r"[a-z]{3,5}[bcfgjpqvx](?<!ng)\Z")
# A name in small letters, and its verb.
_NAMED = re.compile(
    r"(?P<name>[a-z][\w.+-]*)(?<![.])\s+(?:(?:also|then|[a-z]+ly)\s+){0,2}"
    r"(?:is|are|was|were|has|have|can|may|will|does|[a-z]{3,}[^\Wsu]s)\b"
)
_OPENED = re.compile(r"[\"'“‘«(\[{¿¡–—\-•]*")


def sentence_spans(text: str) -> list[Span]:
    """Spans of the sentences of ``text``, in order, without surrounding white space.

    Every character that is not white space lies in exactly one span.
    """
    return [span for span in _trimmed(text, _boundaries(text)) if span[0] < span[1]]


def quotable_spans(text: str) -> list[Span]:
    """Spans that can be quoted: sentences, those of fewer than 25 characters ("Yes.", "(b)")
    joined with the next, or else the previous one. In order, at sentence boundaries, without
    overlap. Displayed formulas are in none of them."""
    formulas = [*_formulas(text)]
    groups = groupby(sentence_spans(text), lambda one: bisect_right(formulas, (one[0], len(text))))
    spans: list[Span] = []
    for before, sentences in groups:
        within = formulas[before - 1] if before else (0, 0)
        spans += _long_enough(one for one in sentences if one[1] > within[1])
    return spans


def _formulas(text: str) -> Iterator[Span]:
    """Spans of the paragraphs that are formulas: with a relation, and without words."""
    start = 0
    for end, after in (*(gap.span() for gap in _BREAK.finditer(text)), (len(text), 0)):
        part = text[start:end]
        if _RELATION.search(part) and not _WORD.search(_FUNCTION.sub("", part)):
            yield start, end
        start = after


def _long_enough(sentences: Iterable[Span]) -> list[Span]:
    spans: list[Span] = []
    open_start: int | None = None
    end = 0
    for start, end in sentences:
        first = start if open_start is None else open_start
        if end - first < _SHORTEST_QUOTE:
            open_start = first
            continue
        spans.append((first, end))
        open_start = None
    if open_start is not None:
        first = spans.pop()[0] if spans else open_start
        spans.append((first, end))
    return spans


def _boundaries(text: str) -> Iterator[int]:
    for match in _STOP.finditer(text):
        if match["wide"] or match["break"] or _ends_sentence(text, match):
            yield match.end()
    yield len(text)


def _trimmed(text: str, ends: Iterator[int]) -> Iterator[Span]:
    start = 0
    for end in ends:
        piece = text[start:end]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            yield first, first + len(body)
        start = end


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    opened = _OPENED.match(text, match.end())
    at = opened.end() if opened else len(text)
    begins = text[at : at + 1]
    if not begins:
        return True
    if match["stop"] != ".":
        return not begins.islower()
    before = _WORD_BEFORE.search(text, max(0, match.start() - 24), match.start())
    word = before.group().casefold() if before else ""
    if begins.islower():
        last = _LAST.search(text, max(0, match.start() - 40), match.start())
        is_short = word in _ABBREVIATIONS or _CUT_SHORT.match(word)
        named = _NAMED.match(text, at) if last and not is_short else None
        return named is not None and named["name"] not in STOP_WORDS["en"]
    if word in _ABBREVIATIONS:
        return word in _MAY_END and begins.isupper() and not _is_reference(text, match.end())
    # No end: an initial ("J. Smith") or the number of a list item ("2. Next").
    if len(word) == 1 and word.isalpha() and not match["close"]:
        if _is_unit(text, match.start() - 1):
            return True
        return word == "i" and text[match.start() - 1] == "I"
    return not (word.isdigit() and _at_line_start(text, match.start() - len(word)))


def _is_unit(text: str, at: int) -> bool:
    """Whether the letter at ``at`` is the unit of a number (59 m, 0.33 K), not an initial
    after a year (in 1998 J. Smith)."""
    number = _NUMBER_BEFORE.search(text, max(0, at - 24), at)
    if number is None:
        return False
    is_year = len(number["digits"]) == 4 and number["digits"].isdigit()
    return text[at].islower() or (text[at] in _UNITS and not is_year)


def _is_reference(text: str, after: int) -> bool:
    """Whether "et al." is followed by a year: ``et al. (2017)`` is one phrase."""
    return bool(re.match(r"[(\[]?\d", text[after : after + 2]))


def _at_line_start(text: str, position: int) -> bool:
    return position == 0 or text[position - 1] == "\n"


def cut_at_sentence(text: str, limit: int) -> str:
    """``text`` shortened to at most ``limit`` characters, at a sentence end if one lies in
    its second half, else at white space with an ellipsis that counts."""
    if len(text) <= limit:
        return text
    ends = [end for _, end in sentence_spans(text) if end <= limit]
    if ends and ends[-1] >= limit // 2:
        return text[: ends[-1]]
    head = text[: limit - 1]
    space = max(head.rfind(" "), head.rfind("\n"))
    return (head[:space] if space > limit // 2 else head).rstrip() + "…"
