"""Output: JSON, tables and text."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel


def print_json(document: Any) -> None:
    """One JSON document on stdout, UTF-8 whatever the terminal's encoding is."""
    _write(json_bytes(document))


def json_bytes(document: Any) -> bytes:
    """A JSON document as ``print_json`` prints it and files hold it."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(_plain(document), option=options)


def print_json_lines(documents: Iterable[Any]) -> None:
    import orjson

    for document in documents:
        _write(orjson.dumps(_plain(document)) + b"\n")


def print_text(text: str) -> None:
    _write(text.encode("utf-8") + b"\n")


def print_table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout, as wide as the terminal (or the text, where there is none)."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    console().print(table)


def console(*, stderr: bool = False) -> Any:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return Console(stderr=stderr, width=width, highlight=False)


def _plain(document: Any) -> Any:
    from citeloom.infrastructure.cli.shared.next_steps import in_words

    if isinstance(document, BaseModel):
        return document.model_dump(mode="json", context=in_words)
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [_plain(item) for item in document]
    return document


def _write(content: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()
