"""Programs: definitions with their lines, by tree-sitter."""

from pathlib import Path

import pytest
from support.files.mapped_files import map_text, node, outline

from citeloom_maps.infrastructure.mappers.code import CodeMapper
from citeloom_maps.infrastructure.mappers.tree_sitter import LANGUAGES, Language

SOURCES: dict[str, tuple[str, list[tuple[str, str, tuple[int, int]]]]] = {
    "a.js": (
        "// Licence\n\n/** Adds two. More.\n * @param a\n */\n"
        "export function add(a) { return a; }\n"
        "export default class Pond {\n  /** Cools. */\n  cool(t) { function no() {} }\n}\n"
        "const f = (x) => x, z = 3;\nlet y = 1; // of y\nconst h = function () {};\n",
        [
            ("add", "function", (3, 6)),
            ("Pond", "class", (7, 10)),
            ("Pond.cool", "method", (8, 9)),
            ("f", "function", (11, 11)),
            ("h", "function", (13, 13)),
        ],
    ),
    "a.ts": (
        "interface A { x: number }\nexport abstract class B {\n  abstract go(): void;\n}\n"
        "export type T = string;\nnamespace N {\n  export function inner() {}\n}\n",
        [
            ("A", "interface", (1, 1)),
            ("B", "class", (2, 4)),
            ("B.go", "method", (3, 3)),
            ("T", "type", (5, 5)),
            ("N", "namespace", (6, 8)),
            ("N.inner", "function", (7, 7)),
        ],
    ),
    "a.tsx": ("export function App() { return <b>x</b>; }\n", [("App", "function", (1, 1))]),
    "A.java": (
        "/** A pond. */\n@Deprecated\npublic class A {\n  enum K { X; void m() {} }\n"
        "  A() {}\n  @Override\n  public String s() { return null; }\n}\n",
        [
            ("A", "class", (1, 8)),
            ("A.K", "enum", (4, 4)),
            ("A.K.m", "method", (4, 4)),
            ("A.A", "method", (5, 5)),
            ("A.s", "method", (6, 7)),
        ],
    ),
    "a.h": (
        "#ifndef X\n#define X\nstruct s { int a; };\ntypedef struct { int b; } t;\n"
        "/* Makes it. */\nstatic int *make(int a)\n{\n  return 0;\n}\nstruct s v;\nint f(void);\n"
        "#endif\n",
        [("s", "struct", (3, 3)), ("t", "type", (4, 4)), ("make", "function", (5, 9))],
    ),
    "a.cpp": (
        "namespace a::b {\ntemplate <typename T>\nclass Box {\n public:\n"
        "  T get() const { return t; }\n};\n}\nvoid a::b::out() {}\n",
        [
            ("a-b", "namespace", (1, 7)),
            ("a-b.Box", "class", (2, 6)),
            ("a-b.Box.get", "method", (5, 5)),
            ("a-b-out", "function", (8, 8)),
        ],
    ),
    "a.rs": (
        "/// A pond.\n#[derive(Debug)]\npub struct Pond { t: f32 }\n"
        "impl Display for Pond {\n    /// Formats.\n    fn fmt(&self) {}\n}\n"
        "mod inner { pub fn f() {} }\n",
        [
            ("Pond", "struct", (1, 3)),
            ("Display-for-Pond", "impl", (4, 7)),
            ("Display-for-Pond.fmt", "method", (5, 6)),
            ("inner", "module", (8, 8)),
            ("inner.f", "function", (8, 8)),
        ],
    ),
    "a.go": (
        "package a\n\n// Pond is one.\ntype Pond struct{ t int }\n"
        "type (\n\tA int\n\tB struct{}\n)\nfunc (p *Pond) Cool(x int) error { return nil }\n"
        "func main() {}\n",
        [
            ("Pond", "type", (3, 4)),
            ("A", "type", (6, 6)),
            ("B", "type", (7, 7)),
            ("Pond-Cool", "method", (9, 9)),
            ("main", "function", (10, 10)),
        ],
    ),
    "a.cs": (
        "namespace X {\n  /// <summary>A pond.</summary>\n  public class Pond {\n"
        "    public int T { get; set; }\n    [Obsolete]\n    public void Cool() {}\n  }\n}\n",
        [
            ("X", "namespace", (1, 8)),
            ("X.Pond", "class", (2, 7)),
            ("X.Pond.T", "property", (4, 4)),
            ("X.Pond.Cool", "method", (5, 6)),
        ],
    ),
    "a.rb": (
        "# A pond.\nmodule M\n  class Pond < Water\n    # Cools.\n    def cool(t)\n    end\n"
        "    def self.make; end\n  end\nend\n",
        [
            ("M", "module", (1, 9)),
            ("M.Pond", "class", (3, 8)),
            ("M.Pond.cool", "method", (4, 6)),
            ("M.Pond.make", "method", (7, 7)),
        ],
    ),
    "a.jl": (
        "module Ponds\nfunction cool(t::Float64)\n    t\nend\nstruct Pond\n    t\nend\nend\n",
        [
            ("Ponds", "module", (1, 8)),
            ("Ponds.cool", "function", (2, 4)),
            ("Ponds.Pond", "struct", (5, 7)),
        ],
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_definitions_of_other_languages(tmp_path: Path, name: str) -> None:
    text, expected = SOURCES[name]
    found = map_text(CodeMapper(), tmp_path / name, text)
    assert outline(found) == expected
    assert "note" not in (found.metadata or {})


def test_every_language_is_tried() -> None:
    tried = {Path(name).suffix for name in SOURCES}
    assert all(tried & set(language.suffixes) for language in LANGUAGES)


def test_what_stands_above_a_definition_sums_it_up(tmp_path: Path) -> None:
    for name, node_id, summary in (
        ("a.js", "add", "Adds two."),
        ("a.h", "make", "Makes it."),
        ("a.rs", "Pond", "A pond."),
        ("a.cs", "X.Pond", "A pond."),
        ("a.rb", "M.Pond.cool", "Cools."),
    ):
        found = map_text(CodeMapper(), tmp_path / name, SOURCES[name][0])
        assert node(found, node_id).summary == summary
    assert node(map_text(CodeMapper(), tmp_path / "a.js", SOURCES["a.js"][0]), "h").summary is None


def test_broken_code_has_what_can_be_read_and_says_so(tmp_path: Path) -> None:
    found = map_text(
        CodeMapper(), tmp_path / "a.js", "function a() {}\nclass { ((\nfunction b() {}"
    )
    assert "a" in found.list_node_ids()
    assert "not valid JavaScript" in str((found.metadata or {})["note"])
    assert map_text(CodeMapper(), tmp_path / "a.c", "struct{ int };\n").title


def test_endless_nesting_ends(tmp_path: Path) -> None:
    text = "namespace a {" * 3000 + "}" * 3000
    assert map_text(CodeMapper(), tmp_path / "a.cpp", text).get_node("a") is not None


def test_without_the_grammar_there_are_blocks_and_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, with_it = tmp_path / "a.go", CodeMapper().fingerprint(tmp_path / "a.go")
    monkeypatch.setattr(Language, "is_installed", property(lambda _: False))
    found = map_text(CodeMapper(), path, SOURCES["a.go"][0])
    assert {one.type for one in found.walk()} == {"block"}
    assert "citeloom[code]" in str((found.metadata or {})["note"])
    assert CodeMapper().fingerprint(path) != with_it
