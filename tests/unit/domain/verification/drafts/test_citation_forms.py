"""The format of a draft, guessed from its citations."""

from support.cases import each

from citeloom.domain.verification.drafts.typed_citations import guessed_format

DRAFTS = [
    ("Ponds cool the air [@szelkuti2022, p. 1].", "markdown"),
    ("Ponds cool the air (Szelkuti, 2022).", "markdown"),
    ("Ponds cool the air [3].\n\n# References\n\n[3] Szelkuti.", "markdown"),
    (r"Ponds cool the air \citep[p.~1]{szelkuti2022}.", "latex"),
    (r"Ponds cool the air \autocite{szelkuti2022}.", "latex"),
    ("\\documentclass{article}\nPonds cool the air (Szelkuti, 2022).", "latex"),
    (r"Cite as \cite{key} in LaTeX, else [@szelkuti2022].", "markdown"),
    ("Ponds cool the air #cite(<szelkuti2022>, supplement: [p. 1]).", "typst"),
    ('#bibliography("works.bib")\nPonds cool the air @szelkuti2022.', "typst"),
    ("Mail me@example.org about 3 #showers.", "markdown"),
    ("", "markdown"),
]


@each(("text", "format"), DRAFTS)
def test_the_format_is_that_of_the_citations_else_of_the_commands(text: str, format: str) -> None:
    assert guessed_format(text) == format
