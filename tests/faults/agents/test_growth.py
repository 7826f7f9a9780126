"""Drafts of one repeated form are read in time that grows with their length, and no faster."""

import time

import pytest

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.verification.judges import RuleJudge
from citeloom.domain.errors import InvalidSource
from citeloom.domain.verification.claims.judgement import SourceSentence
from citeloom.domain.verification.drafts.draft import extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles

pytestmark = pytest.mark.faults
FORMS = (
    "@a ", "@a", "Smith (2018) ", "[@a; @b, p. ", "[@a] ", ".", "a.", "a. ", "e.g. ", "| ", "|",
    "[a](", "[a][", "[a]: ", "[a]{", "&lt;", "\\verb|", "\\cite{", "\\cite{a}", "{{< ", "not ",
    "no ", "a\u0301", "\u0301", "(", "((", "[", "[[", "{", "}", "$", "$$", "`", "``", "`a`{", "~",
    "#", "# ", "\n", "\n\n", "\n\n\ta", "\n- ", "-- --\n", "# References\n", "[a1]: x\n", "> ",
    "\t", "\\", "\\begin{", "%", "--", '"', "“", "”", "'", "1 ", "1.", "1,", "1, 2", "[1] ",
    "10^3 ",
    "Smith et al. ", "Smith and Jones ", "(Smith, 2018; ", "Smith, 2018; ",
    "(Smith 2018) ", "et al. ", "<", "<a>",
    "<!--", "-->", "![", "![a](", "http://a", "<http:", "www.a.", "p. ", "pp. 1-", "#quote[",
    "#cite(", "@a[", "^[", "[^", "[^a]: ", "***", "___", "&amp;", "{{", "}}", ":::", "½",
    "more than ", "In 2018, ", "and ", "A, ",
    "\\textcquote{", "\\textcquote[1]{a}{b} ", "\\textquote[", "\\textquote[\\cite{a}]{b}",
    "\\cite[", "\\cite<", "\\cite<a>{a}", "\\cite%\n", "\\cite\n[", "\\cites[1]{a}[",
    "\\volcite{1}", "\\mycite{a}", "\\begin{displaycquote}{a}", "\\textelp{} ", "\\cite[p.\\,",
    "a,%\n", "\\cite{\\section{", "#quote(attribution: <a>)[b] ", "#quote(attribution: ", "#block[",
    "#a(b)[", "#a[b]", "#footnote[@a", "#footnote[@a] ", "#if a [", "= @a\n", "cite(<a>) ",
    "[[@a]] ", "[[@", "[a](zotero://select/items/@", "[a](#ref-b) ", "](", "| @a |\n", "# @a\n",
    "![@a](b)", "[@a, p.\\ ", "&nbsp;", "p. (", "3-",
)  # fmt: skip
SHORT, TIMES, LONGEST = 12_500, 4, 3_000
#: What measuring costs, and what growth may exceed that of the text by: CPU seconds, a factor.
FLOOR, SLACK = 0.1, 1.4


def cpu_seconds(form: str, markup: DraftMarkup, length: int) -> float:
    text = (form * (length // len(form) + 1))[:length]
    began = time.process_time()
    try:
        draft = DraftFiles().parse(DraftText(text=text, markup=markup))
    except InvalidSource:  # it nests too deeply
        return 0.0
    extract_claims(draft)
    return time.process_time() - began


@pytest.mark.parametrize("markup", DraftMarkup)
@pytest.mark.parametrize("form", FORMS)
def test_a_draft_is_read_in_linear_time(form: str, markup: DraftMarkup):
    short, long = (cpu_seconds(form, markup, length) for length in (SHORT, SHORT * TIMES))
    assert long <= FLOOR + SLACK * TIMES * short


@pytest.mark.parametrize("form", FORMS)
def test_a_claim_is_judged_in_bounded_time(form: str):
    def seconds(length: int) -> float:
        claim = (form * (length // len(form) + 1))[:length]
        began = time.process_time()
        RuleJudge().judge(claim, [SourceSentence(one, 0.9) for one in (claim[::-1], claim)])
        return time.process_time() - began

    assert seconds(LONGEST) <= 1  # beyond it, a claim is not judged
