"""Output: JSON, tables and text."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from citeloom.infrastructure.cli.shared.terminal import (
    json_escaped,
    print_bytes,
    print_line,
    printable,
    printable_line,
    styled,
)

if TYPE_CHECKING:
    from rich.text import Text

    Styled = tuple[str, str]

# No paragraph is longer, in cells.
_UNWRAPPED: Final = 1_000_000


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
    from citeloom.infrastructure.cli.shared.tables import wrapped

    width, in_code = line_width() if sys.stdout.isatty() else None, False
    lines = []
    for line in printable(text).split("\n"):
        fence = line.startswith("```")
        in_code ^= fence
        lines += [line] if in_code or fence or line.startswith("|") else wrapped(line, width)
    print_text("\n".join(lines))


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout, at most as wide as the terminal; names and values where the columns
    have no headings."""
    from citeloom.infrastructure.cli.shared.tables import pair_lines, table_lines, wrapped

    width = line_width()
    cells = [[printable_line(cell) for cell in row] for row in rows]
    for line in wrapped(printable_line(title), width) if title else ():
        print_line(line)
    lines = table_lines(columns, cells, width) if any(columns) else pair_lines(cells, width)
    for line in lines:
        print_line(line)


def line_width() -> int | None:
    """Columns of the terminal, or of ``COLUMNS``; None where stdout is no terminal: what goes to
    a file or a program is not wrapped."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
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
        """A console that draws printable texts only; escapes are those of its own styles."""

        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*arguments, **options):
                if segment.control:
                    yield segment
                else:
                    yield Segment(printable(segment.text), segment.style)

    stream = styled(stderr=stderr)
    width = None if stream.isatty() else line_width() or _UNWRAPPED
    return PrintableConsole(file=stream, width=width, highlight=False)


def _in_ascii_controls(document: bytes) -> bytes:
    """JSON whose control characters beyond ASCII are written as escapes too. They occur in
    strings only, where the two mean the same."""
    return json_escaped(document.decode()).encode()


def _plain(document: Any) -> Any:
    from citeloom.infrastructure.cli.shared.next_steps import in_words

    if isinstance(document, BaseModel):
        return document.model_dump(mode="json", context=in_words)
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_plain(item) for item in document]
    return document
