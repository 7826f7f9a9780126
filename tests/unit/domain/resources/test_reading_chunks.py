"""Cutting for reading: whole sections where they fit, everything once, nothing too large."""

from hypothesis import given
from hypothesis import strategies as st
from support.builders import a_document, heading, paragraph
from support.cases import each
from support.documents import PAPER, documents, prose

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.resources.reading_chunks import ChunkedDocument, cut_for_reading
from citeloom.domain.resources.uris import chunk
from citeloom.domain.text.words import count_tokens


def uris(cut: ChunkedDocument) -> list[str]:
    return [str(chunk(*one.indexes)) for one in cut.chunks]


def texts(document: ConversionResult, cut: ChunkedDocument) -> list[str]:
    return [document.text_of(one.span) for one in cut.chunks]


def test_a_document_within_the_budget_is_one_chunk_without_a_number() -> None:
    cut = cut_for_reading(PAPER, 20_000)
    assert uris(cut) == ["$chunk"]
    assert cut.sections == ()
    assert texts(PAPER, cut) == [PAPER.plain_text]


def test_large_sections_are_cut_and_small_neighbours_packed() -> None:
    cut = cut_for_reading(PAPER, 2000)
    assert uris(cut) == [
        "$chunk/00",
        "$chunk/01",
        "$chunk/02",
        "$chunk/03/00",
        "$chunk/03/01",
        "$chunk/04",
        "$chunk/05",
        "$chunk/06/00",
        "$chunk/06/01",
    ]
    assert [(one.indexes, one.title) for one in cut.sections] == [
        ((3,), "Experiments"),
        ((6,), "Reasoning"),
    ]
    found = texts(PAPER, cut)
    assert found[3].startswith("pond")
    assert "Decision-making" in found[3]
    assert found[4].startswith("Programming")
    assert "Experiments" not in "".join(found)


def test_with_more_room_whole_sections_are_packed() -> None:
    cut = cut_for_reading(PAPER, 4000)
    assert uris(cut) == ["$chunk/00", "$chunk/01", "$chunk/02", "$chunk/03"]
    assert cut.sections == ()
    starts = [text.split()[0] for text in texts(PAPER, cut)]
    assert starts == ["Introduction", "Method", "Limitations", "Reasoning"]


def test_a_large_section_is_a_barrier() -> None:
    document = a_document(
        [heading("A"), prose(10), heading("B"), prose(60), prose(60), heading("C"), prose(10)]
    )
    cut = cut_for_reading(document, 100)
    assert uris(cut) == ["$chunk/00", "$chunk/01/00", "$chunk/01/01", "$chunk/02"]


def test_sections_are_cut_at_any_depth() -> None:
    document = a_document(
        [heading("A"), prose(10), heading("B"), prose(10), heading("B.1", 2), prose(60), prose(60)]
    )
    cut = cut_for_reading(document, 100)
    assert uris(cut) == ["$chunk/00", "$chunk/01/00", "$chunk/01/01/00", "$chunk/01/01/01"]
    assert [one.title for one in cut.sections] == ["B", "B.1"]
    assert [str(chunk(*c.indexes)) for c in cut.below((1, 1)).chunks] == [
        "$chunk/01/01/00",
        "$chunk/01/01/01",
    ]


def test_one_heading_over_all_is_no_section() -> None:
    document = a_document(
        [heading("The paper"), heading("A", 2), prose(60), heading("B", 2), prose(60)]
    )
    cut = cut_for_reading(document, 100)
    assert uris(cut) == ["$chunk/00", "$chunk/01"]
    assert texts(document, cut)[0].startswith("The paper\n\nA")


def test_a_large_paragraph_is_cut_at_its_sentences() -> None:
    sentences = [f"The pond number {n} cools the street." for n in range(20)]
    document = a_document([paragraph(" ".join(sentences))])
    cut = cut_for_reading(document, 50)
    assert len(cut.chunks) > 1
    for text in texts(document, cut):
        assert text.startswith("The pond number")
        assert text.endswith("street.")
    assert " ".join(texts(document, cut)) == document.plain_text


@each("text", ["word " * 500, "x" * 5000, "池" * 500, "a\u0301" * 700])
def test_what_has_no_sentences_is_cut_too(text: str) -> None:
    document = a_document([paragraph(text.strip())])
    cut = cut_for_reading(document, 50)
    assert all(0 < one.tokens <= 50 for one in cut.chunks)
    assert "".join("".join(texts(document, cut)).split()) == "".join(text.split())


def test_the_part_that_holds_a_passage_is_found() -> None:
    cut = cut_for_reading(PAPER, 2000)
    at = PAPER.plain_text.index("Programming")
    holding = cut.holding(CharSpan(start=at, end=at + 40))
    assert holding is not None
    assert holding.indexes == (3, 1)
    assert cut.holding(CharSpan(start=0, end=len(PAPER.plain_text))) is None


@given(documents(), st.sampled_from([20, 60, 200, 1000]))
def test_every_word_is_in_one_part_and_no_part_is_too_large(
    document: ConversionResult, budget: int
) -> None:
    cut = cut_for_reading(document, budget)
    assert cut == cut_for_reading(document, budget)
    text = document.plain_text
    at, told = 0, [section.title for section in cut.sections]
    for one in cut.chunks:
        between = text[at : one.span.start]
        for title in told:
            between = between.replace(title, "", 1)
        assert not between.strip()
        assert one.tokens == count_tokens(document.text_of(one.span)) <= budget
        at = one.span.end
    assert not text[at:].strip()
    numbers = [one.indexes for one in cut.chunks]
    assert numbers == sorted(set(numbers))
