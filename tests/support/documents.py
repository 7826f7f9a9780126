"""Generated documents: headings of several levels, pages, lists, tables, footnotes, scripts."""

from dataclasses import replace

from hypothesis import strategies as st
from support.builders import Part, a_document, heading, paragraph

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult

SENTENCES = [
    "Ponds cool the street on summer evenings.",
    "We measured it, cf. Fig. 3, at four distances from the shore of each of the ponds.",
    "Does it last?",
    "Пруды охлаждают воздух летом.",
    "Οι λίμνες δροσίζουν τον αέρα.",
    "池塘使夏天傍晚的空气变凉。",
    "البرك تبرد الهواء في الصيف.",
    "in which 𝛿 is the decay length, e\u0301tude n\u0303o.",
    "Three conclusions follow:",
    "word " * 150 + "end.",
    "ACGT" * 90,
    " ".join(["pneumonoultramicroscopicsilicovolcanoconiosis" * 2] * 30),
    "長い文章には空白がない" * 40,
    "x\u0301" * 200,
]
TITLES = ["Methods", "1 Introduction", "Results and discussion of all that was found", "結果", "A"]
ROWS = ["Alder Basin | 0.3 | 1.21", "Mill Reeds | 0.7 | 1.58", "Kőris | 1.2", "a | b", "long " * 90]

PAGE_STEP = st.sampled_from([0, 0, 0, 1, 2])


def _parts(level: st.SearchStrategy[int]) -> st.SearchStrategy[Part]:
    sentences = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)
    prose = st.sampled_from(
        [
            BlockLabel.TEXT,
            BlockLabel.TEXT,
            BlockLabel.LIST_ITEM,
            BlockLabel.FOOTNOTE,
            BlockLabel.CAPTION,
            BlockLabel.REFERENCE,
            BlockLabel.FORMULA,
        ]
    )
    by_line = st.lists(st.sampled_from(ROWS), min_size=1, max_size=25).map("\n".join)
    return st.one_of(
        st.builds(Part, prose, sentences),
        st.builds(Part, prose, sentences),
        st.builds(Part, st.just(BlockLabel.TEXT), sentences, aside=st.just(True)),
        st.builds(Part, st.just(BlockLabel.SECTION_HEADER), st.sampled_from(TITLES), level),
        st.builds(Part, st.sampled_from([BlockLabel.TABLE, BlockLabel.CODE]), by_line),
        st.builds(Part, st.just(BlockLabel.TEXT), st.text(max_size=30)),
    )


@st.composite
def documents(draw: st.DrawFn) -> ConversionResult:
    """Up to 25 blocks on pages in order (some skipped), or without pages."""
    parts = draw(st.lists(_parts(st.integers(1, 4)), max_size=25))
    title = draw(st.sampled_from([None, "On ponds", "A long title " * 20]))
    if title and draw(st.booleans()):
        parts.insert(0, Part(BlockLabel.TITLE, title))
    if not draw(st.booleans()):
        return a_document(parts, title=title)
    page, paged = 1, []
    for part in parts:
        page += draw(PAGE_STEP)
        paged.append(replace(part, page=page))
    labels = {n: f"{n + 100}" for n in range(1, page + 1)} if draw(st.booleans()) else {}
    return a_document(paged, title=title, labels=labels)


def prose(tokens: int, word: str = "pond") -> Part:
    return paragraph(" ".join([word] * tokens))


# The proportions of a paper of some 9,000 tokens, two of whose sections are larger than 2,000.
PAPER = a_document(
    [
        heading("Introduction"), prose(900), prose(700),
        heading("Related work"), prose(1500),
        heading("Method"), prose(1300),
        heading("Experiments"), prose(200),
        heading("Decision-making", 2), prose(1100),
        heading("Programming", 2), prose(1000),
        heading("Limitations"), prose(1200),
        heading("Conclusion"), prose(900),
        heading("Reasoning"), prose(400),
        heading("Context", 2), prose(1300),
        heading("Full example", 2), prose(1400),
    ]
)  # fmt: skip
