r"""Reference lists that are typed in a LaTeX draft, and raised numbers."""

import re

from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.bibliography_headings import is_bibliography

_LIST = re.compile(
    r"\\begin\{thebibliography\}(?P<items>.*?)(?:\\end\{thebibliography\}|\Z)", re.DOTALL
)
_ITEM = re.compile(r"\\bibitem\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?\s*\{(?P<key>[^{}]+)\}")
_HEADING = re.compile(r"\\(?:chapter|section|subsection)\*?\s*\{(?P<title>[^{}]*)\}")
_LIST_ITEM = re.compile(r"\\item\b")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?|\\newblock\b")
_RAISED = re.compile(
    r"\\textsuperscript\{\s?\[?\d[\d,\s–-]*\]?\}|\$\^(?:\d|\{\s?\[?\d[\d,\s–-]*\]?\})\$"
)


def superscripts_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _RAISED.finditer(text)]


def reference_list_of(text: str) -> tuple[str, dict[str, NamedWork]]:
    r"""The text of the reference list, its entries numbered, and the works of ``\bibitem`` by
    their keys."""
    entries: list[str] = []
    works: dict[str, NamedWork] = {}
    for found in _LIST.finditer(text):
        items = list(_ITEM.finditer(found["items"]))
        ends = [*(item.start() for item in items[1:]), len(found["items"])]
        for item, end in zip(items, ends, strict=True):
            entry = _plain(found["items"][item.end() : end])
            entries.append(f"[{len(entries) + 1}] {entry}")
            if parsed := works_in_text(entries[-1]):
                key = item["key"].strip()
                works[key] = NamedWork(keys=(key,), entry=parsed[0])
    headings = list(_HEADING.finditer(text))
    for at, heading in enumerate(headings):
        if is_bibliography(heading["title"]):
            end = headings[at + 1].start() if at + 1 < len(headings) else len(text)
            entries.append(_typed_list(text[heading.end() : end].partition(r"\end{document}")[0]))
    return "\n\n".join(entries), works


def _typed_list(text: str) -> str:
    """The entries below a heading; the items of a list are numbered."""
    numbers = iter(range(1, 10_000))
    numbered = _LIST_ITEM.sub(lambda _: f"\n\n[{next(numbers)}] ", _LIST.sub("", text))
    return "\n\n".join(map(_plain, re.split(r"\n\s*\n", numbered)))


def _plain(text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    source = _ENVIRONMENT.sub(" ", text)
    try:
        plain = LatexNodes2Text().latex_to_text(source, tolerant_parsing=True)
    except Exception:  # whatever pylatexenc raises for damaged entries
        plain = source
    return " ".join(plain.split())
