"""Output: JSON, tables, text, and next steps in words.

Tables as lines of text: in columns where they fit, else one block of lines a row. Words and paths
are not torn: a line ends at a blank, or after a slash of a path. Without a width no line is
wrapped. No line ends with blanks.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain import messages
from citeloom.domain.messages import Action, NextStep

from .terminal import (
    cell_len,
    chop_cells,
    json_escaped,
    print_bytes,
    print_line,
    printable,
    printable_line,
    quoted,
    shell_elsewhere,
    stream,
    styled,
)

NEXT_STEPS: Mapping[Action, str] = {
    Action.ADD_AGAIN: "for the same person add --again",
    Action.ADD_DOCUMENTS: "add documents with `citeloom ingest {path} --project {project}`",
    Action.ADD_REFERENCES: "run `citeloom ingest --references FILE --project {project}`",
    Action.ADD_TEXT: "add its PDF with `citeloom ingest FILE --project {project}`",
    Action.ADD_WORK: "add the work with `citeloom add {path}`",
    Action.ALLOW_STALE: "or pass --allow-stale to cut from the file as it is",
    Action.CANCEL_SESSION: "wait, or run `citeloom session cancel {session}`",
    Action.CHOOSE_PROJECT: "name one with --project, or make one the default with "
    "`citeloom project use NAME`",
    Action.CREATE_PROJECT: "make one with `citeloom ingest {path}`",
    Action.CUT_EXACTLY: "try it with --exact",
    Action.DELETE_PROJECT: "or delete it with `citeloom project delete {project}`",
    Action.DROP_COPIES: "delete them: `citeloom project move {project} --to PLACE --drop-old`",
    Action.DROP_MODEL: "run `citeloom models drop {model} --project {project}`",
    Action.FETCH_MODEL: "fetch it with `citeloom models fetch {model}`",
    Action.FREE_SPACE: "free some space and run the same command again; what was stored is kept",
    Action.GIVE_PASSWORD: "pass it with --password or CITELOOM_PASSWORD, or set pdf.passwords in "
    "citeloom.toml",
    Action.IDENTIFY: "look them up with `citeloom identify --all --project {project}`, which asks "
    "public services, or run `citeloom ingest --references FILE --project {project}`",
    Action.INGEST_AGAIN: "run `citeloom ingest` again with --force",
    Action.KEEP_OWN: "--force keeps the change as your own here",
    Action.LIST_MAPS: "`citeloom list` shows the maps, `citeloom map {path}` makes one",
    Action.LIST_MODELS: "`citeloom models list` has their names",
    Action.LIST_SESSIONS: "`citeloom session list` shows the sessions",
    Action.LIST_TAGS: "see `citeloom zotero tags`",
    Action.LIST_UNCITED: "add --uncited to list facts without a citation",
    Action.LOCATE_LIBRARY: "if you use Zotero, set zotero.data_dir or --data-dir to its Data "
    "Directory Location (in Zotero's settings: Advanced, Files and Folders)",
    Action.LOCATE_ONLY: "use --virtual",
    Action.MAKE_WRITABLE: "make it writable, or choose another folder with `--workspace` or "
    "CITELOOM_WORKSPACE",
    Action.MAP_FILE: "run `citeloom map {path}`",
    Action.MIGRATE_MODEL: "to change the model, run "
    "`citeloom project migrate {project} --model {model}`",
    Action.OPTIMIZE: "run `citeloom project optimize {project}`",
    Action.REPAIR: "run `citeloom validate --project {project} --repair`",
    Action.REPLACE: "if not, add --replace to remove them",
    Action.RESTORE: "run `citeloom restore {path}`",
    Action.RESTORE_SESSION: "`citeloom session restore {session}` brings it back",
    Action.RESUME_SESSION: "continue it with `citeloom session resume {session}`",
    Action.SEARCH_BY_MEANING: "use `--mode dense`",
    Action.SET_JUDGE: "a model of your own could decide more: set verify.judge, as described in "
    "docs/language-models.md",
    Action.SET_LANGUAGE_MODEL: "set llm.url and llm.model for an answer in sentences, as described "
    "in docs/language-models.md",
    Action.SHOW_SESSION: "`citeloom session show {session}` shows its report",
    Action.USE_MODEL: "run `citeloom models use {model} --project {project}`",
}
_REPAIR_ALL = "run `citeloom validate --repair`"
_PLACEHOLDERS: Mapping[str, str] = {
    "project": "NAME",
    "path": "PATH",
    "model": "MODEL",
    "session": "ID",
}


def in_words(sentence: str) -> str:
    """A sentence and its next command, if any."""
    return messages.in_words(sentence, _command)


def _command(step: NextStep) -> str:
    from .run import in_this_shell

    if step.action is Action.REPAIR and step.project is None:
        return in_this_shell(_REPAIR_ALL)
    values = {name: quoted(value) for name, value in step.arguments.items()}
    return in_this_shell(NEXT_STEPS[step.action].format_map({**_PLACEHOLDERS, **values}))


_GAP: Final = "  "
# A column of running text is not made narrower, in characters.
_NARROWEST: Final = 24
_UNIT: Final = re.compile(r"\s+|[^\s/]*/+|[^\s/]+")


def table_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    """``rows`` below their headings, at most ``width`` cells wide. Where columns are too narrow
    for that, each row is a block of lines, one for each value but ``-`` and nothing."""
    widths = _widths([columns, *rows], width)
    if widths is None:
        yield from _blocks(columns, rows, width)
        return
    yield from _lines_of(columns, widths)
    yield _GAP.join("─" * one for one in widths)
    for row in rows:
        yield from _lines_of(row, widths)


def _lines_of(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    cells = [wrapped(cell, one) for cell, one in zip(row, widths, strict=True)]
    return (_row(line, widths) for line in zip_longest(*cells, fillvalue=""))


def fitted(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None,
    cut: Mapping[str, int],
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The table with one line a row: the columns of ``cut`` are cut to no less than their numbers
    of cells, the widest first; while that is not enough, the first of them is left out."""
    if width is None:
        return columns, rows
    natural = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    widths = dict(zip(columns, natural, strict=True))
    room = width - len(_GAP) * (len(columns) - 1)
    while sum(widths.values()) > room:
        name = max(cut, key=lambda one: widths.get(one, 0) - cut[one])
        if widths.get(name, 0) > cut[name]:
            widths[name] -= 1
        elif out := next((one for one in cut if one in widths), None):
            kept = [number for number, one in enumerate(columns) if one != out]
            picked = [[row[number] for number in kept] for row in rows]
            return fitted([columns[number] for number in kept], picked, width, cut)
        else:
            break
    return columns, [
        [cut_to(cell, widths[name]) for name, cell in zip(columns, row, strict=True)]
        for row in rows
    ]


def cut_to(text: str, width: int | None) -> str:
    """A text in at most ``width`` cells; the last is an ellipsis where some are left out."""
    if width is None or cell_len(text) <= width:
        return text
    return f"{chop_cells(text, max(width - 1, 1))[0].rstrip()}…"


def pair_lines(pairs: Iterable[Sequence[str]], width: int | None) -> Iterator[str]:
    """Names and values in two columns, the values wrapped."""
    rows = list(pairs)
    names = max((cell_len(name) for name, _ in rows), default=0)
    rest = None if width is None else max(width - names - len(_GAP), _NARROWEST)
    for name, value in rows:
        for number, line in enumerate(wrapped(value, rest) or [""]):
            yield _row(["" if number else name, line], [names, 0])


def wrapped(text: str, width: int | None) -> list[str]:
    """Lines of at most ``width`` cells; a longer word is cut. At least one line."""
    if width is None or cell_len(text) <= width:
        return [text]
    lines = [""]
    for unit in _UNIT.findall(text):
        if cell_len(lines[-1] + unit.rstrip()) <= width:
            lines[-1] += unit
            continue
        if unit.isspace():
            continue
        if not lines[-1].strip():
            lines.pop()
        lines += chop_cells(unit, width)
    return [line.rstrip() for line in lines]


def _widths(rows: Sequence[Sequence[str]], width: int | None) -> list[int] | None:
    """Widths of the columns; None where they do not fit."""
    natural = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    if width is None:
        return natural
    least = [
        max(min(full, _NARROWEST), *(_longest_word(cell) for cell in column))
        for full, column in zip(natural, zip(*rows, strict=True), strict=True)
    ]
    room = width - len(_GAP) * (len(natural) - 1)
    if sum(least) > room:
        return None
    widths = list(natural)
    while (excess := sum(widths) - room) > 0:
        number = max(range(len(widths)), key=lambda n: widths[n] - least[n])
        widths[number] -= min(excess, max(1, (widths[number] - least[number]) // 2))
    return widths


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in text.split()), default=0)


def _blocks(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number:
            yield ""
        told = [
            (name, value)
            for name, value in zip(columns, row, strict=True)
            if value not in ("", "-")
        ]
        yield from pair_lines(told, width)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return _GAP.join(padded).rstrip()


if TYPE_CHECKING:
    from rich.text import Text

    Styled = tuple[str, str]

# No paragraph is longer, in cells.
_UNWRAPPED: Final = 1_000_000
# Lines of a console that another process draws for: nothing is drawn by height.
_HEIGHT: Final = 25


def print_json(document: Any) -> None:
    """One JSON document on stdout, UTF-8 whatever the terminal's encoding is."""
    print_bytes(json_bytes(document))


def json_bytes(document: Any) -> bytes:
    """A JSON document as ``print_json`` prints it and files hold it."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    return _in_ascii_controls(orjson.dumps(_plain(document), option=options))


def print_json_lines(documents: Iterable[Any]) -> None:
    import orjson

    for document in documents:
        print_bytes(_in_ascii_controls(orjson.dumps(_plain(document)) + b"\n"))


def print_text(text: str) -> None:
    """A text of several lines on stdout, UTF-8 whatever the terminal's encoding is."""
    print_bytes(printable(text).encode("utf-8") + b"\n")


def print_prose(text: str) -> None:
    """A Markdown text on stdout; in a terminal its paragraphs end their lines at words, tables
    and code keep theirs."""

    width, in_code = line_width() if stream().isatty() else None, False
    lines = []
    for line in printable(text).split("\n"):
        fence = line.startswith("```")
        in_code ^= fence
        lines += [line] if in_code or fence or line.startswith("|") else wrapped(line, width)
    print_text("\n".join(lines))


def print_table(
    title: str | None,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    cut: Mapping[str, int] | None = None,
) -> None:
    """A table on stdout, at most as wide as the terminal; names and values where the columns have
    no headings. ``cut`` keeps each row on one line, as ``fitted`` has it."""

    width = line_width()
    cells: Sequence[Sequence[str]] = [[printable_line(cell) for cell in row] for row in rows]
    if cut:
        columns, cells = fitted(columns, cells, width, cut)
    for line in wrapped(printable_line(title), width) if title else ():
        print_line(line)
    lines = table_lines(columns, cells, width) if any(columns) else pair_lines(cells, width)
    for line in lines:
        print_line(line)


def line_width() -> int | None:
    """Columns of the terminal, or of ``COLUMNS``; None if stdout is not a terminal, because files
    and programs get unwrapped text."""
    shell = shell_elsewhere()
    columns = (shell.variables if shell else os.environ).get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if shell:
        return shell.columns
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_styled(out: Any, *parts: "Styled", indent: int = 0, right: int = 0) -> None:
    """One paragraph on a console, of texts and their styles; whatever is in them, it has no lines
    of its own."""
    print_padded(out, styled_text(*parts), indent=indent, right=right)


def print_padded(out: Any, text: "Text", *, indent: int = 0, right: int = 0) -> None:
    from rich.padding import Padding

    padding = (0, right, 0, indent)
    out.print(Padding(text, padding, expand=False) if indent or right else text)


def styled_text(*parts: "Styled") -> "Text":
    """A rich text on one line, of texts and their styles."""
    from rich.text import Text

    return Text.assemble(*((printable_line(text), style) for text, style in parts))


def console(*, stderr: bool = False) -> Any:
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        """A console that draws printable text only; escapes come from its own styles."""

        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*arguments, **options):
                if segment.control:
                    yield segment
                else:
                    yield Segment(printable(segment.text), segment.style)

    file, shell = styled(stderr=stderr), shell_elsewhere()
    # rich asks the terminal of this process itself, again when its size changes.
    width = None if file.isatty() and not shell else line_width() or _UNWRAPPED
    console = PrintableConsole(
        file=file, highlight=False, width=width, _environ=shell.variables if shell else os.environ
    )
    if width is not None:
        console.height = _HEIGHT
    return console


def _in_ascii_controls(document: bytes) -> bytes:
    """JSON whose control characters beyond ASCII are written as escapes too. They occur in
    strings only, where the two mean the same."""
    return json_escaped(document.decode()).encode()


def _plain(document: Any) -> Any:
    if hasattr(document, "model_dump"):
        return document.model_dump(mode="json", context=in_words)
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_plain(item) for item in document]
    return document
