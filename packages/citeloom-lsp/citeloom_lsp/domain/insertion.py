"""Citations put into a draft: where, and in which words."""

import re
from collections import Counter
from typing import Final, NamedTuple

from citeloom.domain.citation.in_text import IN_TEXT, InText, Mention, latex_note
from citeloom.domain.citation.latex_commands import NUMBERS_PAGES
from citeloom.domain.citation.locators import is_one_page, is_plain, page_ranges
from citeloom.domain.citation.metadata import locator

_END_OF_SENTENCE: Final = re.compile(r"[.!?…。।]+\s*\Z")
_IN_BRACKETS: Final = re.compile(r"\\(autocite|parencite|citep|cite)\b")
_DEFAULT: Final = "autocite"


class Insertion(NamedTuple):
    """``text`` goes to ``at``."""

    at: int
    text: str


def citation_insertion(text: str, start: int, end: int, format: str, mention: Mention) -> Insertion:
    """The citation of a sentence or selection, ``start`` to ``end`` of a draft: before its
    closing full stop. In LaTeX with the command that the draft uses most."""
    chosen = text[start:end].rstrip()
    stop = _END_OF_SENTENCE.search(chosen)
    at = start + (stop.start() if stop else len(chosen))
    space = "~" if format == "latex" else " "
    apart = "" if text[at - 1 : at].isspace() else space
    return Insertion(at, apart + _cited(text, format, mention))


def page_text(format: str, command: str | None, mention: Mention, term: str = "") -> str:
    """The locator of a mention as it is typed after a key: with the ``term`` that is there
    already where it fits the number of pages. Bare in a command that writes "p." itself."""
    labels = mention.labels
    if not labels:
        return latex_note(mention) if format == "latex" else mention.place or ""
    ranges = page_ranges(labels, dash="--") if format == "latex" else page_ranges(labels)
    is_plural = term.lower().startswith(("pp", "pages"))
    if term and is_plural != is_one_page(labels):
        space = "" if term[-1] in " ~\xa0" else "~" if format == "latex" else " "
        return term + space + ranges
    if format != "latex":
        return locator(labels) or ""
    if not term and (command in NUMBERS_PAGES or not is_plain(labels)):
        return latex_note(mention)
    return f"{'p.' if is_one_page(labels) else 'pp.'}~{ranges}"


def _cited(text: str, format: str, mention: Mention) -> str:
    if format == "latex":
        counts = Counter(match[1] for match in _IN_BRACKETS.finditer(text))
        command = counts.most_common(1)[0][0] if counts else _DEFAULT
        note = page_text(format, command, mention)
        return rf"\{command}{f'[{note}]' if note else ''}{{{mention.citekey}}}"
    return IN_TEXT[InText.TYPST if format == "typst" else InText.PANDOC]([mention])
