"""Citations put into a draft."""

from support.cases import each

from citeloom.domain.citation.in_text import Mention
from citeloom_lsp.domain.citations import citation_insertion, page_text

POND = Mention(citekey="pond", labels=("3",))


@each(
    ("text", "format", "expected"),
    [
        ("Ponds cool.", "markdown", "Ponds cool [@pond, p. 3]."),
        ("Ponds cool", "markdown", "Ponds cool [@pond, p. 3]"),
        ("Ponds “cool.”", "markdown", "Ponds “cool.” [@pond, p. 3]"),
        ("Ponds cool? ", "markdown", "Ponds cool [@pond, p. 3]? "),
        ("Ponds cool.", "typst", "Ponds cool @pond[p. 3]."),
        ("Ponds cool.", "latex", r"Ponds cool~\autocite[3]{pond}."),
    ],
)
def test_before_the_full_stop(text: str, format: str, expected: str) -> None:
    put = citation_insertion(text, 0, len(text), format, POND)
    assert text[: put.at] + put.text + text[put.at :] == expected


def test_latex_uses_the_command_of_the_draft() -> None:
    text = r"One \citep{a}. Two \citep{b}, \cite{c}. Ponds cool."
    put = citation_insertion(text, text.index("Ponds"), len(text), "latex", POND)
    assert put.text == r"~\citep[p.~3]{pond}"


@each(
    ("format", "command", "labels", "term", "expected"),
    [
        ("markdown", None, ("3",), "", "p. 3"),
        ("markdown", None, ("3",), "p. ", "p. 3"),
        ("markdown", None, ("3",), "p.", "p. 3"),
        ("markdown", None, ("3",), "page ", "page 3"),
        ("markdown", None, ("3", "4"), "p. ", "pp. 3–4"),
        ("markdown", None, ("3", "4"), "pp. ", "pp. 3–4"),
        ("markdown", None, ("3",), "pp. ", "p. 3"),
        ("latex", "cite", ("3",), "", "p.~3"),
        ("latex", "cite", ("3", "4"), "", "pp.~3--4"),
        ("latex", "autocite", ("3", "4"), "", "3--4"),
        ("latex", "autocite", ("S3",), "", r"\pno~S3"),
        ("latex", "autocite", ("3",), "p.~", "p.~3"),
        ("latex", "cite", ("3",), "p.", "p.~3"),
        ("typst", None, ("xii",), "", "p. xii"),
    ],
)
def test_the_page_as_it_is_typed(
    format: str, command: str | None, labels: tuple[str, ...], term: str, expected: str
) -> None:
    mention = Mention(citekey="pond", labels=labels)
    assert page_text(format, command, mention, term) == expected


def test_a_page_of_the_file_is_never_a_printed_one() -> None:
    mention = Mention(citekey="pond", place="PDF p. 3")
    assert page_text("markdown", None, mention, "p. ") == "PDF p. 3"
