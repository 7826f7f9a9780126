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


def _kinds(text: str) -> dict[str, str]:
    """Types of map nodes by grammar node, from ``type: node node; type: node``."""
    types = (one.split(":") for one in text.split(";"))
    return {node: kind.strip() for kind, nodes in types for node in nodes.split()}


_SCRIPT = _kinds(
    "class: class_declaration; function: function_declaration "
    "generator_function_declaration variable_declarator; method: method_definition"
)
_TYPED = _SCRIPT | _kinds(
    "class: abstract_class_declaration; interface: interface_declaration; enum: "
    "enum_declaration; type: type_alias_declaration; namespace: internal_module "
    "module; function: function_signature; method: abstract_method_signature"
)
_IN_SCRIPT = "program export_statement class_body lexical_declaration variable_declaration"
_IN_TYPED = _through(f"{_IN_SCRIPT} ambient_declaration statement_block expression_statement")
_C = _kinds(
    "function: function_definition; struct: struct_specifier; union: union_specifier; "
    "enum: enum_specifier; type: type_definition"
)
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
        _kinds(
            "class: class_declaration record_declaration; interface: interface_declaration "
            "annotation_type_declaration; enum: enum_declaration; method: method_declaration "
            "constructor_declaration compact_constructor_declaration"
        ),
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
        _C | _kinds("class: class_specifier; namespace: namespace_definition"),
        _through(f"{_IN_C} template_declaration field_declaration_list field_declaration"),
        needs_body=_C_BODIES,
    ),
    Language(
        "Rust",
        (".rs",),
        "tree_sitter_rust",
        _kinds(
            "function: function_item function_signature_item; struct: struct_item; union: "
            "union_item; enum: enum_item; trait: trait_item; impl: impl_item; module: "
            "mod_item; macro: macro_definition"
        ),
        _through("source_file declaration_list foreign_mod_item"),
    ),
    Language(
        "Go",
        (".go",),
        "tree_sitter_go",
        _kinds(
            "function: function_declaration; method: method_declaration; type: type_spec type_alias"
        ),
        _through("source_file type_declaration"),
    ),
    Language(
        "C#",
        (".cs",),
        "tree_sitter_c_sharp",
        _kinds(
            "class: class_declaration record_declaration; struct: struct_declaration; "
            "interface: interface_declaration; enum: enum_declaration; namespace: "
            "namespace_declaration; method: method_declaration constructor_declaration; "
            "property: property_declaration"
        ),
        _through("compilation_unit declaration_list file_scoped_namespace_declaration"),
    ),
    Language(
        "Ruby",
        (".rb",),
        "tree_sitter_ruby",
        _kinds("class: class; module: module; function: method singleton_method"),
        _through("program body_statement"),
    ),
    Language(
        "Julia",
        (".jl",),
        "tree_sitter_julia",
        _kinds(
            "module: module_definition; struct: struct_definition; type: abstract_definition; "
            "function: function_definition; macro: macro_definition"
        ),
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
