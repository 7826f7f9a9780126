"""Output: JSON, tables and text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from citeloom.infrastructure.cli.shared.terminal import (
    json_escaped,
    print_bytes,
    printable,
    printable_line,
    styled,
)

if TYPE_CHECKING:
    from rich.text import Text

    Styled = tuple[str, str]


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


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout, as wide as the terminal (or the text, where there is none)."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=title and escape(printable_line(title)),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
    )
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(escape(printable_line(cell)) for cell in row))
    console().print(table)


def print_styled(out: Any, *parts: "Styled", indent: int = 0, right: int = 0) -> None:
    """One paragraph on a console, of texts and their styles; whatever is in them, it has no lines
    of its own."""
    print_padded(out, styled_text(*parts), indent=indent, right=right)


def print_padded(out: Any, text: "Text", *, indent: int = 0, right: int = 0) -> None:
    from rich.padding import Padding

    out.print(Padding(text, (0, right, 0, indent)) if indent or right else text)


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
    width = None if stream.isatty() else 120
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
