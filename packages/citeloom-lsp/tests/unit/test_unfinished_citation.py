"""The citation that is being typed, at the cursor ``|``."""

from support.cases import each

from citeloom_lsp.domain.citations import TypedKey, TypedPage, unfinished_citation


def at_cursor(marked: str, format: str) -> tuple[str, TypedKey | TypedPage | None]:
    offset = marked.index("|")
    text = marked.replace("|", "", 1)
    return text, unfinished_citation(text, offset, format)


@each(
    ("marked", "format", "typed", "replaced"),
    [
        ("It is known [@po|", "markdown", "po", "po"),
        ("It is known [see @a; -@po|]", "markdown", "po", "po"),
        ("@|", "markdown", "", ""),
        ("[@po|nd2020, p. 3]", "markdown", "po", "pond2020"),
        ("[@{https://x/po|}]", "markdown", "https://x/po", "https://x/po"),
        ("It is known @po|", "typst", "po", "po"),
        ("#cite(<po|>)", "typst", "po", "po"),
        (r"known \cite{po|", "latex", "po", "po"),
        (r"known \cite{pond,\n so|}", "latex", "so", "so"),
        (r"known \autocites[1]{a}[2]{b|}", "latex", "b", "b"),
        (r"known \parencite[see][p.~3]{|}", "latex", "", ""),
        (r"\nocite{po|", "latex", "po", "po"),
    ],
)
def test_a_key(marked: str, format: str, typed: str, replaced: str) -> None:
    text, found = at_cursor(marked.replace(r"\n", "\n") if "pond," in marked else marked, format)
    assert isinstance(found, TypedKey)
    assert found.typed == typed
    assert text[found.start : found.end] == replaced


@each(
    ("marked", "format", "key", "replaced"),
    [
        ("[@pond, |", "markdown", "pond", ""),
        ("[@pond, p. |]", "markdown", "pond", "p. "),
        ("[see @a, p. 3; @pond, p. 4|4]", "markdown", "pond", "p. 44"),
        ("[@{doi:10/x}, pp. 1|]", "markdown", "doi:10/x", "pp. 1"),
        ("@pond [p. |]", "markdown", "pond", "p. "),
        ("@pond[p. |]", "typst", "pond", "p. "),
        ("#cite(<pond>, supplement: [p. 1|])", "typst", "pond", "p. 1"),
        (r"\cite[p.~|]{pond}", "latex", "pond", "p.~"),
        (r"\cite[see][4|]{a,pond}", "latex", "pond", "4"),
        (r"\autocites[1]{a}[|]{pond}", "latex", "pond", ""),
    ],
)
def test_a_page(marked: str, format: str, key: str, replaced: str) -> None:
    text, found = at_cursor(marked, format)
    assert isinstance(found, TypedPage)
    assert found.key == key
    assert text[found.start : found.end] == replaced


@each(
    ("marked", "format"),
    [
        ("write to me@po|", "markdown"),
        (r"an escaped \@po|", "markdown"),
        ("plain words|", "markdown"),
        ("[@pond, p. 3, and so on |]", "markdown"),
        ("As @pond said, p|", "markdown"),
        ("[@pond]. Then, |", "markdown"),
        (r"\ref{po|", "latex"),
        (r"\cite[p.~|]{}", "latex"),
        (r"\cite[see |][3]{pond}", "latex"),
        (r"\includegraphics[|]{pond}", "latex"),
        ("me@po|", "typst"),
    ],
)
def test_no_citation(marked: str, format: str) -> None:
    assert at_cursor(marked, format)[1] is None


def test_what_is_typed_of_a_citation_is_no_part_of_the_sentence() -> None:
    text, found = at_cursor("Ponds cool the air [see @pond, p. |], it is said.", "markdown")
    assert isinstance(found, TypedPage)
    assert text[: found.cut] + text[found.cut_end :] == "Ponds cool the air , it is said."
