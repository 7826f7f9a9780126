"""Table of the programming languages read through tree-sitter.

Names of grammar nodes are those of the grammars' ``node-types.json``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True)
class Language:
    """A language and the grammar that reads it.

    ``kinds`` maps a grammar node to the type of a map node; ``through`` are nodes that only
    contain such ones. ``package`` is the module with the grammar, ``entry`` its function.
    """

    name: str
    suffixes: tuple[str, ...]
    package: str
    kinds: Mapping[str, str]
    through: frozenset[str]
    entry: str = "language"
    #: Nodes that are only declared, not defined, unless they have this field.
    needs_body: frozenset[str] = field(default=frozenset())

    @property
    def is_installed(self) -> bool:
        return find_spec("tree_sitter") is not None and find_spec(self.package) is not None


def _through(names: str) -> frozenset[str]:
    return frozenset(names.split())


_SCRIPT = {
    "class_declaration": "class",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "method_definition": "method",
    "variable_declarator": "function",
}
_TYPED = {
    **_SCRIPT,
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "type_alias_declaration": "type",
    "internal_module": "namespace",
    "module": "namespace",
    "function_signature": "function",
    "abstract_method_signature": "method",
}
_IN_SCRIPT = "program export_statement class_body lexical_declaration variable_declaration"
_IN_TYPED = _through(f"{_IN_SCRIPT} ambient_declaration statement_block expression_statement")
_C = {
    "function_definition": "function",
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "type_definition": "type",
}
_IN_C = (
    "translation_unit preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification "
    "declaration_list declaration"
)
_C_BODIES = _through("struct_specifier union_specifier enum_specifier class_specifier")

LANGUAGES: tuple[Language, ...] = (
    Language(
        "JavaScript",
        (".js", ".jsx", ".mjs", ".cjs"),
        "tree_sitter_javascript",
        _SCRIPT,
        _through(_IN_SCRIPT),
    ),
    Language(
        "TypeScript",
        (".ts", ".mts", ".cts"),
        "tree_sitter_typescript",
        _TYPED,
        _IN_TYPED,
        entry="language_typescript",
    ),
    Language(
        "TypeScript with JSX",
        (".tsx",),
        "tree_sitter_typescript",
        _TYPED,
        _IN_TYPED,
        entry="language_tsx",
    ),
    Language(
        "Java",
        (".java",),
        "tree_sitter_java",
        {
            "class_declaration": "class",
            "record_declaration": "class",
            "interface_declaration": "interface",
            "annotation_type_declaration": "interface",
            "enum_declaration": "enum",
            "method_declaration": "method",
            "constructor_declaration": "method",
            "compact_constructor_declaration": "method",
        },
        _through(
            "program class_body interface_body enum_body enum_body_declarations "
            "annotation_type_body"
        ),
    ),
    Language("C", (".c", ".h"), "tree_sitter_c", _C, _through(_IN_C), needs_body=_C_BODIES),
    Language(
        "C++",
        (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
        "tree_sitter_cpp",
        {**_C, "class_specifier": "class", "namespace_definition": "namespace"},
        _through(f"{_IN_C} template_declaration field_declaration_list field_declaration"),
        needs_body=_C_BODIES,
    ),
    Language(
        "Rust",
        (".rs",),
        "tree_sitter_rust",
        {
            "function_item": "function",
            "function_signature_item": "function",
            "struct_item": "struct",
            "union_item": "union",
            "enum_item": "enum",
            "trait_item": "trait",
            "impl_item": "impl",
            "mod_item": "module",
            "macro_definition": "macro",
        },
        _through("source_file declaration_list foreign_mod_item"),
    ),
    Language(
        "Go",
        (".go",),
        "tree_sitter_go",
        {
            "function_declaration": "function",
            "method_declaration": "method",
            "type_spec": "type",
            "type_alias": "type",
        },
        _through("source_file type_declaration"),
    ),
    Language(
        "C#",
        (".cs",),
        "tree_sitter_c_sharp",
        {
            "class_declaration": "class",
            "record_declaration": "class",
            "struct_declaration": "struct",
            "interface_declaration": "interface",
            "enum_declaration": "enum",
            "namespace_declaration": "namespace",
            "method_declaration": "method",
            "constructor_declaration": "method",
            "property_declaration": "property",
        },
        _through("compilation_unit declaration_list file_scoped_namespace_declaration"),
    ),
    Language(
        "Ruby",
        (".rb",),
        "tree_sitter_ruby",
        {
            "class": "class",
            "module": "module",
            "method": "function",
            "singleton_method": "function",
        },
        _through("program body_statement"),
    ),
    Language(
        "Julia",
        (".jl",),
        "tree_sitter_julia",
        {
            "module_definition": "module",
            "struct_definition": "struct",
            "abstract_definition": "type",
            "function_definition": "function",
            "macro_definition": "macro",
        },
        _through("source_file block"),
    ),
)

#: Kinds with definitions inside; functions in types are methods.
NAMESPACES = frozenset({"namespace", "module"})
TYPES = frozenset({"class", "interface", "struct", "union", "enum", "trait", "impl"})

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: Path) -> Language | None:
    """The language that the file's suffix promises; None if it is none of these."""
    return _BY_SUFFIX.get(path.suffix.lower())
