"""Reader of BibTeX and BibLaTeX files.

BibTeX entries, parsed by pybtex with recovery from malformed ones, and what they inherit. Where a
brace is missing, BibTeX's grammar swallows the rest of the file. So the file is cut at lines that
begin like an entry and each piece is parsed separately; pieces are joined again where such a line
was in a field.
"""

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from pybtex.bibtex.utils import split_tex_string
from pybtex.database.input.bibtex import LowLevelParser, month_names
from pybtex.scanner import Literal, Pattern, PrematureEOF, PybtexSyntaxError, Token

from citeloom.infrastructure.references.fields.latex_reader import from_latex
from citeloom.infrastructure.references.formats.csl import labels
from citeloom.infrastructure.references.formats.source_item import Remark, SourceItem, warnings_of

from .fields import NOT_WORKS, csl_of, paths_of

_START = re.compile(r"^[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]", re.MULTILINE)
_COMMAND = re.compile(r"@\s*[A-Za-z]+\s*[{(]")
_KEYLESS = re.compile(r"\A(\s*@\s*[A-Za-z]+\s*[{(])(?=\s*,)")
_BRACED_KEY = re.compile(r"\A(\s*@\s*[A-Za-z]+\s*[{(]\s*[^\s,{}=\"]*)\{([^{},\s]*)\}(?=\s*,)")
_NO_KEY = "\x1a"
# A field that begins on the line after an unfinished one.
_LOOKS_LIKE_FIELD = re.compile(
    r"^(?![ \t]*@[^=\n]*$|[ \t]*[\w-]+[ \t]*=[ \t]*\w+[ \t]*+,?[ \t]*$|.*[}\"][ \t]*+,?[ \t]*$)"
    r"[ \t]*\S.*\n[ \t]*[A-Za-z]+[ \t]*=[ \t]*[{\"\d]",
    re.MULTILINE,
)
_BRACE = re.compile(r"[{}]")
_BRACE_OR_QUOTE = re.compile(r'["{}]')
# Limits of an entry with such lines in a field: pieces and characters.
_MAX_PIECES, _MAX_ENTRY = 6, 200_000
_NOT_ENTRIES = frozenset({"string", "preamble", "comment"})
# Characters that strings, and then parents, may add to a file: so many, and its length so many
# times. A string of two others doubles with each line.
_ADDED, _ADDED_TIMES = 1_000_000, 4


class BibEntry(NamedTuple):
    """``kind`` and the names of ``fields`` are lower case; ``key`` may be empty, values are as
    written with normalized white space. ``line`` counts from 1."""

    kind: str
    key: str
    fields: dict[str, str]
    line: int


class BibFile(NamedTuple):
    entries: list[BibEntry]
    remarks: list[Remark]
    unknown: list[str]


class _Failure(NamedTuple):
    """Line and reason of a parse error; ``is_open`` if the text ended within the entry,
    ``is_quoted`` within braces or quotes of a value."""

    line: int
    key: str
    reason: str
    is_open: bool
    is_quoted: bool


class _Strings:
    """``values`` of macros by lower-case name, and the lines of ``unknown`` ones; ``left`` counts
    the characters that they may still add."""

    def __init__(self, length: int) -> None:
        self.values: MutableMapping[str, str] = dict(month_names)
        self.unknown: dict[str, int] = {}
        self.left = _ADDED + _ADDED_TIMES * length

    def trial(self) -> "_Strings":
        """These, for an entry that is read to see whether it ends."""
        tried = _Strings(0)
        tried.values, tried.left = ChainMap({}, self.values), self.left
        return tried


class _Parser(LowLevelParser):  # type: ignore[misc]
    """pybtex's parser, with undefined macros standing for themselves, and a search for the end of a
    text in linear time. ``line`` is the first of ``text`` in its file."""

    def __init__(self, text: str, line: int, strings: _Strings) -> None:
        super().__init__(text, macros=strings.values)
        self.pos: int = 0
        self.lineno: int = line
        self.failure: _Failure | None = None
        self._strings = strings
        self._counted, self._command_line, self._is_quoted = 0, line, False

    def command_line(self) -> int:
        """The line of the command that is read, or was last."""
        self._command_line += self.text.count("\n", self._counted, self.command_start)
        self._counted = self.command_start
        return self._command_line

    def handle_error(self, error: PybtexSyntaxError) -> None:
        if self.failure is None and _COMMAND.match(self.text, self.command_start):
            reason = error.args[0] if error.args else str(error)
            is_open = isinstance(error, PrematureEOF)
            line = self.command_line() if is_open else error.lineno
            key = (self.current_entry_key or "").strip(_NO_KEY)
            self.failure = _Failure(line, key, reason, is_open, self._is_quoted)

    def substitute_macro(self, name: str) -> str:
        value: str | None = self.macros.get(name.lower())
        self._strings.left -= len(value or "")
        if self._strings.left < 0:  # an unknown one may be one that was refused
            raise PybtexSyntaxError(
                "the strings of this file, written out, are too long; shorten the @string", self
            )
        if value is None and (self.current_field_name or "").lower() != "month":
            self._strings.unknown.setdefault(name, self.lineno)
        return name if value is None else value

    def parse_string_body(self, body_end: Literal) -> None:
        super().parse_string_body(body_end)
        name = self.current_field_name
        self.macros[name.lower()] = self.macros.pop(name)

    def skip_to(self, patterns: list[Pattern]) -> Token | None:
        if self.LBRACE not in patterns:
            token: Token | None = super().skip_to(patterns)
            return token
        either = _BRACE_OR_QUOTE if self.QUOTE in patterns else _BRACE
        match = either.search(self.text, self.pos)
        if match is None:
            self._is_quoted = True
            return None
        value = self.text[self.pos : match.end()]
        self.pos = match.end()
        self.update_lineno(value)
        literals = {"{": self.LBRACE, "}": self.RBRACE, '"': self.QUOTE}
        return Token(value, literals[match.group()])


def read_entries(text: str) -> BibFile:
    """All readable entries of ``text`` (line ends are ``\\n``), and a remark with its line for
    each entry that is unreadable or incomplete."""
    pieces = list(_pieces(text))
    strings = _Strings(len(text))
    file = BibFile([], [], [])
    index = 0
    while index < len(pieces):
        start, end, line = pieces[index]
        entries, failure = _parse(text[start:end], line, strings)
        consumed = 1
        if failure and failure.is_quoted and (joined := _joined(text, pieces, index, strings)):
            entries, failure, consumed = [joined[0]], None, joined[1]
        if failure and failure.is_open and not _LOOKS_LIKE_FIELD.search(text, start, end):
            closed, remaining_failure = _parse(text[start:end] + "}", line, strings.trial())
            entries = entries if remaining_failure else closed
        file.entries.extend(entries)
        if failure:
            file.remarks.append(_remark(failure, entries))
        index += consumed
    if unknown := strings.unknown:
        names = ", ".join(f"{name} (line {line})" for name, line in list(unknown.items())[:3])
        more_names = ", …" if len(unknown) > 3 else ""
        file.unknown.append(f"no @string defines {names}{more_names}; kept as written")
    return file


def _joined(
    text: str, pieces: list[tuple[int, int, int]], index: int, strings: _Strings
) -> tuple[BibEntry, int] | None:
    """The entry that the pieces from ``index`` make together, and their number."""
    start, counted, line = pieces[index]
    depth = text.count("{", start, counted) - text.count("}", start, counted)
    for more in range(2, _MAX_PIECES + 1):
        if index + more > len(pieces) or (end := pieces[index + more - 1][1]) - start > _MAX_ENTRY:
            return None
        depth += text.count("{", counted, end) - text.count("}", counted, end)
        counted = end
        if depth == 0:
            entries, failure = _parse(text[start:end], line, strings.trial())
            if failure is None and len(entries) == 1:
                return entries[0], more
            if failure and not failure.is_quoted:
                return None  # as each longer text
    return None


def _remark(failure: _Failure, entries: list[BibEntry]) -> Remark:
    reason = "a brace or quote is not closed" if failure.is_open else failure.reason
    location = f"line {failure.line}" + (f", entry {failure.key}" if failure.key else "")
    is_partial = any(entry.key == failure.key for entry in entries)
    return Remark(
        location, f"{reason}; {'the rest of it' if is_partial else 'the entry'} is left out"
    )


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and line of possible entries; comments are skipped with their content."""
    starts = [(match.start(), match[1].lower(), match.end()) for match in _START.finditer(text)]
    may_close = True
    line, counted, skip_to = 1, 0, 0
    if not starts:
        starts = [(0, "", 0)]
    for number, (start, command, body) in enumerate(starts):
        if start < skip_to:
            continue
        end = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        if command == "comment":
            closing = _closing(text, body) if may_close and text[body - 1] == "{" else None
            may_close = closing is not None
            skip_to = closing or 0
            continue
        line += text.count("\n", counted, start)
        counted = start
        yield start, end, line


def _closing(text: str, at: int) -> int | None:
    """Position after the brace that closes the one before ``at``."""
    depth = 1
    for match in _BRACE.finditer(text, at):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.end()
    return None


def _parse(text: str, line: int, strings: _Strings) -> tuple[list[BibEntry], _Failure | None]:
    text = _KEYLESS.sub(rf"\1{_NO_KEY}", _BRACED_KEY.sub(r"\1\2", text, count=1), count=1)
    parser = _Parser(text, line, strings)
    entries: list[BibEntry] = []
    commands: Iterator[Any] = iter(parser)
    while not parser.failure and (found := next(commands, None)):
        command, content = found
        kind = command.lower()
        if kind not in _NOT_ENTRIES and content[0] is not None:
            key, fields = content
            by_name: dict[str, str] = {}
            for name, values in fields:
                if value := " ".join("".join(values).split()):
                    by_name.setdefault(name.lower(), value)
            if by_name or not parser.failure:
                entries.append(BibEntry(kind, key.strip(_NO_KEY), by_name, parser.command_line()))
    return entries, parser.failure


# BibLaTeX manual, appendix B: names of parents' fields in their children.
_AS_BOOK = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}
_AS_MAIN = {"title": "maintitle", "subtitle": "mainsubtitle", "titleaddon": "maintitleaddon"}
_AS_JOURNAL = {"title": "journaltitle", "subtitle": "journalsubtitle"}
_RENAMED = {
    **dict.fromkeys(("book", "collection", "reference", "proceedings"), _AS_BOOK),
    **dict.fromkeys(("mvbook", "mvcollection", "mvreference", "mvproceedings"), _AS_MAIN),
    "periodical": _AS_JOURNAL,
}
_IN_VOLUMES = frozenset({"book", "collection", "reference", "proceedings"})
_IN_BOOK = frozenset({"inbook", "bookinbook", "suppbook"})
_NOT_INHERITED = frozenset(
    """
        ids crossref xref xdata entryset entrysubtype execute label options presort related
        relatedoptions relatedstring relatedtype shortauthor shorteditor shorthand shorttitle
        sorttitle indextitle indexsorttitle shortjournal file keywords abstract annotation groups
    """.split()
)
# Maximum length of a chain of parents.
_MAX_DEPTH = 8


class EntryInheritance:
    """Entries by key, each completed by its inherited fields."""

    def __init__(self, entries: list[BibEntry]) -> None:
        self._by_key: dict[str, BibEntry] = {}
        for entry in entries:
            self._by_key.setdefault(entry.key, entry)
        self._by_lower = {key.lower(): entry for key, entry in self._by_key.items()}
        self._complete: dict[int, dict[str, str]] = {}
        own = sum(len(value) for entry in entries for value in entry.fields.values())
        self._left = _ADDED + _ADDED_TIMES * own
        #: Entries that inherit nothing: all together would inherit too much.
        self.cut: list[BibEntry] = []

    def fields(self, entry: BibEntry) -> Mapping[str, str]:
        """Fields of ``entry``, completed by those of its ``xdata`` and its ``crossref``."""
        return self._fields(entry, 0)

    def missing(self, entry: BibEntry) -> str | None:
        """A key that ``entry`` refers to and no entry has."""
        return next((key for key in _parents(entry) if self._find(key) is None), None)

    def _fields(self, entry: BibEntry, depth: int) -> dict[str, str]:
        if (completed := self._complete.get(id(entry))) is not None:
            return completed
        fields = dict(entry.fields)
        # A parent that refers back finds the entry's own fields.
        self._complete[id(entry)] = fields
        if depth < _MAX_DEPTH:
            for key in dict.fromkeys(_keys(fields.get("xdata", ""))):
                if parent := self._find(key):
                    for name, value in self._charged(self._fields(parent, depth + 1).items()):
                        if name not in ("xdata", "crossref", "ids"):
                            fields.setdefault(name, value)
            if parent := self._find(fields.get("crossref", "").strip()):
                for name, value in self._charged(self._inherited(parent, entry.kind, depth)):
                    fields.setdefault(name, value)
            if self._left < 0 and _parents(entry):
                fields.clear()
                fields |= entry.fields
                self.cut.append(entry)
        return fields

    def _charged(self, fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for name, value in fields:
            self._left -= len(name) + len(value)
            if self._left < 0:
                return
            yield name, value

    def _inherited(self, parent: BibEntry, child: str, depth: int) -> list[tuple[str, str]]:
        if self._left < 0:
            return []
        names = _RENAMED.get(parent.kind, {})
        if names is _AS_MAIN and child not in _IN_VOLUMES:
            names = _AS_BOOK
        if parent.kind == child:
            names = {}
        inheritable = [
            (name, value)
            for name, value in self._fields(parent, depth + 1).items()
            if name not in _NOT_INHERITED
        ]
        if parent.kind in ("book", "mvbook") and child in _IN_BOOK:
            inheritable += [
                ("bookauthor", value) for name, value in inheritable if name == "author"
            ]
        own = set(inheritable)
        # A parent's own booktitle goes before its title: BibTeX's way to name it for children.
        return sorted(
            ((names.get(name, name), value) for name, value in inheritable),
            key=lambda field: field not in own,
        )

    def _find(self, key: str) -> BibEntry | None:
        return self._by_key.get(key) or self._by_lower.get(key.lower()) if key else None


def _parents(entry: BibEntry) -> list[str]:
    crossref = entry.fields.get("crossref", "").strip()
    return [*_keys(entry.fields.get("xdata", "")), *([crossref] if crossref else [])]


def _keys(text: str) -> list[str]:
    return [key for part in text.split(",") if (key := part.strip())]


def read_bib(text: str) -> tuple[list[SourceItem], tuple[str, ...]]:
    """The items of a BibTeX or BibLaTeX file, and warnings by line.

    ``xdata`` and ``crossref`` are resolved; tags come from ``keywords``, collections from
    ``groups`` (of JabRef and Mendeley), files from ``file``.
    """
    file = read_entries(text)
    remarks = file.remarks
    relations = EntryInheritance(file.entries)
    items: list[SourceItem] = []
    for entry in file.entries:
        if entry.kind in NOT_WORKS:
            continue
        if (missing := relations.missing(entry)) is not None:
            remarks.append(
                Remark(
                    _location(entry),
                    "refers to an entry that is not in the file; add it, or what is inherited from "
                    "it is missing",
                    f"refers to {missing}, which is not in the file; add it, or what is inherited "
                    "from it is missing",
                )
            )
        items.append(_item(entry, relations.fields(entry)))
    remarks += [
        Remark(
            _location(entry),
            "the inherited fields of this file are too long, so nothing is inherited: "
            "write them into the entry",
        )
        for entry in relations.cut
    ]
    return items, (*warnings_of(remarks), *file.unknown)


def _location(entry: BibEntry) -> str:
    return f"line {entry.line}, entry {entry.key}"


def _item(entry: BibEntry, fields: Mapping[str, str]) -> SourceItem:
    return SourceItem(
        csl=csl_of(entry.kind, entry.key, fields),
        files=tuple(_files(fields)),
        tags=_labels(fields, "keywords", "mendeley-tags"),
        collections=_labels(fields, "groups", "mendeley-groups"),
        line=entry.line,
    )


def _files(fields: Mapping[str, str]) -> Iterator[str]:
    for name in ("file", "pdf", "localfile"):
        if name in fields:
            yield from paths_of(fields[name])


def _labels(fields: Mapping[str, str], *names: str) -> tuple[str, ...]:
    parts = (label for name in names if name in fields for label in _split(fields[name]))
    return tuple(dict.fromkeys(parts))


def _split(text: str) -> tuple[str, ...]:
    """Keywords, separated by semicolons, or by commas outside of braces.

    Better BibTeX separates by bare commas, and writes a semicolon for a comma in a tag.
    """
    if ";" not in text or re.search(r",(?! )", text):
        parts = [part.replace("; ", ", ") for part in split_tex_string(text, ",")]
    else:
        parts = text.split(";")
    return labels([from_latex(part) if "\\" in part else part.strip(" {}") for part in parts])
