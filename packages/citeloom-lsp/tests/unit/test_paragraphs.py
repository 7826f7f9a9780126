"""Paragraphs around an offset, and blocks of code."""

from support.cases import each

from citeloom_lsp.domain.citations import in_code, paragraph_at


@each(
    ("text", "format", "expected"),
    [
        ("one\n\ntwo | x\nmore\n\nthree", "markdown", "two  x\nmore"),
        ("one\r\n \r\ntwo|\r\n\r\nthree", "markdown", "two"),
        ("|one", "typst", "one"),
        ("one|", "typst", "one"),
        ("one\n\n|two", "typst", "two"),
        ("\\begin{quote}\nwo|rds\n\\end{quote}", "latex", "\nwords\n"),
        ("\\section{A}\nwo|rds\n\\subsection{B}", "latex", "\\section{A}\nwords\n"),
        ("\\begin{quote} wo|rds\n\\end{quote}", "latex", " words\n"),
        ("- one\n\n    tw|o\n    more", "markdown", "two\n    more"),
    ],
)
def test_the_lines_up_to_the_empty_ones(text: str, format: str, expected: str) -> None:
    offset, plain = text.index("|"), text.replace("|", "")
    paragraph = paragraph_at(plain, offset, format)
    assert paragraph.text == expected
    assert plain[paragraph.start : paragraph.end] == expected
    assert paragraph.start <= offset <= paragraph.end


@each(
    ("text", "format", "expected"),
    [
        ("a\n\n```r\n@x|\n```\n", "markdown", True),
        ("a\n\n```r\n@x\n```\n\nb|", "markdown", False),
        ("````\n```\n|", "markdown", True),
        ("---\ntitle: @x|\n---\n", "markdown", True),
        ("---\ntitle: x\n---\n\na|", "markdown", False),
        ("\\begin{verbatim}\n\\cite{|", "latex", True),
        ("\\begin{verbatim}\n\\end{verbatim}\n\\cite{|", "latex", False),
        ("```\n@x|", "typst", True),
        ("```\n@x\n```\n@y|", "typst", False),
    ],
)
def test_code(text: str, format: str, expected: bool) -> None:
    offset = text.index("|")
    assert in_code(text.replace("|", ""), offset, format) is expected
