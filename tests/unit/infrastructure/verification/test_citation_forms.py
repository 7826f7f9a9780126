r"""Every form of citation is read, or named as unread with its line."""

import string
from pathlib import Path

import pytest
from docx import Document
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.files.drafts import draft_of, told
from support.files.word_fields import add_field

from citeloom.domain.citation.in_text import (
    CITING,
    IN_TEXT,
    NOT_CITING,
    QUOTES_KEY,
    SEVERAL,
    VOLUMES,
    InText,
    Mention,
)
from citeloom.domain.verification.drafts.draft import Draft, extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles

COOL = "Ponds cool the air"
MARKUP = {"latex": "latex", "typst": "typst", "pandoc": "markdown"}


def cited(draft: Draft) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    return [
        (item.key, item.locator.pages if item.locator else ())
        for citation in draft.citations
        for item in citation.items
    ]


@each(
    ("text", "claim", "key", "page"),
    [
        (rf"They say \textcquote[1]{{a}}{{{COOL}}}.", f"They say “{COOL}”.", "a", "1"),
        (rf"They say \textcquote[see][1]{{a}}[.]{{{COOL}}}", f"They say “{COOL}”", "a", "1"),
        (rf"\blockcquote[1]{{a}}{{{COOL}}}", f"“{COOL}”", "a", "1"),
        (rf"\foreigntextcquote{{german}}[1]{{a}}{{{COOL}}}.", f"“{COOL}”.", "a", "1"),
        (rf"\hyphenblockcquote{{german}}[1]{{a}}{{{COOL}}}.", f"“{COOL}”.", "a", "1"),
        (rf"\textquote[{{\cite[1]{{a}}}}]{{{COOL}}}.", f"“{COOL}”.", "a", "1"),
        (rf"\foreigntextquote{{german}}[\cite[1]{{a}}]{{{COOL}}}.", f"“{COOL}”.", "a", "1"),
        (rf"\blockquote[{{\autocite[1]{{a}}}}][.]{{{COOL}}}", f"“{COOL}”", "a", "1"),
        (
            f"\\begin{{displaycquote}}[1]{{a}}\n{COOL}.\n\\end{{displaycquote}}\n",
            f"“ {COOL}.”",
            "a",
            "1",
        ),
        (
            f"\\begin{{foreigndisplaycquote}}{{german}}[1]{{a}}\n{COOL}.\n"
            "\\end{foreigndisplaycquote}\n",
            f"“ {COOL}.”",
            "a",
            "1",
        ),
        (
            f"\\begin{{displayquote}}[{{\\cite[1]{{a}}}}]\n{COOL}.\n\\end{{displayquote}}\n",
            f"“ {COOL}.”",
            "a",
            "1",
        ),
        (
            rf"\textcquote[1]{{a}}{{{COOL} \textelp{{}} and \textins{{the}} town}}.",
            f"“{COOL} […] and [the] town”.",
            "a",
            "1",
        ),
    ],
)
def test_a_quotation_of_csquotes_cites_its_source(text: str, claim: str, key: str, page: str):
    (found,) = extract_claims(draft_of("latex", text))
    assert found.text == claim
    assert [(one.key, one.locator and one.locator.labels) for one in found.cited] == [
        (key, (page,))
    ]


def test_what_follows_a_quoted_environment_is_another_claim():
    text = f"So:\n\\begin{{displaycquote}}[1]{{a}}{COOL}.\\end{{displaycquote}} Grids \\cite{{b}}."
    assert told("latex", text)[-1] == ("Grids.", ["b"])
    assert draft_of("latex", text).warnings == ()


@each("name", sorted(CITING - SEVERAL - VOLUMES))
def test_each_listed_command_cites(name: str):
    draft = draft_of("latex", rf"{COOL} \{name}[p.~3]{{a}}.")
    assert cited(draft) == [("a", (("3", "3"),))]
    assert draft_of("latex", rf"{COOL} \{name}*{{a}}.").citations[0].items[0].key == "a"


@each("name", sorted(VOLUMES))
def test_volumes_stand_before_pages_and_key(name: str):
    assert cited(draft_of("latex", rf"So \{name}[see]{{2}}[3]{{a}}.")) == [("a", (("3", "3"),))]
    assert cited(draft_of("latex", rf"So \{name}{{2}}{{a}}.")) == [("a", ())]


@each("name", sorted(SEVERAL - VOLUMES))
def test_several_keys_have_notes_of_their_own(name: str):
    found = cited(draft_of("latex", rf"So \{name}(cf.)(etc.)[1]{{a}}[see][2]{{b}}."))
    assert found == [("a", (("1", "1"),)), ("b", (("2", "2"),))]


@each("name", sorted(NOT_CITING))
def test_commands_about_citations_are_none(name: str):
    draft = draft_of("latex", rf"{COOL} \{name}{{a}}.")
    assert (draft.citations, draft.warnings) == ((), ())


@each(
    ("text", "expected"),
    [
        ("\\cite[p.~1]%\n{a}", [("a", (("1", "1"),))]),
        ("\\autocite[1]\n{a}", [("a", (("1", "1"),))]),
        ("\\citep{a,%\n  b}", [("a", ()), ("b", ())]),
        ("\\citep{a, % the one, and\n  b}", [("a", ()), ("b", ())]),
        ("\\cite\n  [see]\n  [1]\n  {a}", [("a", (("1", "1"),))]),
        ("\\cites[1]{a}%\n[2]{b}", [("a", (("1", "1"),)), ("b", (("2", "2"),))]),
        ("\\cite\n\n{a}", []),
        (r"\cite<see>[p.~3]{a}", [("a", (("3", "3"),))]),
        (r"\shortcite<see>{a}", [("a", ())]),
        (r"\cite[{pp. 3, 5}]{a}", [("a", (("3", "3"), ("5", "5")))]),
        (r"\cite[\pno~3]{a}", [("a", (("3", "3"),))]),
        (r"\cite[\ppno~S3--S5]{a}", [("a", (("S3", "S5"),))]),
        (r"\cite[12\psq]{a}", [("a", (("12", "13"),))]),
        (r"\cite[p.\,3]{a}", [("a", (("3", "3"),))]),
        (r"\cite[p.\ 3]{a}", [("a", (("3", "3"),))]),
        (r"\citetext{see \citealp[3]{a}}", [("a", (("3", "3"),))]),
    ],
)
def test_a_citation_may_be_set_in_many_ways(text: str, expected: object):
    assert cited(draft_of("latex", f"{COOL} {text}.")) == expected


def test_a_command_that_is_not_listed_cites_by_its_name():
    (citation,) = draft_of("latex", rf"{COOL} \mycite[3]{{a}}.").citations
    assert (citation.unlisted, citation.items[0].key) == ("\\mycite", "a")


@each(
    ("kind", "text", "named"),
    [
        ("latex", "Words.\n\\begin{figure}\\caption{On \\cite{a}}\\end{figure}", "\\cite (line 2)"),
        ("latex", "Words.\n\n\\section{On \\citet{a}}", "\\citet (line 3)"),
        ("latex", "\\newcommand{\\smith}{\\citet{a}}\nWords \\smith.", "\\citet (line 1)"),
        ("latex", "Words \\mycite{no key}.", "\\mycite (line 1)"),
        ("typst", "Words.\n#figure(rect(), caption: [On @a])", "@a (line 2)"),
        ("typst", "Words.\n\n= On @a\n", "@a (line 3)"),
        ("typst", "#let smith = cite(<a>)\nWords.", "cite(…) (line 1)"),
        ("typst", "#table([@a], [b])\n\n@a", "@a (line 1)"),
        ("markdown", "Words.\n\n| a | [@a] |\n|---|---|\n| b | c |\n", "@a (line 3)"),
        ("markdown", "# On [@a]\n\nWords.", "@a (line 1)"),
        ("markdown", "Words.\n\n![On @a](x.png)", "@a (line 3)"),
    ],
)
def test_a_citation_that_is_not_read_is_named_with_its_line(kind: str, text: str, named: str):
    (warning,) = draft_of(kind, text).warnings
    assert "not read as citations" in warning
    assert named in warning


@each(
    ("kind", "text"),
    [
        ("latex", "% \\cite{a}\n\\verb|\\cite{a}| \\newcommand{\\x}[1]{\\cite{#1}} 5\\% words."),
        ("latex", "\\begin{lstlisting}\n\\cite{a}\n\\end{lstlisting}\nWords."),
        ("typst", '#import "@preview/cetz:0.2.2": canvas\n// @a\n`@b` me@x.org Words.'),
        ("typst", "= Intro <sec>\nSee @sec."),
        ("markdown", "```\n@a\n```\n`@b` me@x.org\n\n# See @fig-x\n"),
    ],
)
def test_what_is_no_citation_is_not_named(kind: str, text: str):
    assert draft_of(kind, text).warnings == ()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("latex", r"So \cite[S.~alt 3]{a}."),
        ("typst", "So @a[page no. 3]."),
        ("markdown", "So [@a, (3)]."),
    ],
)
def test_a_page_that_is_not_understood_is_named(kind: str, text: str):
    (warning,) = draft_of(kind, text).warnings
    assert warning.startswith(f"draft.{kind}:1: the place ")
    assert "its page is not checked" in warning


@each(
    ("text", "claims"),
    [
        (f"#quote(attribution: <a>)[{COOL}.]", [(f"“{COOL}.”", ["a"])]),
        (f"#quote(block: true, attribution: [@a[p. 1]])[{COOL}.]", [(f"“{COOL}.”", ["a"])]),
        (f"#quote(attribution: [X, #cite(<a>)])[{COOL}.]", [(f"“{COOL}.”", ["a"])]),
        (f"#block[{COOL} @a.]\nMore.", [(f"{COOL}.", ["a"]), ("More.", [])]),
        (f"#columns(2)[\n{COOL} @a.\n]", [(f"{COOL}.", ["a"])]),
        (f"#align(center)[{COOL} #box[so] @a.]", [(f"{COOL} so.", ["a"])]),
        (f"#let note(x) = x\n#note[{COOL} @a.]", [(f"{COOL}.", ["a"])]),
        (f"#my.claim(red)[{COOL}] @a.", [(f"{COOL}.", ["a"])]),
        (f"#[{COOL} @a.]", [(f"{COOL}.", ["a"])]),
        (f"{COOL}.#footnote[See #cite(<a>, supplement: [p. 3]).]", [(f"{COOL}.", ["a"])]),
    ],
)
def test_content_of_typst_is_read(text: str, claims: object):
    draft = draft_of("typst", text)
    assert told("typst", text) == claims
    assert draft.warnings == ()


@each(
    ("link", "key"),
    [
        ("[[@a]]", "a"),
        ("[[@a|Lund 2020]]", "a"),
        ("[[Notes/@a#Results]]", "a"),
        ("[Lund](zotero://select/items/@a)", "a"),
        ("[Lund](zotero://select/library/items/ABCD2345)", "ABCD2345"),
        ("[Lund](zotero://open-pdf/library/items/ABCD2345?page=3)", "ABCD2345"),
        ("[Lund](#ref-a)", "a"),
        ("[Lund](notes/@a.md)", "a"),
    ],
)
def test_links_of_quarto_and_obsidian_cite(link: str, key: str):
    assert [keys for _, keys in told("markdown", f"{COOL} {link}.")] == [[key]]


def test_other_links_cite_nothing():
    text = "[x](https://x.org/@a) [y](me@x.org) [z](#ponds)"
    assert draft_of("markdown", text).citations == ()


@pytest.mark.parametrize("style", list(IN_TEXT))
@given(
    key=st.text(string.ascii_letters + string.digits, min_size=1, max_size=8),
    label=st.from_regex(r"(?:[1-9]\d{0,3}|[SA][1-9]\d?|x{0,2}i{1,3})", fullmatch=True),
)
def test_what_is_cited_is_read_again(style: InText, key: str, label: str):
    written = IN_TEXT[style]([Mention(citekey=f"k{key}", labels=(label,))])
    draft = draft_of(MARKUP[style.value], f"{COOL} {written}.")
    assert cited(draft) == [(f"k{key}", ((label, label),))]
    assert draft.warnings == ()


@given(
    st.lists(
        st.sampled_from(
            [f"\\{name}" for name in (*sorted(QUOTES_KEY), "textquote", "volcite", "cites")]
            + ["[", "]", "{", "}", "<", ">", "%", "\n", "a", ",", "*", "(", ")", " "]
        ),
        max_size=30,
    ).map("".join)
)
def test_any_arguments_are_read_to_a_draft(text: str):
    draft = draft_of("latex", text)
    assert all(
        draft.text[one.start : one.end] == one.key for c in draft.citations for one in c.items
    )


SOURCES = """<b:Sources xmlns:b="http://schemas.openxmlformats.org/officeDocument/2006/bibliography">
<b:Source><b:Tag>Lun20</b:Tag><b:Author><b:Author><b:NameList><b:Person><b:Last>Lund</b:Last>
<b:First>Ada</b:First></b:Person></b:NameList></b:Author></b:Author><b:Title>Ponds</b:Title>
<b:Year>2020</b:Year></b:Source></b:Sources>"""


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        (" CITATION Lun20 \\l 1033 ", [("Lun20", ())]),
        (" CITATION Lun20 \\p 12 \\l 1033 ", [("Lun20", (("12", "12"),))]),
        (
            ' CITATION Lun20 \\f "see " \\p 12-14 \\m Moss18 \\n ',
            [("Lun20", (("12", "14"),)), ("Moss18", ())],
        ),
        (' CITATION Lun20 \\p "3, 5" \\v 2 ', [("Lun20", (("3", "3"), ("5", "5")))]),
    ],
)
def test_words_own_fields_cite_their_sources(tmp_path: Path, instruction: str, expected: object):
    document = Document()
    paragraph = document.add_paragraph("Ponds cool the air ")
    add_field(paragraph, instruction, "(Lund, 2020)")
    paragraph.add_run(".")
    document.part.relate_to(
        Part(
            PackURI("/customXml/item7.xml"),
            "application/xml",
            SOURCES.encode(),
            document.part.package,
        ),
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml",
    )
    document.save(str(tmp_path / "draft.docx"))
    draft = DraftFiles().read(tmp_path / "draft.docx")
    assert cited(draft) == expected
    assert (draft.works["Lun20"].authors, draft.works["Lun20"].years) == (("Lund",), (2020,))


def test_a_field_in_a_table_of_word_is_named(tmp_path: Path):
    document = Document()
    add_field(document.add_table(1, 1).cell(0, 0).paragraphs[0], " CITATION Lun20 ", "(Lund)")
    document.save(str(tmp_path / "draft.docx"))
    (warning,) = DraftFiles().read(tmp_path / "draft.docx").warnings
    assert "Lun20 (line 1)" in warning


@each(
    ("kind", "text", "expected"),
    [
        ("markdown", "{cite:p}`a,b`", [("a", ()), ("b", ())]),
        ("markdown", "{cite:t}`{see}a{p. 3}`", [("a", (("3", "3"),))]),
        ("markdown", "{cite}`a{pp. 3-5}, {cf.}b`", [("a", (("3", "5"),)), ("b", ())]),
        ("markdown", r"\cite[3]{a}", [("a", (("3", "3"),))]),
        ("markdown", r"\citep[see][p. 3]{a,b}", [("a", ()), ("b", (("3", "3"),))]),
        ("markdown", r"\citet{a} \parencite[4]{b}", [("a", ()), ("b", (("4", "4"),))]),
        ("markdown", "[@a, on pages 1-10]", [("a", (("1", "10"),))]),
        ("markdown", "[@a, note 2 on p. 7]", [("a", (("7", "7"),))]),
        ("latex", r"\cite[Theorem 2, p.~3]{a}", [("a", (("3", "3"),))]),
        ("latex", r"\cite[Sect.~4; pp.~3--5]{a}", [("a", (("3", "5"),))]),
        ("latex", r"\fullciteauthor[3]{a} \citeauthorNP{b}", [("a", (("3", "3"),)), ("b", ())]),
        ("typst", "#ref(<a>, supplement: [p. 3])", [("a", (("3", "3"),))]),
        ("typst", "#citet(<a>) #citep(<b>)", [("a", ()), ("b", ())]),
        ("typst", '#citealt(label("a"), supplement: [4])', [("a", (("4", "4"),))]),
    ],
)
def test_forms_of_other_tools_are_read(kind: str, text: str, expected: object):
    draft = draft_of(kind, f"{COOL} {text}.")
    assert cited(draft) == expected
    assert draft.warnings == ()


@each(
    ("kind", "text", "named"),
    [
        ("latex", r"\citet[as \citealt{b}]{a}", r"\citealt"),
        ("latex", r"\cite[see also \cite{b} there][3]{a}", r"\cite"),
        ("latex", r"\newcommand{\mc}[2]{\cite[#1]{#2}}\mc{3}{a}", r"\mc"),
        ("latex", r"\providecommand\ref[1]{(\citep{#1})} \ref{a}", r"\ref"),
        ("typst", '#citep("a")', "#cite"),
        ("typst", "#citet(key)", "#cite"),
        ("markdown", r"\cite{}", r"\cite"),
        ("markdown", "[@a, VIII, 89]", "VIII, 89"),
        ("markdown", "[@a, II:12]", "II:12"),
    ],
)
def test_what_is_not_read_of_them_is_named(kind: str, text: str, named: str):
    (warning,) = draft_of(kind, f"{COOL} {text}.").warnings
    assert named in warning


def test_a_reference_to_a_figure_of_typst_cites_nothing():
    draft = draft_of("typst", f"{COOL}, #ref(<f>).\n\n#figure[x] <f>\n")
    assert (draft.citations, draft.warnings) == ((), ())


def test_code_that_shows_a_command_cites_nothing():
    assert draft_of("markdown", f"{COOL} `\\cite{{a}}` and `{{cite}}`.").citations == ()
