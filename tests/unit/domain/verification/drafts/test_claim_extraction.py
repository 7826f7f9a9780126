"""Which words each citation stands for, and where they are."""

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.files.drafts import PARSERS, draft_of, told

from citeloom.domain.verification.drafts.draft import extract_claims, is_factual


@each(
    ("text", "expected"),
    [
        ("Ponds cool the air [@a].", [("Ponds cool the air.", ["a"])]),
        (
            "Ponds cool the air. [@a] Grids win.",
            [("Ponds cool the air.", ["a"]), ("Grids win.", [])],
        ),
        ("[@a] Ponds cool the air.", [("Ponds cool the air.", ["a"])]),
        ("Grids win.\n\n[@a] Ponds cool.", [("Grids win.", []), ("Ponds cool.", ["a"])]),
        (
            "Reading twice helps recall a lot [@a], but cramming does not help at all [@b].",
            [
                ("Reading twice helps recall a lot", ["a"]),
                ("cramming does not help at all.", ["b"]),
            ],
        ),
        (
            "Reading twice helps recall a lot [@a], while nobody knows the reason for it.",
            [("Reading twice helps recall a lot", ["a"]), ("nobody knows the reason for it.", [])],
        ),
        (
            "@a found that grids win, whereas @b found that transects win.",
            [("found that grids win", ["a"]), ("found that transects win.", ["b"])],
        ),
        (
            "Cooling falls in small ponds [@a] and in large lakes [@b].",
            [("Cooling falls in small ponds and in large lakes.", ["a", "b"])],
        ),
        (
            "Ponds [@a], lakes [@b] and rivers [@c] cool the air.",
            [("Ponds, lakes and rivers cool the air.", ["a", "b", "c"])],
        ),
        (
            "As Smith et al. [@a] showed, ponds cool.",
            [("As Smith et al. showed, ponds cool.", ["a"])],
        ),
        ("Ponds cool the air [@a] [@b, p. 3].", [("Ponds cool the air.", ["a", "b"])]),
    ],
)
def test_what_a_citation_stands_for(text, expected):
    assert told("markdown", text) == expected


def test_a_claim_knows_where_it_begins_and_ends():
    draft = draft_of("markdown", "# Title\n\nGrids win. Ponds cool\nthe air [@a].\n")
    claim = extract_claims(draft)[1]
    assert draft.text[claim.start : claim.end] == "Ponds cool\nthe air [@a]."
    assert (claim.begins.line, claim.begins.column) == (3, 12)
    assert (claim.ends.line, claim.ends.column) == (4, 14)


PIECES = st.sampled_from(
    [
        *("Ponds ", "cool ", "the air", ". ", ", and ", "; ", "'", "5 % ", "é", "ſ", "𝒳", "\t"),
        *("[@a]", "[@b, p. 3; see @c]", "@d [p. 4]", "@h[p. 5]", "#cite(<i>)", "<a>", "@"),
        *(r"\cite{e}", r"\citep[see][12]{f,g}", r"\textcite{j}", r"\emph{", r"\enquote{"),
        *(r"\footnote{", r"\item ", r"\begin{itemize}", r"\end{itemize}", r"\"{\i}", "\\", "%"),
        *("#emph[", "#", "//", "/*", "*/", "$x < 5$", "$", "$$", "`", "```", "%c\n"),
        *("\n", "\n\n", "\r\n", "- ", "# ", "= ", "*", "_", "~", "---", "^[", "[^1]"),
        *("{", "}", "[", "]", "(", ")", "“", "”", '"quoted words here"', "&amp;"),
        "https://x.org/a ",
    ]
)


@given(st.sampled_from(sorted(PARSERS)), st.lists(PIECES, max_size=40))
def test_positions_always_slice_the_draft_to_what_is_claimed(kind, pieces):
    text = "".join(pieces)
    draft = draft_of(kind, text)
    assert len(draft.prose) == len(text)
    last = 0
    for claim in extract_claims(draft):
        assert draft.plain(claim.start, claim.end) == claim.text
        assert last <= claim.start < claim.end <= len(text)
        last = claim.end
        lines = text[: claim.start].replace("\r\n", " \n").replace("\r", "\n").split("\n")
        assert claim.begins.line == len(lines)
    for citation in draft.citations:
        for item in citation.items:
            assert citation.start <= item.start < item.end <= citation.end
            assert item.key in text[item.start : item.end]


@each(
    ("text", "expected"),
    [
        ("About 12 per cent of all ponds dry out in August.", True),
        ("Ponds reduce the temperature of the air around them.", True),
        ("Shade improves accuracy by 38.4%.", True),
        ("Ponds lost 3 frogs, fewer.", True),
        ("It took 3 steps.", False),
        ("See p. 38.4.", False),
        ("We measured 12 ponds on 92 evenings in the summer.", False),
        ("How much do 12 ponds cool the air around them?", False),
        ("Ponds are pleasant places to sit and read.", False),
    ],
)
def test_facts_that_want_a_source(text, expected):
    assert is_factual(text) is expected


def test_a_verb_after_a_citation_has_its_subject_before_it():
    text = (
        "Ponds, a kind of still water [@a], are cooled at night, whereas lakes stay warm long [@b]."
    )
    assert told("markdown", text) == [
        ("Ponds, a kind of still water, are cooled at night", ["a"]),
        ("lakes stay warm long.", ["b"]),
    ]
    whole = "Ponds, a kind of still water [@a], are cooled at night by the open sky [@b]."
    assert told("markdown", whole) == [
        ("Ponds, a kind of still water, are cooled at night by the open sky.", ["a", "b"])
    ]
    joined = "Ponds cool the air at night [@a] and have been dug for centuries [@b]."
    assert told("markdown", joined) == [
        ("Ponds cool the air at night", ["a"]),
        ("have been dug for centuries.", ["b"]),
    ]
