r"""Drafts of several files: what ``\input`` and its like name is read in its own file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.domain.verification.drafts.draft import extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files of a thesis; the first is the draft."""

    def write(**files: str) -> Path:
        paths = []
        for name, text in files.items():
            path = tmp_path / "thesis" / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            paths.append(path)
        return paths[0]

    return write


def told(path: Path) -> list[tuple[str | None, int, str]]:
    claims = extract_claims(DraftFiles().read(path))
    return [
        (
            Path(c.file).relative_to(path.parent).as_posix() if c.file else None,
            c.begins.line,
            c.text,
        )
        for c in claims
    ]


def test_claims_of_included_files_have_their_own_lines(write):
    draft = write(
        main_dot_tex="\\input{preamble}\n\\begin{document}\nPonds cool the air \\cite{a}.\n"
        "\\include{chapters/one}\n\\input{chapters/two.tex}\n\\end{document}\n",
        preamble_dot_tex="\\newcommand{\\x}{never read}",
        chapters__one_dot_tex="\\chapter{One}\n\nLakes cool it, too \\autocite[3]{b}.\n",
        chapters__two_dot_tex="% a comment\nReeds shade the water \\cite{c}.\n",
    )
    assert told(draft) == [
        (None, 3, "Ponds cool the air."),
        ("chapters/one.tex", 3, "Lakes cool it, too."),
        ("chapters/two.tex", 2, "Reeds shade the water."),
    ]


def test_files_that_include_each_other_are_read_once(write):
    draft = write(
        main_dot_tex="Ponds cool \\cite{a}. \\input{other}",
        other_dot_tex="Lakes cool \\cite{b}. \\input{main} \\input{other}",
    )
    assert [text for _, _, text in told(draft)] == ["Ponds cool.", "Lakes cool."]
    assert DraftFiles().read(draft).warnings == ()


def test_a_missing_file_is_named_with_the_place_that_includes_it(write):
    draft = write(main_dot_tex="Ponds cool \\cite{a}.\n\n\\input{chapters/gone}\n")
    (warning,) = DraftFiles().read(draft).warnings
    assert warning == f"{draft}:3: not read: chapters/gone is not there"


@pytest.mark.parametrize("name", ["../secret", "../thesis-notes/secret.tex"])
def test_no_file_outside_the_folder_of_the_draft_is_read(write, tmp_path, name):
    draft = write(main_dot_tex=f"Ponds cool \\cite{{a}}. \\input{{{name}}}")
    for outside in ("secret.tex", "thesis-notes/secret.tex"):
        (tmp_path / outside).parent.mkdir(exist_ok=True)
        (tmp_path / outside).write_text("Secrets \\cite{b}.")
    (warning,) = DraftFiles().read(draft).warnings
    assert "outside the folder of the draft" in warning
    assert [text for _, _, text in told(draft)] == ["Ponds cool."]


def test_a_link_out_of_the_folder_is_not_followed(write, tmp_path):
    draft = write(main_dot_tex="Ponds cool \\cite{a}. \\input{linked}")
    (tmp_path / "secret.tex").write_text("Secrets \\cite{b}.")
    (draft.parent / "linked.tex").symlink_to(tmp_path / "secret.tex")
    assert [text for _, _, text in told(draft)] == ["Ponds cool."]


def test_a_file_that_is_no_text_is_told_and_the_rest_is_read(write):
    draft = write(
        main_dot_tex="Ponds cool \\cite{a}. \\input{bad} \\input{good}",
        good_dot_tex="Lakes cool \\cite{b}.",
    )
    (draft.parent / "bad.tex").write_bytes(b"\xff\xfe\x00")
    assert [text for _, _, text in told(draft)] == ["Ponds cool.", "Lakes cool."]
    assert "is not UTF-8" in DraftFiles().read(draft).warnings[0]


def test_pictures_and_names_made_by_commands(write):
    draft = write(main_dot_tex="Ponds cool \\cite{a}. \\input{plot.pgf} \\input{\\folder/x}")
    (warning,) = DraftFiles().read(draft).warnings
    assert "made by a command" in warning


def test_what_a_sentence_includes_in_the_middle_parts_paragraphs(write):
    draft = write(
        main_dot_tex="Ponds cool\n\\input{one}\nLakes cool, too \\cite{a}.", one_dot_tex="So"
    )
    assert told(draft)[0][2] == "Ponds cool"


def test_includes_of_typst_and_quarto_are_followed(write):
    typst = write(
        main_dot_typ='Ponds cool @a.\n\n// #include "gone.typ"\n#include "parts/one.typ"\n',
        parts__one_dot_typ='#include "two.typ"\nLakes cool @b.\n',
        parts__two_dot_typ="Reeds cool @c.\n",
    )
    assert [file for file, _, _ in told(typst)] == [None, "parts/one.typ", "parts/two.typ"]
    quarto = write(
        main_dot_qmd="Ponds cool [@a].\n\n{{< include _one.qmd >}}\n\n"
        "```\n{{< include no.md >}}\n```\n",
        _one_dot_qmd="Lakes cool [@b].\n",
    )
    assert [file for file, _, _ in told(quarto)] == [None, "_one.qmd"]
    assert DraftFiles().read(quarto).warnings == ()


def test_text_without_a_file_has_nothing_beside_it():
    draft = DraftFiles().parse(
        DraftText(text="\\input{one} \\input{two}", markup=DraftMarkup.LATEX)
    )
    assert draft.warnings == ("text: files that it includes were not read: one, two",)
