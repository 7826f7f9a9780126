"""Code mapper: definitions in languages other than Python, through tree-sitter."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.maps.resource_map import Node, UsedNames, first_sentence, name_id, unique_name
from citeloom.infrastructure.maps.mappers.node_building import MappedText, TextFileMapper, at_lines

from .tree_sitter import NAMESPACES, TYPES, Language, language_of

if TYPE_CHECKING:
    from tree_sitter import Node as Syntax
    from tree_sitter import Parser

# Deeper nesting occurs in no hand-written program, and would exhaust the stack.
_MAX_DEPTH = 40
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_LEADING = re.compile(r"comment|attribute_item|annotation|decorator|attribute_list")
_COMMENT_MARKS = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?|#|--)|\*+/\s*$")


class CodeMapper(TextFileMapper):
    """One node a class, function, method, …, with the comment and attributes right above it.

    Without the grammar (extra ``code``) a file is divided into blocks, with a note in its map.
    """

    name = "code 1"

    def supports(self, path: Path) -> bool:
        return language_of(path) is not None

    def fingerprint(self, path: Path) -> str:
        language = language_of(path)
        return self.name if language and language.is_installed else f"{self.name} blocks"

    def _read(self, lines: Sequence[str], path: Path) -> MappedText:
        language = language_of(path)
        assert language is not None, "supports() was asked"
        nodes: Sequence[Node] = ()
        note = None
        if language.is_installed:
            parser = _parser(language.package, language.entry)
            root = parser.parse("\n".join(lines).encode("utf-8", "replace")).root_node
            nodes = tuple(_Definitions(language).nodes(root, "", "", 0))
            if root.has_error:
                note = f"parts of it are not valid {language.name}: nodes may be missing there"
        else:
            note = (
                f"blocks instead of the definitions of {language.name}: "
                "install them with `pip install 'citeloom[code]'`"
            )
        return MappedText(nodes, note=note, metadata={"language": language.name})


@cache
def _parser(package: str, entry: str) -> "Parser":
    import tree_sitter

    grammar = getattr(import_module(package), entry)
    return tree_sitter.Parser(tree_sitter.Language(grammar()))


class _Definitions:
    def __init__(self, language: Language) -> None:
        self._language = language

    def nodes(self, syntax: "Syntax", prefix: str, within: str, depth: int) -> Iterator[Node]:
        used: UsedNames = {}
        for definition, enclosing in self._definitions(syntax, None, depth):
            name = _name(definition)
            if name is None:
                continue
            kind = self._language.kinds[definition.type]
            if kind == "function" and within in TYPES:
                kind = "method"
            node_id = prefix + unique_name(name_id(name), used)
            children: tuple[Node, ...] = ()
            if kind in NAMESPACES | TYPES and depth < _MAX_DEPTH:
                children = tuple(self.nodes(definition, f"{node_id}.", kind, depth + 1))
            first, comment = _leading_comment(enclosing)
            last = enclosing.end_point.row + 1
            if enclosing.end_point.column == 0 and last > enclosing.start_point.row + 1:
                last -= 1  # grammars that count the line end in
            yield Node(
                id=node_id,
                title=name,
                type=kind,
                location=at_lines(first, last),
                summary=_summary(comment),
                children=children,
            )

    def _definitions(
        self, syntax: "Syntax", outer: "Syntax | None", depth: int
    ) -> Iterator[tuple["Syntax", "Syntax"]]:
        """Definitions below ``syntax``, each with the node that also holds its ``export``,
        ``template<…>`` or ``typedef``."""
        for child in syntax.named_children:
            if child.type in self._language.kinds and self._defines(child):
                yield child, outer or child
            elif self._is_passed(child) and depth < _MAX_DEPTH:
                inner = [node for node in child.named_children if self._matters(node)]
                single = len(inner) == 1 and child.type not in _CONTAINERS
                yield from self._definitions(child, outer or child if single else None, depth + 1)

    def _matters(self, child: "Syntax") -> bool:
        return child.type in self._language.kinds or self._is_passed(child)

    def _is_passed(self, child: "Syntax") -> bool:
        return child.type in self._language.through or child.type == "ERROR"

    def _defines(self, syntax: "Syntax") -> bool:
        if syntax.type == "variable_declarator":
            value = syntax.child_by_field_name("value")
            return value is not None and value.type in _FUNCTIONS
        if syntax.type in self._language.needs_body:
            return syntax.child_by_field_name("body") is not None
        return True


#: Nodes that hold many definitions: none of these begins where the holder does.
_CONTAINERS = frozenset(
    """
    program translation_unit source_file compilation_unit class_body interface_body enum_body
    enum_body_declarations annotation_type_body declaration_list field_declaration_list
    statement_block body_statement block preproc_ifdef preproc_if preproc_else preproc_elif
    file_scoped_namespace_declaration foreign_mod_item linkage_specification ERROR
    """.split()
)


def _name(syntax: "Syntax") -> str | None:
    """The name of a definition; None without one."""
    if syntax.type == "impl_item":
        kinds = [syntax.child_by_field_name(field) for field in ("trait", "type")]
        return " for ".join(_text(kind) for kind in kinds if kind is not None)
    name_node = syntax.child_by_field_name("name")
    if name_node is None:
        name_node = syntax.child_by_field_name("declarator")
        while (
            name_node is not None
            and (inner := name_node.child_by_field_name("declarator")) is not None
        ):
            name_node = inner
    if name_node is None:
        name_node = _first_identifier(syntax)
    if name_node is None:
        return None
    name = _text(name_node)
    receiver = syntax.child_by_field_name("receiver")
    if receiver is not None and (
        owner := re.search(r"\*?\s*(\w+)\s*(?:\[.*\])?\s*\)", _text(receiver))
    ):
        return f"{owner[1]}.{name}"
    return name


def _first_identifier(syntax: "Syntax") -> "Syntax | None":
    """The first identifier on the way down the first children."""
    child: Syntax | None = syntax
    while child is not None and "identifier" not in child.type:
        child = next(iter(child.named_children), None)
    return child


def _text(syntax: "Syntax") -> str:
    return " ".join((syntax.text or b"").decode("utf-8", "replace").split())


def _leading_comment(syntax: "Syntax") -> tuple[int, str]:
    """First line and text of the comments and attributes right above a definition."""
    first, comments = syntax.start_point.row, []
    previous = _previous_sibling(syntax)
    while previous is not None and _LEADING.search(previous.type):
        last = previous.end_point.row - (1 if previous.end_point.column == 0 else 0)
        earlier = previous.prev_named_sibling
        trailing = earlier is not None and earlier.end_point.row == previous.start_point.row
        if last < first - 1 or (trailing and not _LEADING.search(earlier.type if earlier else "")):
            break
        first = min(first, previous.start_point.row)
        if "comment" in previous.type:
            comments.append((previous.text or b"").decode("utf-8", "replace"))
        previous = earlier
    return first + 1, "\n".join(reversed(comments))


def _previous_sibling(syntax: "Syntax") -> "Syntax | None":
    """The node before; for the first node of a body, the node before the body."""
    while syntax.prev_named_sibling is None:
        parent = syntax.parent
        if parent is None or parent.start_point != syntax.start_point:
            return None
        syntax = parent
    return syntax.prev_named_sibling


def _summary(comment: str) -> str | None:
    words: list[str] = []
    for line in comment.splitlines():
        plain = _COMMENT_MARKS.sub("", _COMMENT_MARKS.sub("", line)).strip()
        if not plain and words:
            break
        if plain.startswith("@"):
            break
        words.append(re.sub(r"</?[A-Za-z][^>]*>", "", plain))
    return first_sentence(" ".join(words))
