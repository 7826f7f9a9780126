"""Formulas as linear text."""

from lxml import etree
from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.formulas import (
    displayed_text,
    mathml_text,
    tex_text,
    with_word_formulas,
)


@each(
    ("source", "text"),
    [
        (r"3.2 \times 10^6", "3.2 × 10⁶"),
        (r"10^{-3}", "10⁻³"),
        (r"x_i^2", "x_i²"),
        (r"x_{i,j}", "x_(i,j)"),
        (r"\alpha \leq \beta_{n+1}", "α ≤ β_(n+1)"),
        (r"e^{-x_k}", "e^(−x_k)"),
        (r"\frac{1}{2}", "1/2"),
        (r"f'(x) = -4", "f′(x) = −4"),
        (r"\bar{x}", "x̄"),
        (r"a \ne b \implies \neg c \land d \lor e \iff f", "a ≠ b ⟹ ¬c ∧ d ∨ e ⟺ f"),
        (
            r"\Re z, \Im z, \Pr(A), \det A, n\log n, 2\sin x",
            "Re z, Im z, Pr(A), det A, n log n, 2 sin x",
        ),
        (
            r"\max_x f, \operatorname{arg\,min}_x f, \underset{x}{\max} f",
            "max_x f, arg min_x f, max_x f",
        ),
        (
            r"\binom{n}{k}, {n \choose k}, a \equiv b \pmod{n}",
            "(n choose k), n choose k, a ≡ b (mod n)",
        ),
        (r"\left. \dfrac{a}{b} \right|_{x}", "a/b |_x"),
        (r"\begin{cases} 1 & x>0 \\ 0 & \text{else}\end{cases}", "1 x > 0; 0 else"),
        (r"\|x\|, f\colon A \to B, a\_b", "‖x‖, f: A → B, a_b"),
        (r"\overset{a}{b}, \xrightarrow{f} c, \mbox{so} \mathds{1}", "b^a, → ^f c, so 1"),
        (r"x \hskip 1em y \displaystyle z \color{red} q", "x y z q"),
        (r"x \foo y", r"x \foo y"),
    ],
)
def test_tex_is_written_as_text(source: str, text: str) -> None:
    assert tex_text(source) == text


@each(
    ("markup", "text"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10⁶"),
        ("<msub><mi>x</mi><mi>i</mi></msub>", "x_i"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i²"),
        ("<mfrac><mn>1</mn><msub><mi>d</mi><mi>k</mi></msub></mfrac>", "1/(d_k)"),
        ("<msqrt><mi>n</mi></msqrt><mo>=</mo><mn>2</mn>", "√n = 2"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x̄"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", "n¦k"),
        ("<munderover><mo>∑</mo><mn>1</mn><mi>∞</mi></munderover><mi>x</mi>", "∑₁^∞ x"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
    ],
)
def test_mathml_is_written_as_text(markup: str, text: str) -> None:
    root = etree.fromstring(f'<math xmlns="http://www.w3.org/1998/Math/MathML">{markup}</math>')
    assert mathml_text(root) == text


@each(
    ("source", "text"),
    [
        (r"\begin{equation}\label{e1} E = mc^2 \end{equation}", "E = mc²"),
        (r"\begin{align*} a &= 1 \\ b &= 2 \nonumber \end{align*}", "a = 1; b = 2"),
        (r"y = kt \tag{3}", "y = kt (3)"),
        ("plain words", "plain words"),
    ],
)
def test_a_displayed_formula_is_one_line(source: str, text: str) -> None:
    assert displayed_text(source) == text


def r(words: str) -> str:
    return f"<m:r><m:t>{words}</m:t></m:r>"


def part(name: str, words: str) -> str:
    return f"<m:{name}>{r(words) if words else ''}</m:{name}>"


@each(
    ("markup", "text"),
    [
        (r("A=π") + f"<m:sSup>{part('e', 'r')}{part('sup', '2')}</m:sSup>", "A = πr²"),
        (f"<m:sSub>{part('e', 'x')}{part('sub', 'i')}</m:sSub>", "x_i"),
        (f"<m:sSubSup>{part('e', 'x')}{part('sub', '1')}{part('sup', '2')}</m:sSubSup>", "x₁²"),
        (f"<m:sPre>{part('sub', '6')}{part('sup', '14')}{part('e', 'C')}</m:sPre>", "₆¹⁴C"),
        (f"<m:f><m:fPr/>{part('num', '1')}{part('den', 'n+1')}</m:f>", "1/(n+1)"),
        (f"<m:rad>{part('deg', '')}{part('e', 'n')}</m:rad>", "√n"),
        (f"<m:rad>{part('deg', '3')}{part('e', 'a+b')}</m:rad>", "³√(a+b)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/></m:dPr>{part('e', 'a')}</m:d>", "[a)"),
        (
            "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>"
            f"{part('sub', 'n=1')}{part('sup', '∞')}{part('e', 'x')}</m:nary>",
            "∑_(n = 1)^∞ x",
        ),
        (r("2") + f"<m:func>{part('fName', 'cos')}{part('e', 'x')}</m:func>", "2 cos x"),
        (f"<m:acc><m:accPr><m:chr m:val='~'/></m:accPr>{part('e', 'n')}</m:acc>", "ñ"),
        (f"<m:bar>{part('e', 'x')}</m:bar>", "x̄"),
        (f"<m:eqArr>{part('e', 'a=1')}{part('e', 'b=2')}</m:eqArr>", "a = 1; b = 2"),
    ],
)
def test_a_formula_of_word_is_written_as_text(markup: str, text: str) -> None:
    names = {
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    }
    spaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in names.items())
    formula = f"<m:oMath>{markup}</m:oMath>"
    display = f"<m:oMathPara><m:oMathParaPr/>{formula}</m:oMathPara>"
    root = etree.fromstring(f"<w:body {spaces}><w:p>{formula}</w:p><w:p>{display}</w:p></w:body>")
    assert with_word_formulas(root)
    assert root.xpath("w:p/w:r/w:t/text()", namespaces=names) == [text, text]
    assert not with_word_formulas(root)
