"""Marks that identify a line: names of sections, labels, section numbers, captions."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun


def _squashed(names: str) -> frozenset[str]:
    """Names separated by commas and line ends, as ``squash`` leaves them."""
    return frozenset(squash(name) for name in re.split(r"[,\n]", names) if name.strip())


REFERENCE_HEADINGS = _squashed("""
    references, bibliography, literature, literature cited, works cited, references and notes
    references cited, selected references, literatur, literaturverzeichnis, quellenverzeichnis
    références, références bibliographiques, bibliographie, referencias, bibliografía
    referencias bibliográficas, referências, riferimenti bibliografici, bibliografia
    참고문헌, 참고 문헌, 参考文献, 參考文獻, 引用文献, список литературы, литература
""")
CONTENTS_HEADINGS = _squashed("""
    contents, table of contents, inhalt, inhaltsverzeichnis, sommaire, table des matières
    índice, índice general, sumário, indice, 차례, 목차, 目录, 目錄, 目次, оглавление, содержание
""")
# Names of sections of level 1, whatever their type.
TOP_SECTIONS = _squashed("""
    abstract, zusammenfassung, kurzfassung, résumé, resumen, resumo, riassunto
    초록, 국문초록, 요약, 摘要, 要旨, аннотация
    acknowledgment, acknowledgments, acknowledgement, acknowledgements
    acknowledgments and funding, danksagung, remerciements, agradecimientos, agradecimentos
    ringraziamenti, 감사의 글, 致谢, 致謝, 謝辞, благодарности
    appendix, appendices, anhang, annexe, annexes, apéndice, 부록, 附录, 附錄, 付録
    supplementary material, supplementary materials, supplementary information
    supporting information, materials and methods, methods and materials
    results and discussion, conclusions and future work, conclusion and future work
    schlussfolgerungen, data availability, data availability statement, code availability
    data and code availability, availability of data and materials, data deposition
    funding, funding information, funding statement, author contributions
    authors contributions, author contribution statement, competing interests
    conflict of interest, conflicts of interest, declaration of competing interest
    declaration of interests, ethics statement, ethics approval, broader impact, disclaimer
    table of contents, foreword, preface
""") | (REFERENCE_HEADINGS - {"literature"})
# Labels above the text that are set like headings, but have no section below them.
FRONT_MATTER = _squashed("""
    categories and subject descriptors, general terms, ccs concepts, index terms, affiliation
    acm reference format, pvldb reference format, pvldb artifact availability
""")
OPENING_SECTIONS = _squashed("""
    abstract, summary, introduction, zusammenfassung, kurzfassung, einleitung, einführung, résumé
    resumen, resumo, riassunto, introducción, introdução, introduzione
    초록, 국문초록, 요약, 서론, 摘要, 要旨, 引言, 绪论, 緒論, はじめに, 序論, аннотация, введение
""")
KNOWN_HEADINGS = (
    TOP_SECTIONS
    | REFERENCE_HEADINGS
    | _squashed("""
    summary, introduction, conclusion, conclusions, discussion, related work, background
    methods, results, contributions, limitations, notes, contents, keywords
    einleitung, einführung, methoden, methodik, ergebnisse, diskussion, fazit, ausblick
    méthodes, résultats, introducción, métodos, resultados, discusión, conclusiones
    서론, 연구 방법, 방법, 연구 결과, 결과, 고찰, 논의, 결론
    引言, 绪论, 緒論, 方法, 结果, 結果, 讨论, 討論, 结论, 結論, 結語, 结语
    はじめに, 序論, 考察, おわりに, введение, заключение, выводы
    """)
)

THEOREM = re.compile(
    r"^(?:\d+(?:\.\d+)*\.?\s+)?(?:main\s+)?(?:theorem|lemma|proposition|corollary|definition|"
    r"remark|proof|example|claim|conjecture|notation|assumption|axiom|observation|fact|problem|"
    r"question|exercise|hypothesis|algorithm|protocol|construction|convention)s?\b"
    r"\s*(?:\d|[.:(\[]|[A-Z]\b|of\s+(?:theorem|lemma|proposition|corollary|claim)\b)"
    r"|^(?:proof|remarks?)\W*$",
    re.IGNORECASE,
)
BULLET = re.compile(
    "^["
    "\u2022\u25cf\u25cb\u25e6\u25aa\u25ab\u25a0\u25a1\u2023\u2043\u2219\u00b7\u27a2\u2713\u2714"
    "\u25b6\u25ba\u2217\u221e\u2218\u2794\u2192\u21d2\u2605\u2610\u2756\u27a4\u203a"
    "\ue000-\uf8ff*\u2013\u2014-]\\s+\\S"
)
ENUMERATED = re.compile(r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]|\((?:[A-Z]|[IVX]{1,5})\))\s+\S")
EQUATION_NUMBER = re.compile(r"^\(?\d{1,3}(?:\.\d{1,3})*[a-z]?\)$")
REFERENCE_LABEL = re.compile(r"^(?:\[[^\]]{1,12}\]|\(?\d{1,3}[.)])\s*\S")
SENTENCE_END = re.compile(r"[.!?:;\u3002\u061f]['\")\]\u2019\u201d]*$")  # a sentence


_WORD = (
    r"appendix|annex|annexe|anhang|ap\u00e9ndice|chapter|chapitre|kapitel|cap\u00edtulo|part|"
    r"partie|teil|section|abschnitt|secci\u00f3n|\ubd80\ub85d|\u9644\u5f55|\u4ed8\u9332|\u00a7"
)
_NUMBERED = re.compile(
    rf"^(?P<word>(?:{_WORD})\s*)?"
    r"(?P<number>\d{1,2}(?:\.{1,2}(?:\d{1,3}|[a-z](?![^\W\d_]))){0,4}"
    r"|[IVX]{1,5}(?![^\W\d_])(?:\.{1,2}(?:\d{1,2}|[a-z])(?![^\W_]))*"
    r"|[A-Z]\d{1,2}(?:\.\d{1,2}){0,2}(?=\s)"
    r"|[A-Z](?:\.{1,2}(?:\d{1,2}|[a-z])(?![^\W_])){0,3})"
    r"(?P<stop>[.:)]?)(?:\s+|(?=[^\W\d_])|$)(?P<title>.*\S)?$",
    re.IGNORECASE,
)
_GLUED = re.compile(r"^([A-Z])(?=\d)")
_MISREAD_ONE = re.compile(r"^[Il](?=(?:\.\d{1,2})*\.?\s+[^\W\d_a-z])")  # by OCR
_LETTERED = re.compile(r"^\(?(?P<letter>[a-z])[.)]\s+(?P<title>[^\W\d_a-z].*\S)$")
_HAN = re.compile(
    r"^[\u7b2c\uc81c]?\s*(?P<number>\d{1,2}|[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b"
    r"\u4e5d\u5341]{1,3})\s*(?P<unit>[\u7ae0\u7bc0\u8282\uc7a5\uc808\u3001])\s*(?P<title>.*\S)$"
)
_HAN_DIGITS = {
    char: n
    for n, char in enumerate("\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341", 1)
}


class Numbering(NamedTuple):
    """A section number. ``path`` holds its parts, letters counted from 1. ``scheme`` is how the
    first part is written: ``1``, ``I``, ``A``, or the Han word for chapter or section.
    ``worded``: a word such as *Appendix* precedes it; ``stopped``: a stop follows it."""

    path: tuple[int, ...]
    scheme: str
    title: str
    stopped: bool = False
    worded: bool = False


def numbering_of(text: str) -> Numbering | None:
    """The section number at the beginning of ``text``, if it begins like a heading."""
    return next(iter(numbering_candidates(text)), None)


@lru_cache(maxsize=16384)
def numbering_candidates(text: str) -> tuple[Numbering, ...]:
    """Every reading of the number at the beginning of ``text``: I may be 1 or a letter, or a 1
    that OCR has misread, as may l."""
    misread = _MISREAD_ONE.match(text)
    ones = _readings(f"1{text[1:]}") if misread else ()
    return (*_readings(text), *ones)


def _readings(text: str) -> tuple[Numbering, ...]:
    match = _NUMBERED.match(text)
    if match is None:
        return _han(text)
    number, title = match["number"], (match["title"] or "").lstrip("-\u2013\u2014 ").rstrip()
    worded, stopped = bool(match["word"]), bool(match["stop"])
    if _GLUED.match(number) and not title[:1].isupper():
        return ()
    head, *rest = re.split(r"\.+", _GLUED.sub(r"\1.", number))
    glued = not re.match(r"\s", text[match.end("stop") : match.end("stop") + 1] or " ")
    if (glued and not (head.isdigit() and stopped)) or not (title or worded):
        return ()
    path = tuple(_value(part) for part in rest)
    if head.isdigit():
        return (Numbering((int(head), *path), "1", title, stopped, worded),)
    plain = not (rest or stopped or worded)
    if not head.isupper() or (plain and len(head) == 1 and not title[:1].isupper()):
        return ()
    numberings = []
    value = roman(head)
    if value is not None:
        numberings.append(Numbering((value, *path), "I", title, stopped, worded))
    if len(head) == 1:
        letter = Numbering((_value(head), *path), "A", title, stopped, worded)
        numberings.insert(0 if plain or (rest and rest[0].isdigit()) else 1, letter)
    return tuple(numberings)


def letter_numbering(text: str) -> Numbering | None:
    """A small letter before a low-level heading: a. Sampling, b) Coding. Scheme ``a``."""
    match = _LETTERED.match(text)
    if match is None:
        return None
    return Numbering((_value(match["letter"]),), "a", match["title"], stopped=True)


def _value(part: str) -> int:
    return int(part) if part.isdigit() else ord(part.upper()) - ord("A") + 1


def roman(text: str) -> int | None:
    """The value of a Roman number in capitals up to 39; None for other text."""
    values = {"I": 1, "V": 5, "X": 10}
    total = 0
    for here, after in zip(text, [*text[1:], ""], strict=True):
        if here not in values:
            return None
        value = values[here]
        total += -value if values.get(after, 0) > value else value
    return total


def _han(text: str) -> tuple[Numbering, ...]:
    match = _HAN.match(unicodedata.normalize("NFKC", text))
    if match is None:
        return ()
    digits = match["number"]
    if digits.isdigit():
        value = int(digits)
    else:
        tens, _, ones = digits.rpartition("\u5341")
        value = _HAN_DIGITS.get(ones, 0)
        if "\u5341" in digits:
            value += 10 * _HAN_DIGITS.get(tens, 1)
    return (Numbering((value,), match["unit"], match["title"], stopped=True),)


def headings_between(path: tuple[int, ...], last: tuple[int, ...]) -> int | None:
    """How many headings are missing between the sections ``last`` and ``path``; () is the
    beginning. None where ``path`` is not after ``last``.

    Between 2 and 3.2 it is 3 and 3.1. How many there are below ``last`` is not known.
    """
    common = 0
    while common < min(len(path), len(last)) and path[common] == last[common]:
        common += 1
    if common == len(path):
        return None
    before = last[common] if common < len(last) else 0
    if path[common] < before:
        return None
    missing = max(path[common] - before - 1, 0)
    for parent, part in pairwise(path[common:]):
        missing += max(part - 1, 0) + (parent > 0)
    return missing


CAPTION = re.compile(
    r"^(?P<kind>fig(?:ure|\.)?|table|tab\.|tbl\.?|listing|algorithm|scheme|plate|chart|box|"
    r"abbildung|abb\.|tabelle|tableau)\s*(?P<number>[a-z]?\.?\d+(?:[.\-]\d+)*[a-z]?|[IVX]+)\b",
    re.IGNORECASE,
)


class Caption(NamedTuple):
    """The lines of a caption (its first and those below it) and their common box. ``table``
    is set for tables, listings and algorithms."""

    lines: tuple[WordRun, ...]
    box: BBox
    table: bool


def captions_of(runs: Sequence[WordRun]) -> list[Caption]:
    """The captions on a page."""
    captions = []
    ordered = sorted(runs, key=lambda r: r.bottom)
    for first in (r for r in ordered if CAPTION.match(_first_words(r))):
        lines = [first, *_beside_label(first, runs)]
        table = _first_words(first).lower().startswith(("tab", "tbl", "listing", "algorithm"))
        for run in ordered:
            if _follows(run, lines[-1]):
                if table and _is_cell(run, lines, runs):
                    break
                lines.append(run)
        captions.append(Caption(tuple(lines), union([r.box for r in lines]), table))
    return captions


_LABEL_GAP = 2.5  # heights: greatest space behind the label of a caption


def _beside_label(first: WordRun, runs: Sequence[WordRun]) -> list[WordRun]:
    """The text after a caption's label and a wider space on the same line."""
    text = " ".join(word.text for word in first.words)
    match = CAPTION.match(text)
    if match is None or text[match.end() :].strip() not in (".", ":"):
        return []
    beside = [
        run
        for run in runs
        if 0 < run.x0 - first.x1 < _LABEL_GAP * first.size
        and abs(run.bottom - first.bottom) < 0.2 * first.size
        and not CAPTION.match(_first_words(run))
    ]
    return sorted(beside, key=lambda run: run.x0)[:1]


def _follows(run: WordRun, above: WordRun) -> bool:
    return (
        abs(run.size - above.size) < 0.06 * above.size
        and 0.5 * above.size < run.bottom - above.bottom < 1.6 * above.size
        and overlap(run.x0, run.x1, above.x0, above.x1) > 0.5 * (run.x1 - run.x0)
    )


def _is_cell(run: WordRun, above: Sequence[WordRun], runs: Sequence[WordRun]) -> bool:
    """Whether a run below a caption is one of several on its line, all below that caption."""
    left, right = min(r.x0 for r in above), max(r.x1 for r in above)
    return any(
        other is not run
        and abs(other.bottom - run.bottom) < 0.2 * run.size
        and left < (other.x0 + other.x1) / 2 < right
        for other in runs
    )


def _first_words(run: WordRun) -> str:
    return " ".join(word.text for word in run.words[:3])
