"""Prose of a draft at the same offsets as its source: markup is overwritten."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from citeloom.domain.choices import DraftMarkup
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.references.entries.reference_list import works_in_text
from citeloom.domain.references.works import NamedWork, labelled
from citeloom.domain.verification.drafts.draft import (
    JOINER,
    PLACEHOLDER,
    Draft,
    Inclusion,
    InTextCitation,
)
from citeloom.domain.verification.drafts.typed_citations import find_author_year, find_numbered

_NOT_BREAK = re.compile(r"[^\r\n]")
_CITATION = re.compile(r"\[?-?@\S+|\\\w+(?:\[[^\]]*\])*\{[^{}]*\}")
_REFERENCE_ONLY = re.compile(
    r"\s*(?:see|cf|compare|e\.g|for (?:a|an|more|details|further|the))\b", re.I
)
_MIN_WORDS = 6
_UNREAD = "not read as citations, in headings, tables, captions or definitions"
# A note that begins with a page, or the name of pages and a number.
_PLACE = re.compile(
    r"(?:pp?|pages?|pgs?|seiten?|s|págs?|páginas?|pagg?|bl?z|\\p?pno)\b\W{0,20}(?:\w{1,4}\W{1,3})?\w*\d"
    r"|[(\[{]?\d{1,6}(?!\w)|[IVXLC]{1,8}\W{1,3}\d{1,6}(?!\w)",
    re.IGNORECASE,
)


class Mask:
    """The characters of a draft, with everything but prose overwritten. ``prose`` is the initial
    content, by default the whole text.

    ``literals`` are spans of prose in which nothing is a typed citation (code, formulas),
    ``superscripts`` spans that are raised. ``bibliography`` is the text of the reference list,
    without markup, its entries apart by empty lines or labels. ``read`` are the offsets of the
    citations that were read, ``unread`` those of others with what is written there.
    """

    def __init__(self, text: str, prose: str | None = None) -> None:
        self.text = text
        self._chars = list(text if prose is None else prose)
        self.citations: list[InTextCitation] = []
        self.works: dict[str, NamedWork] = {}
        self.literals: list[tuple[int, int]] = []
        self.superscripts: list[tuple[int, int]] = []
        self.bibliography = ""
        self.read: set[int] = set()
        self.unread: list[tuple[int, str]] = []

    def blank(self, start: int, end: int) -> None:
        """Overwrite a block: line breaks are kept, its citations are removed."""
        self.citations = [one for one in self.citations if not start <= one.start < end]
        for at in range(start, end):
            if self._chars[at] not in "\r\n":
                self._chars[at] = " "

    def paragraph(self, start: int, end: int) -> None:
        """Like ``blank``, followed by a new paragraph (after the bullet of a list)."""
        self.blank(start, end)
        self._chars[start] = "\n"

    def note(self, note: tuple[int, int], words: tuple[int, int]) -> bool:
        """A footnote whose ``words`` are prose. After a full stop, a note with content of its own
        becomes a paragraph (then True); otherwise it is part of the sentence around it."""
        before = self.text[max(0, note[0] - 3) : note[0]].rstrip()
        if before.endswith((".", "!", "?", ".”", '."')) and _has_content(self.text[slice(*words)]):
            self.paragraph(note[0], words[0])
            self._chars[note[0] : note[0] + 2] = "\n\n"
            self.paragraph(words[1], note[1])
            return True
        self.inline(note[0], words[0] - 1)
        return False

    def inline(self, start: int, end: int) -> None:
        """Overwrite inline markup: it separates words only at white space, or where at most one
        side has a letter."""
        inside = start > 0 and end < len(self.text) and self.text[start - 1].isalnum()
        filler = JOINER if inside and self.text[end].isalnum() else " "
        self._chars[start:end] = filler * (end - start)

    def spaces(self, start: int, end: int) -> None:
        """White space without line breaks: it ends no paragraph."""
        self._chars[start:end] = " " * (end - start)

    def replace(self, start: int, end: int, text: str) -> None:
        """``text`` instead of the source, which is at least as long."""
        text = text[: end - start]
        self._chars[start:end] = text + JOINER * (end - start - len(text))

    def restore(self, start: int, end: int) -> None:
        """Restore blanked text as prose."""
        self._chars[start:end] = self.text[start:end]

    def cite(self, citation: InTextCitation) -> None:
        self._chars[citation.start : citation.end] = " " * (citation.end - citation.start)
        if citation.narrative:
            self._chars[citation.start] = PLACEHOLDER
        self.citations.append(citation)

    def prose_at(self, at: int) -> str:
        return self._chars[at]

    @property
    def prose(self) -> str:
        return "".join(self._chars)

    def warnings(self, path: str) -> tuple[str, ...]:
        """What may be a citation and was not read, with its lines; and places in sources that
        were not understood."""
        found = Draft(path=path, format="", text=self.text, prose=self.text)
        lines: dict[str, dict[int, None]] = {}
        for at, written in sorted(set(self.unread)):
            lines.setdefault(written, {})[found.position(at).line] = None
        named = (
            f"{written} (line {', '.join(map(str, numbers))})" for written, numbers in lines.items()
        )
        first = next((line for numbers in lines.values() for line in numbers), None)
        unread = () if first is None else (f"{path}:{first}: {_UNREAD}: {', '.join(named)}",)
        places = (
            f"{path}:{found.position(item.start).line}: the place "
            f"“{' '.join(item.suffix.split())}” of {item.key} was not understood; its page is not "
            "checked"
            for citation in self.in_order()
            for item in citation.items
            if item.locator is None and _PLACE.match(item.suffix)
        )
        return (*unread, *places)

    def draft(
        self,
        path: str,
        format: str,
        text: str | None = None,
        *,
        inclusions: Iterable[Inclusion] = (),
        warnings: Iterable[str] = (),
    ) -> Draft:
        """The draft, with its typed citations; ``text`` is its source where that is not the one of
        the mask."""
        cite_typed(self)
        return Draft(
            path=path,
            format=format,
            text=self.text if text is None else text,
            prose=self.prose,
            citations=self.in_order(),
            works=self.works,
            inclusions=tuple(inclusions),
            warnings=(*warnings, *self.warnings(path)),
        )

    def in_order(self) -> tuple[InTextCitation, ...]:
        return tuple(sorted(self.citations, key=lambda one: one.start))


def blanked(text: str) -> str:
    """White space as long as ``text``, with its line breaks."""
    return _NOT_BREAK.sub(" ", text)


def covering(text: str, spans: Iterable[tuple[int, int]]) -> bytearray:
    """For each offset of ``text``, and its end, whether one of ``spans`` covers it."""
    covered = bytearray(len(text) + 1)
    for start, end in spans:
        covered[start:end] = b"\1" * (end - start)
    return covered


def _has_content(note: str) -> bool:
    """Whether a note is more than a reference: *see Smith 2020 for more*."""
    words = _CITATION.sub(" ", note).split()
    return len(words) >= _MIN_WORDS and not _REFERENCE_ONLY.match(note)


def cite_typed(mask: Mask) -> None:
    """Add typed citations to a mask that has the other citations, its literals and its
    bibliography."""
    entries = works_in_text(mask.bibliography)
    chars = list(mask.prose)
    for start, end in mask.literals:
        if (start, end) not in mask.superscripts:
            chars[start:end] = PLACEHOLDER * (end - start)
    prose = "".join(chars)
    found = [
        *find_author_year(prose, entries),
        *find_numbered(prose, labelled(entries), mask.superscripts),
    ]
    taken = bytearray(len(prose))
    for citation, works in found:
        if not any(taken[citation.start : citation.end]):
            mask.cite(citation)
            mask.works = works | mask.works  # a field tells more
            taken[citation.start : citation.end] = b"\1" * (citation.end - citation.start)


Read = Callable[[Path], Draft]

#: Suffixes of files of prose, by their markup; pictures and tables are not prose.
SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    DraftMarkup.MARKDOWN: (".md", ".markdown", ".qmd", ".rmd", ".mdown"),
    DraftMarkup.LATEX: (".tex", ".latex", ".ltx"),
    DraftMarkup.TYPST: (".typ",),
    DraftMarkup.PLAIN: (".txt", ".text"),
}


def with_included(draft: Draft, read: Read) -> Draft:
    """The draft with all directly and indirectly included files, each once. Files outside its
    folder, missing and unreadable ones give warnings; files that are not prose, by their suffix,
    are skipped."""
    folder = Path(draft.path).parent
    seen = {Path(draft.path).resolve()}
    parts, warnings = list[Draft](), list(draft.warnings)

    def follow(parent: Draft) -> None:
        for inclusion in parent.inclusions:
            location = f"{parent.path}:{parent.position(inclusion.start).line}"
            try:
                path = _included_path(inclusion, parent, folder)
                if path is None or path.resolve() in seen:
                    continue
                seen.add(path.resolve())
                part = read(path)
            except (CiteLoomError, ValueError) as error:
                warnings.append(f"{location}: not read: {error}")
                continue
            parts.append(part)
            warnings.extend(part.warnings)
            follow(part)

    follow(draft)
    return draft.model_copy(update={"parts": tuple(parts), "warnings": tuple(warnings)})


def _included_path(inclusion: Inclusion, parent: Draft, folder: Path) -> Path | None:
    """None for a file that is not prose. Raises ValueError for one that cannot or must not be
    read."""
    name = inclusion.name.strip().strip('"')
    if not name or set(name) & set("\\#{}$"):
        raise ValueError(f"“{name}” is made by a command; verify that file by itself")
    suffixes = SUFFIXES.get(parent.format, ())
    here, candidates = folder.resolve(), list(_candidates(name, parent, folder))
    inside = [p for p in candidates if p.resolve().is_relative_to(here)]
    path = next((p for p in inside if p.is_file()), None)
    if path is None:
        if Path(name).suffix and Path(name).suffix.lower() not in suffixes:
            return None
        if len(inside) < len(candidates):
            raise ValueError(f"{name} lies outside the folder of the draft; verify it by itself")
        raise ValueError(f"{name} is not there")
    return path if path.suffix.lower() in suffixes else None


def _candidates(name: str, parent: Draft, folder: Path) -> Iterator[Path]:
    """Candidate paths. LaTeX looks in the folder of the draft, first with ``.tex`` appended; then,
    as Typst and Quarto do first, beside the including file."""
    bases = [folder, Path(parent.path).parent]
    for base in bases if parent.format == "latex" else bases[::-1]:
        if parent.format == "latex":
            yield base / f"{name}.tex"
        yield base / name.removeprefix("/") if parent.format == "typst" else base / name
