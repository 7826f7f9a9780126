"""Python mapper: classes, functions and methods by the ``ast`` parser."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from citeloom.domain.maps.resource_map import Node, UsedNames, first_sentence, name_id, unique_name
from citeloom.infrastructure.maps.mappers.node_building import (
    MappedText,
    TextFileMapper,
    at_lines,
    lines_of,
)

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DEFINITION = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


class PythonMapper(TextFileMapper):
    """One node a class, function or method, from its first decorator to its last line, with its
    docstring as summary. A file that does not parse is divided into blocks."""

    suffixes = frozenset({".py", ".pyi", ".pyw"})
    name = "python 1"

    def _read(self, lines: Sequence[str], _path: Path) -> MappedText:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the code that is read, not of ours
                tree = ast.parse("\n".join(lines))
            return MappedText(tuple(_nodes(tree.body, "", within_class=False)))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
            note = f"not read as Python ({type(error).__name__}{where}): blocks instead"
            return MappedText((), note=note)


def _nodes(body: Iterable[ast.AST], prefix: str, *, within_class: bool) -> Iterator[Node]:
    used: UsedNames = {}
    for definition in _definitions(body):
        node_id = prefix + unique_name(name_id(definition.name), used)
        children: tuple[Node, ...] = ()
        if isinstance(definition, ast.ClassDef):
            kind = "class"
            children = tuple(_nodes(definition.body, f"{node_id}.", within_class=True))
        else:
            kind = "method" if within_class else "function"
        docstring = ast.get_docstring(definition)
        first = min(
            [definition.lineno, *(decorator.lineno for decorator in definition.decorator_list)]
        )
        yield Node(
            id=node_id,
            title=definition.name,
            type=kind,
            location=at_lines(first, definition.end_lineno or first),
            summary=_summary(docstring),
            children=children,
        )


def _definitions(body: Iterable[ast.AST]) -> Iterator[_Definition]:
    """Definitions of a module or class, also within ``if`` and ``try``, not within functions."""
    for statement in body:
        if isinstance(statement, _DEFINITION):
            yield statement
        elif not isinstance(statement, ast.expr):
            for name in _BLOCKS:
                yield from _definitions(getattr(statement, name, None) or ())


def _summary(docstring: str | None) -> str | None:
    """The first sentence of the first paragraph: many docstrings have no full stop there."""
    if not docstring:
        return None
    paragraph: list[str] = []
    for line in lines_of(docstring.strip()):
        if not line.strip():
            break
        paragraph.append(line)
    return first_sentence("\n".join(paragraph))
