"""LaTeX as text with CSL's markup."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.infrastructure.references.fields.latex_reader import from_latex, verbatim


@each(
    ("latex", "text"),
    [
        (r"{\"O}ttl, Erd\H{o}s, \'Eva \v{C}ech, G\"odel",
         "Öttl, Erdős, Éva Čech, Gödel"),
        (r"Stra{\ss}e, \L{}ukasz, \o re, caf{\'e}s, {\'etude}, \'{\i}",
         "Straße, Łukasz, øre, cafés, étude, í"),
        (r"{{City}} of {L}a{T}e{X}", "City of LaTeX"),
        (r"\emph{E. coli} \textbf{b} \textsuperscript{14}C",
         "<i>E. coli</i> <b>b</b> <sup>14</sup>C"),
        (r"$\alpha$-helix, H$_2$O, $x^{2}$, 5$^{\circ}$C, $\mathbb{R}^n$",
         "α-helix, H<sub>2</sub>O, x<sup>2</sup>, 5°C, ℝ<sup>n</sup>"),
        ("1--2 --- ``x''", "1–2 — “x”"),
        (r"A \& B, 5\%, a\_b, \#1, \$5, 100% of", "A & B, 5%, a_b, #1, $5, 100% of"),
        (r"\mkbibquote{x} \href{http://a}{b} \url{http://c_d}", "“x” b http://c_d"),
        (r"\textless b \textasciitilde{} \ldots", "<b ~ …"),
        (r"\cite{a}\footnote{b}\input{/etc/passwd}c", "c"),
        (r"\unknown{x}", "x"),
        (r"\textsc{mcx} \enquote*{E} b\slash c",
         '<span style="font-variant:small-caps;">mcx</span> “E” b/c'),
        (r"DNA$_{\textrm{2}}$", "DNA<sub>2</sub>"),
        (r"a } b { c \emph", "a  b  c \\emph"),
        (r"price $5", "price 5"),
        (r"$<<$nr. 57$>>$", "<<nr. 57>>"),
        (r"Nguy{\~\^e}n, Tr{\`{\^a}}n, H\h{o}, Ph\d{a}m, \h{\^e}, \d{\^e}",
         "Nguyễn, Trần, Hỏ, Phạm, ể, ệ"),
        (r"\'{\ohorn}, \d{\uhorn}, \'{\abreve}, \horn{o}, {\h o}", "ớ, ự, ắ, ơ, ỏ"),
        (r"\textcommabelow{S}tef\u{a}nescu, \textcommabelow t, {\cb t}, \c{S}ahin, \c t",
         "Ștefănescu, ț, ț, Şahin, ţ"),
        (r"\DJ or\dj evi\'c, \f{a}, \G{a}, \k{a}, \.I, \v{\i}, \b{k}",
         "Đorđević, ȃ, ȁ, ą, İ, ǐ, ḵ"),
    ],
)  # fmt: skip
def test_latex_becomes_plain_text(latex: str, text: str) -> None:
    assert from_latex(latex) == text


def test_addresses_lose_their_escapes_only() -> None:
    assert verbatim(r"http://x/a\_b{\%}20\&c~d--e{\textasciitilde}") == "http://x/a_b%20&c~d--e~"


@given(st.text(alphabet=st.sampled_from("ab{}\\\"'$_^~%& -()[]éemph"), max_size=60))
def test_any_text_is_accepted_as_latex(latex: str) -> None:
    assert isinstance(from_latex(latex), str)


@given(st.text(st.characters(exclude_characters="{}\\$~-`'%", exclude_categories=["C", "Z"])))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert from_latex("{" + text + "}") == text


@each(
    ("latex", "text"),
    [
        (r"Skibi\ifmmode \acute{n}\else \'{n}\fi{}ski", "Skibiński"),
        (r"\ifmmode \check{C}\else \v{C}\fi{}ern\'y", "Černý"),
        (r"Gro\ifmmode \beta\else \ss\fi{}e", "Große"),
        (r"K\ifmmode \ddot{u}\else \"{u}\fi{}hl and O", "Kühl and O"),
        ("Moss &amp; walls", "Moss & walls"),
        ("{Moss &amp; Walls}: $10^{6}$ &amp; more", "Moss & Walls: 10<sup>6</sup> & more"),
        (r"AT\&T &amp; Sons", "AT&T & Sons"),
    ],
)
def test_what_publishers_export(latex: str, text: str) -> None:
    assert from_latex(latex) == text
