"""Rich text of CSL: runs with formatting marks, punctuation rules, and text cases.

Quotation marks are placeholders until the end, so that nested ones become inner marks at any depth.
"""

import html
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

OPEN, CLOSE = "\ue000", "\ue001"

# CSL 1.0.2, appendix "Rich text": what a field may hold.
_TAGS = {
    "<i>": "own i", "<b>": "own b", "<sup>": "sup", "<sub>": "sub", "<sc>": "sc",
    "<em>": "own i", "<strong>": "own b", '<span class="nocase">': "nocase",
    '<span style="font-variant:small-caps;">': "sc",
    '<span style="font-variant: small-caps;">': "sc",
}  # fmt: skip
_TAG = re.compile(r"</?(?:i|b|sup|sub|sc|em|strong|span)(?:\s[^<>]*)?>", re.IGNORECASE)
_HTML = {
    "i": ("<i>", "</i>"), "b": ("<b>", "</b>"), "sup": ("<sup>", "</sup>"),
    "sub": ("<sub>", "</sub>"), "u": ('<span style="text-decoration:underline;">', "</span>"),
    "sc": ('<span style="font-variant:small-caps;">', "</span>"),
}  # fmt: skip
_MARKDOWN = {"i": ("*", "*"), "b": ("**", "**"), "sup": ("^", "^"), "sub": ("~", "~")}
_ORDER = ("i", "b", "sup", "sub", "u", "sc")

# Where two pieces meet: what of the second is dropped after the first, and what replaces it.
_SWALLOWED = {"!": ".:", "?": ".:", ":": ".", ";": ".:"}
_REPLACED = {":": "!?", ";": "!?"}
_STOPS = ".,:;!?"

NO_MARKS: frozenset[str] = frozenset()


class TextRun(NamedTuple):
    text: str
    marks: frozenset[str] = NO_MARKS


Runs = tuple[TextRun, ...]
EMPTY: Runs = ()


def runs(text: str) -> Runs:
    return (TextRun(text),) if text else EMPTY


def plain(text: Runs) -> str:
    return "".join(run.text for run in text)


def field(text: str) -> Runs:
    """The text of a field: its tags as marks, quotation marks and apostrophes typeset, French
    spacing (a space before a colon) narrow."""
    text = _FRENCH.sub("\u202f", smart(_BLANKS.sub(" ", text)))
    if "<" not in text:
        return runs(text)
    pieces: list[TextRun] = []
    stack: list[tuple[str, str]] = []
    end = 0
    for tag in _TAG.finditer(text):
        name = re.match(r"</?(\w+)", tag.group())
        kind = name.group(1).lower() if name else ""
        if tag.group().startswith("</"):
            if not stack or stack[-1][0] != kind:
                continue
        elif f"</{kind}>" not in text[tag.end() :].lower():
            continue
        pieces.append(TextRun(text[end : tag.start()], _marks(stack)))
        end = tag.end()
        if tag.group().startswith("</"):
            stack.pop()
        else:
            stack.append((kind, _TAGS.get(tag.group().lower(), "")))
    pieces.append(TextRun(text[end:], _marks(stack)))
    return tuple(run for run in pieces if run.text)


def _marks(stack: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(mark for _, mark in stack if mark)


_DOUBLE = re.compile(r'(?<![^\s(\[{<>—–/-])["“„](?=\S)(.+?)(?<=\S)["”“](?![^\W_])')
_SINGLE = re.compile(r"(?<![^\s(\[{<>—–\"“\ue000/-])['‘](?=\S)(.+?)(?<=\S)['’](?![^\W_])")


_BLANKS = re.compile(r"[ \t\r\n]+")
_FRENCH = re.compile(r"(?<=\S) (?=[:;?!»])|(?<=«) ")


def smart(text: str) -> str:
    """Paired quotation marks as ``OPEN`` and ``CLOSE``, other straight ones as apostrophes."""
    if '"' in text or "“" in text or "„" in text:
        text = _DOUBLE.sub(rf"{OPEN}\1{CLOSE}", text)
    if "'" in text or "‘" in text:
        text = _SINGLE.sub(rf"{OPEN}\1{CLOSE}", text)
        text = text.replace("'", "’")
    return text


def marked(text: Runs, mark: str) -> Runs:
    return tuple(TextRun(run.text, run.marks | {mark}) for run in text)


def _visible_marks(marks: frozenset[str]) -> frozenset[str]:
    """A field's own italics are upright within a style's italics; the same for bold."""
    shown = marks - {"nocase", "own i", "own b"}
    for own, mark in (("own i", "i"), ("own b", "b")):
        if own in marks:
            shown ^= {mark}
    return shown


def quoted(text: Runs) -> Runs:
    return (TextRun(OPEN), *text, TextRun(CLOSE)) if text else text


def glue(left: Runs, right: Runs, *, punctuation_in_quote: bool) -> Runs:
    """``left`` and ``right`` without doubled spaces and punctuation where they meet.

    ``punctuation_in_quote`` moves a full stop or comma that follows a closing quotation mark before
    it, as in American typography (CSL 1.0.2, punctuation-in-quote).
    """
    if not left or not right:
        return left or right
    first = right[0].text[0]
    if first == " " and left[-1].text[-1] == " ":
        return glue(left, _without_first(right), punctuation_in_quote=punctuation_in_quote)
    if first not in _STOPS:
        return left + right
    body, closing = _split_closing(left)
    if closing and not body:
        return left + right
    last = body[-1].text[-1]
    if closing and (not punctuation_in_quote or first not in ".,"):
        return left + _without_first(right) if last == first == "." else left + right
    if last == first or first in _SWALLOWED.get(last, ""):
        rest = _without_first(right)
        return glue(left, rest, punctuation_in_quote=punctuation_in_quote) if rest else left
    if first in _REPLACED.get(last, ""):
        body = (*body[:-1], TextRun(body[-1].text[:-1] + first, body[-1].marks))
        return body + closing + _without_first(right)
    if closing:
        moved = TextRun(body[-1].text + first, body[-1].marks)
        return (*body[:-1], moved, *closing, *_without_first(right))
    return left + right


def _split_closing(text: Runs) -> tuple[Runs, Runs]:
    """The text without closing quotation marks at its end, and these marks."""
    closing: list[TextRun] = []
    body = list(text)
    while body and body[-1].text.endswith(CLOSE):
        closing.insert(0, TextRun(CLOSE, body[-1].marks))
        last = TextRun(body[-1].text[:-1], body[-1].marks)
        body[-1:] = [last] if last.text else []
    return tuple(body), tuple(closing)


def _without_first(text: Runs) -> Runs:
    first = TextRun(text[0].text[1:], text[0].marks)
    return (first, *text[1:]) if first.text else text[1:]


def joined(parts: Iterable[Runs], delimiter: str, *, punctuation_in_quote: bool) -> Runs:
    between = runs(delimiter)
    result: Runs = EMPTY
    for part in parts:
        if not part:
            continue
        if result:
            result = glue(result, between, punctuation_in_quote=punctuation_in_quote)
        result = glue(result, part, punctuation_in_quote=punctuation_in_quote)
    return result


class QuoteMarks(NamedTuple):
    """Outer and inner quotation marks of a locale."""

    outer: tuple[str, str] = ("“", "”")
    inner: tuple[str, str] = ("‘", "’")


def resolve_quotes(text: Runs, marks: QuoteMarks) -> Runs:
    """With the quotation marks of the locale; equal neighbours are merged into one run."""
    depth = 0
    done: list[TextRun] = []
    for run in text:
        letters: list[str] = []
        for char in run.text:
            if char == OPEN:
                letters.append((marks.inner if depth % 2 else marks.outer)[0])
                depth += 1
            elif char == CLOSE:
                depth = max(0, depth - 1)
                letters.append((marks.inner if depth % 2 else marks.outer)[1])
            else:
                letters.append(char)
        shown = _visible_marks(run.marks)
        if done and done[-1].marks == shown:
            done[-1] = TextRun(done[-1].text + "".join(letters), shown)
        else:
            done.append(TextRun("".join(letters), shown))
    return tuple(done)


def as_html(text: Runs) -> str:
    return "".join(_wrapped(html.escape(r.text, quote=False), r.marks, _HTML) for r in text)


def as_markdown(text: Runs) -> str:
    return "".join(
        _wrapped(re.sub(r"([\\*_`^~\[\]<])", r"\\\1", r.text), r.marks, _MARKDOWN) for r in text
    )


def _wrapped(text: str, marks: frozenset[str], words: dict[str, tuple[str, str]]) -> str:
    for mark in reversed(_ORDER):
        if mark in marks and mark in words:
            text = f"{words[mark][0]}{text}{words[mark][1]}"
    return text


# What English titles keep in small letters inside (Chicago Manual of Style, headline style):
# articles, conjunctions, prepositions.
_SMALL = frozenset(
    """
    a an and as at but by for from in into nor of off on onto or over per so the through till
    to up upon via vs vs. with without yet about above across after against al along amid among
    amongst around atop before behind below beneath beside between beyond despite down during
    et except inside like near next out plus pro since than throughout toward towards
    under underneath until unto de von van v v.
    """.split()
)
_WORD = re.compile(r"[^\s\u2013\u2014/]+")
_ELIDED = re.compile(r"[^\W\d_]['’]")
_ENDS = (":", "?", "!")


def cased(text: Runs, how: str, *, english: bool) -> Runs:
    """``how`` is CSL's ``text-case``. Title case applies to English only; text marked ``nocase``
    never changes."""
    if how == "lowercase":
        return _each(text, str.lower)
    if how == "uppercase":
        return _each(text, str.upper)
    if how == "capitalize-first":
        return _first_upper(text)
    if how == "capitalize-all":
        return _words(text, lambda word, _: _capital(word))
    if how == "sentence":
        whole = plain(text)
        lowered = _each(text, str.lower) if whole.isupper() else text
        return _first_upper(lowered)
    if how == "title" and english:
        return _title(text)
    return text


def _each(text: Runs, change: Callable[[str], str]) -> Runs:
    return tuple(r if "nocase" in r.marks else TextRun(change(r.text), r.marks) for r in text)


def _first_upper(text: Runs) -> Runs:
    for at, run in enumerate(text):
        if match := re.search(r"[^\W_]", run.text):
            n = match.start()
            word = re.match(r"[\w’'-]+", run.text[n:])
            if "nocase" in run.marks or (word and not word.group().islower()):
                return text  # arXiv, mRNA
            changed = run.text[:n] + run.text[n].upper() + run.text[n + 1 :]
            return (*text[:at], TextRun(changed, run.marks), *text[at + 1 :])
    return text


def _title(text: Runs) -> Runs:
    whole = plain(text)
    words = list(_WORD.finditer(whole))
    last = words[-1].start() if words else -1

    def change(word: str, at: int) -> str:
        bare = word.strip(f"{OPEN}{CLOSE}()[]{{}}.,;:!?…")
        before = whole[:at].rstrip(f" {OPEN}(")
        is_first = not before or before.endswith(_ENDS)
        if bare.lower() != bare:
            return _parts(word) if "-" in word else word
        if not is_first and at != last and (bare in _SMALL or f"{bare}." in _SMALL):
            return word
        if not is_first and (len(bare) == 1 or _ELIDED.match(bare)):
            return word
        return _parts(word) if "-" in word else _capital(word)

    return _words(text, change)


def _parts(word: str) -> str:
    parts = word.split("-")
    return "-".join(
        part if n and len(parts) > n + 1 and part in _SMALL else _lower_to_capital(part)
        for n, part in enumerate(parts)
    )


def _lower_to_capital(word: str) -> str:
    return _capital(word) if word == word.lower() else word


def _capital(word: str) -> str:
    match = re.search(r"[^\W_]", word)
    if match is None or match.group().isdigit():
        return word
    n = match.start()
    return word[:n] + word[n].upper() + word[n + 1 :]


def _words(text: Runs, change: Callable[[str, int], str]) -> Runs:
    """Each word changed by ``change(word, offset)``, across runs."""
    whole = plain(text)
    letters = list(whole)
    for match in _WORD.finditer(whole):
        changed = change(match.group(), match.start())
        if len(changed) == len(match.group()):
            letters[match.start() : match.end()] = changed
    at, done = 0, []
    for run in text:
        new = "".join(letters[at : at + len(run.text)])
        done.append(run if "nocase" in run.marks else TextRun(new, run.marks))
        at += len(run.text)
    return tuple(done)
