"""Target: drafts in each markup, and the claims in them."""

from fuzz.mutation import texts
from fuzz.seeds import seed
from fuzz.target import Target
from hypothesis import strategies as st

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.domain.verification.drafts.draft import extract_claims
from citeloom.infrastructure.verification.drafts.reader import DraftFiles

DRAFTS = tuple(seed(f"draft.{suffix}") for suffix in ("md", "tex", "typ", "txt"))
PIECES = (
    "[@", "@a", "[^1]", "[^1]:", "`", "```\n", "$", "$$", "\\", "\\cite{", "\\begin{", "\\end{",
    "]", "\\footnote{", "{", "}",
    "%", "#", "#cite(", "<a>", '"', "“", "”", "\n\n", "\n", "---\n", "<!--",
    "-->", "| ", "    ", ">", "&amp;", "&#x110000;", "\\input{../x}", "pp. ", "\\verb|",
    "\\(", "/*",
)  # fmt: skip


def _draft(drawn: tuple[DraftMarkup, str]) -> None:
    markup, text = drawn
    draft = DraftFiles().parse(DraftText(text=text, markup=markup))
    for claim in extract_claims(draft):
        assert claim.text


def _documented(drawn: tuple[DraftMarkup, str]) -> None:
    from citeloom.domain.errors import InvalidSource

    try:
        _draft(drawn)
    except InvalidSource:
        assert drawn[0] is DraftMarkup.LATEX


TARGETS = (
    Target(
        "drafts",
        st.tuples(st.sampled_from(DraftMarkup), texts(DRAFTS, PIECES)),
        _documented,
        weight=2,
    ),
)
