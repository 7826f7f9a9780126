"""Formulas as linear text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from citeloom.infrastructure.ingest.conversion.formats.formulas import (
    mathml_text,
    tex_text,
    with_inline_formulas,
    with_markdown_formulas,
)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"3.2 \times 10^6", "3.2 × 10⁶"),
        (r"10^{-3}", "10⁻³"),
        (r"x_i^2", "x_i²"),
        (r"x_{i,j}", "x_(i,j)"),
        (r"\alpha \leq \beta_{n+1}", "α ≤ β_(n+1)"),
        (r"e^{-x_k}", "e^(-x_k)"),
        (r"\frac{1}{2}", "1/2"),
    ],
)
def test_tex_is_written_as_text(source: str, text: str) -> None:
    assert tex_text(source) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10⁶"),
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x_i"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i²"),
        ("<mfrac><mn>1</mn><msub><mi>d</mi><mi>k</mi></msub></mfrac>", "1/(d_k)"),
        ("<msqrt><mi>n</mi></msqrt><mo>=</mo><mn>2</mn>", "√n = 2"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
    ],
)
def test_mathml_is_written_as_text(markup: str, text: str) -> None:
    root = etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{markup}</math>')
    assert mathml_text(root) == text


@given(st.text(st.sampled_from("ab1^_{}\\$ %<>sup/~"), max_size=40))
def test_any_source_is_read(source: str) -> None:
    with_inline_formulas(source)
    with_markdown_formulas(source)


@given(st.text(st.characters(blacklist_characters="^_$\\~<%`"), max_size=60))
def test_source_without_formulas_stays(source: str) -> None:
    assert with_inline_formulas(source) == source
    assert with_markdown_formulas(source) == source


def test_code_stays() -> None:
    for source in (r"\begin{verbatim}a $x^2$ b\end{verbatim}", r"% costs $x^2$ b"):
        assert with_inline_formulas(source) == source
    for source in ("`a^2^ $x$`", "```\n10<sup>6</sup>\n```", "costs $5 and $6 in all"):
        assert with_markdown_formulas(source) == source
