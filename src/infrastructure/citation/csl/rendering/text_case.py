"""CSL text cases: lowercase, uppercase, capitalised, sentence, title."""

import re
from collections.abc import Callable

from citeloom.infrastructure.citation.csl.rendering.rich_text import (
    CLOSE,
    OPEN,
    Runs,
    TextRun,
    plain,
)

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
