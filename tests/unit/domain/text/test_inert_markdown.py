"""Texts of documents in Markdown: nothing of their own is active, and they read as they are."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from support.cases import each

from citeloom.domain.text.phrasing import inert_lines, inert_markdown, is_active_link

_READER = MarkdownIt("gfm-like", {"html": True, "linkify": False})
ACTIVE = frozenset(
    "html_inline html_block image link_open em_open strong_open s_open code_inline code_block "
    "fence heading_open bullet_list_open ordered_list_open blockquote_open table_open hr".split()
)


def tokens(markdown: str) -> list[Token]:
    return [
        token for block in _READER.parse(markdown) for token in (block, *(block.children or ()))
    ]


def shown(markdown: str) -> str:
    """What a reader sees."""
    return "".join(
        "\n" if token.type in ("softbreak", "hardbreak") else token.content
        for token in tokens(markdown)
        if token.type in ("text", "text_special", "softbreak", "hardbreak")
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden --> <?php ?> <![CDATA[x]]> </p>",
    "<javascript:alert(1)> <mailto:a@b.c>",
    "![p](http://e.org/p.png) [x](javascript:alert(1)) [a][b] [c]",
    "[b]: javascript:alert(1)",
    "\\<script>x\\</script> \\[x\\](javascript:alert(1))",
    "``<b>`` `code` \\`x`",
    "*a* **b** _c_ __d__ ~~e~~",
    "&lt;script&gt; &#60;b&#62;",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[a [b](javascript:1)](javascript:2)",
)
BLOCKS = (
    "# a heading", "## another", "> a quote", "- a list", "+ a list", "1. a list", "12) a list",
    "---", "===", "- - -", "~~~", "```", "| a | b |\n|---|---|\n| c | d |", "    indented code",
    "text\n---", "text\n===", "***", "* a list", "-", "+",
)  # fmt: skip


@each("text", HOSTILE)
def test_a_text_is_shown_and_does_nothing(text: str) -> None:
    markdown = f"- “{inert_markdown(text)}”"
    found = {token.type for token in tokens(markdown)} & (ACTIVE - {"bullet_list_open"})
    assert not found
    assert shown(markdown) == f"“{text}”"


@each("text", [*HOSTILE, *BLOCKS])
def test_lines_open_no_block(text: str) -> None:
    markdown = "\n".join(f"> {line}" for line in inert_lines(text))
    assert {token.type for token in tokens(markdown)} & ACTIVE == {"blockquote_open"}
    assert shown(markdown) == "\n".join(line.strip() for line in text.splitlines())


@given(st.text(alphabet="ab<>[]()!`\\*_~#&;{}$@:-+=|1. /\n", max_size=60))
def test_no_text_is_active(text: str) -> None:
    # A text's blank lines part paragraphs; at least one letter begins it.
    markdown = "\n".join(f"> {line}" for line in inert_lines(f"x{text}"))
    found = {token.type for token in tokens(markdown)} & ACTIVE
    assert found <= {"blockquote_open"}, markdown


@each(
    ("text", "markdown"),
    [
        ("p < 0.05 and 3 > 2, x_1 & y", "p < 0.05 and 3 > 2, x_1 & y"),
        ("as shown [12], costs $5", "as shown [12], costs $5"),
        # pandoc: TeX, formulas, citations, attributes.
        (r"\input{x} $\write18{id}$ and $y$", r"\\input{x} \$\\write18{id}\$ and \$y\$"),
        ("see [@noll2019] or @noll, a@b.org", r"see [\@noll2019] or \@noll, a@b.org"),
        ("[x]{onclick=alert(1)}", r"[x\]\{onclick=alert(1)}"),
    ],
)
def test_what_is_escaped_and_what_is_left(text: str, markdown: str) -> None:
    assert inert_markdown(text) == markdown


@each(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:x",
        "java\tscript:x",
        "\x01data:text/html,x",
        "vbscript:x",
    ],
)
def test_links_that_run_something(address: str) -> None:
    assert is_active_link(address)


@each(
    "address",
    ["https://example.org/javascript:x", "zotero://select/items/0_A", "doi:10.1/x", "data.html",
     "https://example.org/?data:x", ""],
)  # fmt: skip
def test_links_that_do_not(address: str) -> None:
    assert not is_active_link(address)
