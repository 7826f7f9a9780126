"""The entries of a BibTeX file, however bad some of them are.

pybtex reads the entries, one at a time: where a brace is missing, BibTeX's grammar swallows
all that follows. So the file is cut where a line begins like an entry, and pieces are put
together again where that line stood in a field.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pybtex.database.input.bibtex import LowLevelParser, month_names
from pybtex.scanner import Literal, Pattern, PrematureEOF, PybtexSyntaxError, Token

_START = re.compile(r"^[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]", re.MULTILINE)
_COMMAND = re.compile(r"@\s*[A-Za-z]+\s*[{(]")
_KEYLESS = re.compile(r"\A(\s*@\s*[A-Za-z]+\s*[{(])(?=\s*,)")
_NO_KEY = "\x1a"
# A field begins on the line after one that ends none.
_LOOKS_LIKE_FIELD = re.compile(
    r"^(?![ \t]*@[^=\n]*$|[ \t]*[\w-]+[ \t]*=[ \t]*\w+[ \t]*,?[ \t]*$|.*[}\"][ \t]*,?[ \t]*$)"
    r"[ \t]*\S.*\n[ \t]*[A-Za-z]+[ \t]*=[ \t]*[{\"\d]",
    re.MULTILINE,
)
_BRACE = re.compile(r"[{}]")
_BRACE_OR_QUOTE = re.compile(r'["{}]')
# How many pieces, and how many characters, a field with such lines in it may take.
_MOST_PIECES, _LONGEST_ENTRY = 6, 200_000
_NOT_ENTRIES = frozenset({"string", "preamble", "comment"})


class BibEntry(NamedTuple):
    """``kind`` and the names of ``fields`` are in lower case; ``key`` may be empty, values are
    as written but for blanks. ``line`` counts from 1."""

    kind: str
    key: str
    fields: dict[str, str]
    line: int


class BibFile(NamedTuple):
    entries: list[BibEntry]
    warnings: list[str]


class _Failure(NamedTuple):
    """Where and why pybtex gave up; ``is_open`` if the text ended before the entry did."""

    line: int
    key: str
    reason: str
    is_open: bool


class _Parser(LowLevelParser):  # type: ignore[misc]
    """pybtex's, with names of macros that nobody defined standing for themselves, and a search
    for the end of a text that looks at each character once."""

    def __init__(self, text: str, macros: dict[str, str], unknown: dict[str, int]) -> None:
        super().__init__(text, macros=macros)
        self.pos: int = 0
        self.failure: _Failure | None = None
        self._unknown = unknown

    def handle_error(self, error: PybtexSyntaxError) -> None:
        if self.failure is None and _COMMAND.match(self.text, self.command_start):
            reason = error.args[0] if error.args else str(error)
            is_open = isinstance(error, PrematureEOF)
            line = self.text.count("\n", 0, self.command_start) + 1 if is_open else error.lineno
            key = (self.current_entry_key or "").strip(_NO_KEY)
            self.failure = _Failure(line, key, reason, is_open)

    def substitute_macro(self, name: str) -> str:
        value: str | None = self.macros.get(name.lower())
        if value is None and (self.current_field_name or "").lower() != "month":
            self._unknown.setdefault(name, self.lineno)
        return name if value is None else value

    def parse_string_body(self, body_end: Literal) -> None:
        super().parse_string_body(body_end)
        name = self.current_field_name
        self.macros[name.lower()] = self.macros.pop(name)

    def skip_to(self, patterns: list[Pattern]) -> Token | None:
        if self.LBRACE not in patterns:
            found: Token | None = super().skip_to(patterns)
            return found
        either = _BRACE_OR_QUOTE if self.QUOTE in patterns else _BRACE
        match = either.search(self.text, self.pos)
        if match is None:
            return None
        value = self.text[self.pos : match.end()]
        self.pos = match.end()
        self.update_lineno(value)
        kinds = {"{": self.LBRACE, "}": self.RBRACE, '"': self.QUOTE}
        return Token(value, kinds[match.group()])


def read_entries(text: str) -> BibFile:
    """All that can be read of ``text`` (line ends are ``\\n``); a warning for each entry that
    cannot, or in part, with its line."""
    pieces = list(_pieces(text))
    macros: dict[str, str] = dict(month_names)
    found = BibFile([], [])
    unknown: dict[str, int] = {}
    at = 0
    while at < len(pieces):
        start, end, line = pieces[at]
        entries, failure = _parsed(text[start:end], line, macros, unknown)
        taken = 1
        if failure and failure.is_open:
            for more in range(2, _MOST_PIECES + 1):
                if at + more > len(pieces) or pieces[at + more - 1][1] - start > _LONGEST_ENTRY:
                    break
                longer = text[start : pieces[at + more - 1][1]]
                if longer.count("{") != longer.count("}"):
                    continue
                again, still = _parsed(longer, line, dict(macros), {})
                if still is None and len(again) == 1:
                    entries, failure, taken = again, None, more
                    break
        if failure and failure.is_open and not _LOOKS_LIKE_FIELD.search(text, start, end):
            closed, still = _parsed(text[start:end] + "}", line, dict(macros), {})
            entries = entries if still else closed
        found.entries.extend(entries)
        if failure:
            found.warnings.append(_warning(failure, entries))
        at += taken
    if unknown:
        names = ", ".join(f"{name} (line {line})" for name, line in list(unknown.items())[:3])
        more_names = ", …" if len(unknown) > 3 else ""
        found.warnings.append(f"no @string says what is meant by {names}{more_names}; taken as is")
    return found


def _warning(failure: _Failure, entries: list[BibEntry]) -> str:
    reason = "a brace or quote is not closed" if failure.is_open else failure.reason
    where = f"line {failure.line}" + (f", entry {failure.key}" if failure.key else "")
    is_kept = any(entry.key == failure.key for entry in entries)
    return f"{where}: {reason}; {'the rest of it' if is_kept else 'the entry'} is left out"


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """Begin, end and line of what may be an entry; comments are left out, with what is in
    them."""
    starts = [(found.start(), found[1].lower(), found.end()) for found in _START.finditer(text)]
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
    """The place after the brace that closes the one before ``at``."""
    depth = 1
    for found in _BRACE.finditer(text, at):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    return None


def _parsed(
    text: str, line: int, macros: dict[str, str], unknown: dict[str, int]
) -> tuple[list[BibEntry], _Failure | None]:
    parser = _Parser(_KEYLESS.sub(rf"\1{_NO_KEY}", text, count=1), macros, unknown)
    entries: list[BibEntry] = []
    before = dict(unknown)
    commands: Iterator[Any] = iter(parser)
    while True:
        begun = parser.lineno
        try:
            command, content = next(commands)
        except StopIteration:
            break
        kind = command.lower()
        if kind not in _NOT_ENTRIES and content[0] is not None:
            key, fields = content
            named: dict[str, str] = {}
            for name, values in fields:
                if value := " ".join("".join(values).split()):
                    named.setdefault(name.lower(), value)
            begun += parser.text.count("\n", 0, parser.command_start) - (begun - 1)
            if named or not parser.failure:
                entries.append(BibEntry(kind, key.strip(_NO_KEY), named, line + begun - 1))
        if parser.failure:
            break
    for name in unknown.keys() - before.keys():
        unknown[name] += line - 1
    failure = parser.failure
    return entries, failure._replace(line=failure.line + line - 1) if failure else None
