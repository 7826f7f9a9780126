"""Where the structure-aware chunker cuts, and where it does not."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from support.builders import Part, a_document, heading, paragraph
from support.cases import each
from support.documents import documents
from support.in_memory.embedder import WordTokens

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.text.sentences import sentence_spans
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

# 98 words a passage, headings included.
WINDOW = EmbeddingModel(name="m", dimension=3, digest="0" * 64, max_tokens=100)


def words(count: int, name: str = "w") -> str:
    """One sentence of ``count`` words."""
    return " ".join([f"The{name}", *[f"{name}{n}" for n in range(count - 2)], "ends."])


def prose(sentences: int, name: str = "w") -> str:
    return " ".join(words(10, f"{name}{n}x") for n in range(sentences))


def item(text: str) -> Part:
    return Part(BlockLabel.LIST_ITEM, text)


def entry(text: str) -> Part:
    return Part(BlockLabel.REFERENCE, text)


def table(rows: int) -> Part:
    lines = ["Pond | Area", *[f"Pond{n} | {n} hectares of water" for n in range(rows)]]
    return Part(BlockLabel.TABLE, "\n".join(lines))


def caption(text: str) -> Part:
    return Part(BlockLabel.CAPTION, text)


def cut(
    *parts: Part, title: str | None = None, chunker: StructuralChunker | None = None
) -> Sequence[Chunk]:
    document = a_document(parts, title=title)
    return (chunker or StructuralChunker()).chunk(document, WINDOW, WordTokens())


def texts(chunks: Sequence[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


# Sections


def test_sections_of_the_top_two_levels_are_never_joined() -> None:
    chunks = cut(
        heading("1 A"),
        paragraph(words(5)),
        heading("1.1 B", 2),
        paragraph(words(5)),
        heading("1.2 C", 2),
        paragraph(words(5)),
        heading("2 D"),
        paragraph(words(5)),
    )
    assert [c.section_path for c in chunks] == [
        ("1 A",),
        ("1 A", "1.1 B"),
        ("1 A", "1.2 C"),
        ("2 D",),
    ]


def test_small_deeper_sections_are_joined_under_what_they_share() -> None:
    (chunk,) = cut(
        heading("1 A"),
        heading("1.1 B", 2),
        heading("1.1.1 C", 3),
        paragraph(words(9)),
        heading("1.1.2 D", 3),
        paragraph(words(9)),
    )
    assert chunk.section_path == ("1 A", "1.1 B")
    assert "1.1.2 D" in chunk.text


def test_a_large_deeper_section_keeps_its_own_path() -> None:
    chunks = cut(
        heading("1 A"),
        heading("1.1 B", 2),
        heading("1.1.1 C", 3),
        paragraph(prose(15)),
        heading("1.1.2 D", 3),
        paragraph(words(30)),
    )
    assert [c.section_path[-1] for c in chunks] == ["1.1.1 C"] * (len(chunks) - 1) + ["1.1.2 D"]


def test_a_heading_never_stands_alone_where_something_of_its_section_follows() -> None:
    chunks = cut(heading("1 A"), heading("1.1 B", 2), heading("1.1.1 C", 3), paragraph(words(5)))
    assert texts(chunks)[0].startswith("1 A\n\n1.1 B\n\n1.1.1 C\n\n")
    assert chunks[0].section_path == ("1 A", "1.1 B", "1.1.1 C")


def test_a_heading_stays_with_the_table_below_it() -> None:
    (chunk,) = cut(heading("Results"), table(3))
    assert chunk.kind is ChunkKind.TABLE
    assert chunk.text.startswith("Results\n\nPond | Area")


def test_an_empty_section_is_kept_and_does_not_move_into_its_neighbour() -> None:
    chunks = cut(heading("1 Empty"), heading("2 Full"), paragraph(words(5)))
    assert [c.section_path for c in chunks] == [("1 Empty",), ("2 Full",)]


def test_the_title_goes_in_front_of_the_first_section() -> None:
    (chunk,) = cut(
        Part(BlockLabel.TITLE, "On ponds"),
        heading("Summary"),
        paragraph(words(5)),
        title="On ponds",
    )
    assert chunk.text.startswith("On ponds\n\nSummary")
    assert chunk.section_path == ("Summary",)


def test_text_in_front_of_the_first_heading_is_under_the_title() -> None:
    chunks = cut(paragraph(words(5)), heading("1 A"), paragraph(words(5)), title="On ponds")
    assert [c.section_path for c in chunks] == [("On ponds",), ("1 A",)]
    assert cut(paragraph(words(5)))[0].section_path == ()


# Sizes


@each("sentences", range(10, 60, 3))
def test_a_long_section_is_cut_into_even_parts(sentences: int) -> None:
    chunks = cut(heading("1 A"), paragraph(prose(sentences)))
    new = [len(_fresh(chunks, n).split()) for n in range(len(chunks))]
    # A passage has room for 96 words, 24 of them for the overlap.
    assert 10 * sentences / 96 <= len(chunks) <= 10 * sentences / 72 + 1
    assert max(new) - min(new) <= 20


def _fresh(chunks: Sequence[Chunk], n: int) -> str:
    """What the chunk has that the one in front of it has not."""
    repeated = max(0, chunks[n - 1].char_span.end - chunks[n].char_span.start) if n else 0
    return chunks[n].text[repeated:]


def test_the_last_part_of_a_section_is_no_crumb() -> None:
    # 9 sentences fill a passage; 10 would leave one over.
    chunks = cut(heading("A"), paragraph(prose(10)))
    assert [len(_fresh(chunks, n).split()) for n in (0, 1)] == [51, 50]


def test_a_passage_ends_with_a_paragraph_where_that_is_nearly_even() -> None:
    paragraphs = [prose(6, "first"), prose(5, "second"), prose(6, "third")]
    chunks = cut(heading("A"), *map(paragraph, paragraphs))
    assert len(chunks) == 3
    for chunk, text in zip(chunks, paragraphs, strict=True):
        assert chunk.text.endswith(text)


def test_a_crumb_beside_a_table_joins_the_table() -> None:
    (chunk,) = cut(heading("A"), table(4), paragraph("Source: our own."))
    assert chunk.kind is ChunkKind.TABLE
    assert chunk.text.endswith("Source: our own.")


def test_twenty_pages_have_15_to_100_chunks() -> None:
    embedder = BundledEmbedder()
    sentence = "The cooling of the street beside a small pond was measured on summer evenings."
    parts: list[Part] = []
    for page in range(1, 21):
        if page % 3 == 1:
            parts.append(heading(f"{page} Section", 1 + page % 2, page))
        parts += [paragraph(" ".join([sentence] * 6), page) for _ in range(6)]
    chunks = StructuralChunker().chunk(a_document(parts), embedder.model, embedder.tokens)
    assert 15 <= len(chunks) <= 100
    assert chunks[0].page_span is not None
    assert chunks[0].page_span.start == 1
    assert all(c.page_span is not None and c.page_span.end <= 20 for c in chunks)


# What belongs together


def test_a_list_keeps_the_sentence_that_leads_to_it() -> None:
    lead = "Three conclusions follow for those who plan ponds:"
    chunks = cut(
        heading("A"),
        paragraph(f"{prose(6)} {prose(2, 'more')}"),
        paragraph(lead),
        item(words(14)),
        item(words(14)),
        item(words(14)),
    )
    holding = [text for text in texts(chunks) if lead in text]
    assert holding
    assert all(not text.endswith(lead) for text in texts(chunks))


def test_a_caption_stays_with_its_table_above_or_below() -> None:
    above = cut(
        heading("A"), paragraph(prose(5)), caption("Table 1: Ponds."), table(3), paragraph(prose(5))
    )
    below = cut(
        heading("A"), paragraph(prose(5)), table(3), caption("Table 1: Ponds."), paragraph(prose(5))
    )
    for chunks in (above, below):
        # However small it is: a table with a caption is meant to be one.
        kinds = [chunk.kind for chunk in chunks]
        assert kinds == [ChunkKind.TEXT, ChunkKind.TABLE, ChunkKind.TEXT]
        assert "Table 1: Ponds." in chunks[1].text
        assert "Pond2 | 2" in chunks[1].text


def test_the_caption_of_a_figure_stays_in_the_text() -> None:
    chunks = cut(heading("A"), paragraph(prose(5)), caption("Figure 1: Decay of it all."), table(9))
    assert chunks[0].text.endswith("Figure 1: Decay of it all.")
    assert chunks[1].text.startswith("Pond | Area")


def test_captions_alone_are_of_their_own_kind() -> None:
    (chunk,) = cut(heading("A"), caption("Figure 1: Decay."))
    assert chunk.kind is ChunkKind.CAPTION


def test_a_reference_is_never_cut() -> None:
    entries = [
        entry(f"Author{n}, A. (20{n:02}). {words(20, f'r{n}x')} Journal of Ponds, {n}(2), 3-9.")
        for n in range(12)
    ]
    chunks = cut(heading("References"), *entries)
    assert len(chunks) > 1
    for part in entries:
        assert sum(part.text in chunk.text for chunk in chunks) == 1
    assert {chunk.kind for chunk in chunks} == {ChunkKind.REFERENCE}


def test_a_sentence_is_cut_only_if_it_is_too_long_for_a_passage() -> None:
    document = a_document([heading("A"), paragraph(f"{prose(20)} {words(300, 'long')}")])
    chunks = StructuralChunker().chunk(document, WINDOW, WordTokens())
    text = document.plain_text
    begin = text.index("Thelong")
    ends = {start + e for start in [text.index("Thew0x")] for _, e in sentence_spans(text[start:])}
    for chunk in chunks:
        if chunk.char_span.end <= begin:
            assert chunk.char_span.end in ends


# Tables


@pytest.mark.parametrize("heads", [("Pond | Area",), ("| Pond | Area | |", "| | mean | most |")])
def test_a_long_table_is_cut_at_rows_and_its_header_goes_on(heads: tuple[str, ...]) -> None:
    rows = table(60).text.split("\n")[1:]
    part = Part(BlockLabel.TABLE, "\n".join([*heads, *rows]))
    chunks = cut(heading("A"), part)
    assert len(chunks) > 1
    for chunk in chunks[1:]:
        assert chunk.table_header == "\n".join(heads)
        assert f"\n{chunk.table_header}\n" in chunk.embedding_text()
        assert set(chunk.text.split("\n")) <= set(part.text.split("\n"))
    assert chunks[0].table_header is None
    kept = [row for chunk in chunks for row in chunk.text.split("\n") if "|" in row]
    assert kept == part.text.split("\n")


def test_the_header_of_a_table_is_never_alone() -> None:
    chunks = cut(heading("A"), paragraph(words(90)), table(40))
    assert all(text.split("\n")[-1] != "Pond | Area" for text in texts(chunks))


def test_two_tables_with_captions_are_two_chunks() -> None:
    chunks = cut(heading("A"), caption("Table 1: A."), table(6), caption("Table 2: B."), table(6))
    assert len(chunks) == 2
    assert chunks[1].text.startswith("Table 2: B.")


def test_a_table_that_is_torn_by_a_page_is_put_together() -> None:
    (chunk,) = cut(
        heading("A"), caption("Table 1: A."), table(3), Part(BlockLabel.TABLE, "Last | 1\nX | 2")
    )
    assert chunk.text.endswith("X | 2")


# Overlap


@settings(max_examples=60)
@given(documents())
@example(
    a_document([paragraph(words(14)), entry(words(7)), paragraph(f"{words(14)} {words(150)}")])
)
def test_passages_share_at_most_two_sentences_of_one_section_of_running_text(
    document: ConversionResult,
) -> None:
    chunks = StructuralChunker().chunk(document, WINDOW, WordTokens())
    in_order = sorted(chunks, key=lambda chunk: chunk.char_span.start)
    for before, after in itertools.pairwise(in_order):
        shared = document.plain_text[after.char_span.start : before.char_span.end]
        if not shared:
            continue
        assert after.kind in (ChunkKind.TEXT, ChunkKind.CAPTION)
        assert len(WordTokens().ends(shared)) <= 24
        touched = [
            block
            for block in document.blocks
            if block.span.start < before.char_span.end and block.span.end > after.char_span.start
        ]
        assert not {block.label for block in touched} & {
            BlockLabel.SECTION_HEADER,
            BlockLabel.TITLE,
            BlockLabel.REFERENCE,
        }
        # Pieces of formulas, code and over-long sentences count as sentences do.
        assert len([b for b in touched if document.text_of(b.span).strip()]) <= 2


def test_notes_in_the_margin_are_a_passage_of_their_own_behind_the_text() -> None:
    note = Part(BlockLabel.TEXT, words(8, "note"), aside=True)
    chunks = cut(heading("A"), paragraph(words(60)), note, paragraph(words(60, "v")), title="T")
    assert [text.split()[0] for text in texts(chunks)] == ["A", "Thev", "Thenote"]
    assert not any("note" in text for text in texts(chunks[:2]))
    assert chunks[2].section_path == ("A",)
    assert [chunk.chunk_idx for chunk in chunks] == [0, 1, 2]


def test_notes_in_the_margin_are_found_by_their_own_words_alone() -> None:
    note = Part(BlockLabel.TEXT, words(8, "note"), aside=True)
    running, beside = cut(heading("Ponds"), paragraph(words(60)), note)
    assert running.context_headings > 0
    assert beside.embedding_text() == beside.text


def test_a_crumb_of_text_does_not_join_the_margin() -> None:
    note = Part(BlockLabel.TEXT, words(30, "note"), aside=True)
    chunks = cut(heading("A"), paragraph(words(60)), note, paragraph(words(4, "v")))
    assert texts(chunks)[1] == words(4, "v")


def test_a_passage_begins_with_the_last_sentences_of_the_one_before() -> None:
    first, second, *_ = cut(heading("A"), paragraph(prose(20)))
    shared = first.char_span.end - second.char_span.start
    assert first.text.endswith(second.text[:shared])
    assert 1 <= len(sentence_spans(second.text[:shared])) <= 2


def test_no_sentence_of_another_section_is_repeated() -> None:
    chunks = cut(
        heading("1 A"),
        heading("1.1 B", 2),
        heading("1.1.1 C", 3),
        paragraph(words(70)),
        paragraph(words(10)),
        heading("1.1.2 D", 3),
        paragraph(words(70, "d")),
    )
    (later,) = [chunk for chunk in chunks if "1.1.2 D" in chunk.text]
    assert later.text.startswith("1.1.2 D")


def test_nothing_is_repeated_across_two_sections_of_one_name() -> None:
    chunks = cut(
        heading("1 A"),
        heading("1.1 B", 2),
        heading("Example", 3),
        paragraph(words(50)),
        paragraph(words(15)),
        heading("Example", 3),
        paragraph(words(60, "d")),
    )
    assert len(chunks) == 2
    assert chunks[-1].text.startswith("Example")


def test_nothing_is_repeated_after_a_section_that_ends_without_a_heading() -> None:
    # As on slides, where a section ends with the page it began on.
    document = a_document(
        [
            heading("A"),
            heading("B", 2),
            heading("C", 3),
            paragraph(words(60)),
            paragraph(words(10, "last")),
            paragraph(words(60, "next")),
        ]
    )
    top = document.structure.heading_tree[0]
    end = document.blocks[-2].span.end
    inner = top.children[0]
    short = inner.children[0].model_copy(update={"span": CharSpan(start=6, end=end)})
    inner = inner.model_copy(update={"children": (short,)})
    tree = (top.model_copy(update={"children": (inner,)}),)
    structure = document.structure.model_copy(update={"heading_tree": tree})
    chunks = StructuralChunker().chunk(
        document.model_copy(update={"structure": structure}), WINDOW, WordTokens()
    )
    assert [chunk.section_path for chunk in chunks] == [("A", "B", "C"), ("A", "B")]
    assert chunks[1].text.startswith("Thenext")


def test_without_overlap_no_text_is_in_two_passages() -> None:
    chunks = cut(heading("A"), paragraph(prose(30)), chunker=StructuralChunker(overlap_tokens=0))
    for before, after in itertools.pairwise(chunks):
        assert before.char_span.end <= after.char_span.start


# Settings


def test_an_overlap_as_long_as_a_passage_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        StructuralChunker(max_tokens=60, overlap_tokens=60)


def test_the_fingerprint_changes_with_the_settings() -> None:
    chunkers = [
        StructuralChunker(),
        StructuralChunker(max_tokens=200),
        StructuralChunker(overlap_tokens=0),
    ]
    assert len({chunker.fingerprint for chunker in chunkers}) == 3
    assert StructuralChunker().fingerprint == chunkers[0].fingerprint


def test_headings_that_would_fill_the_window_are_left_out_of_it() -> None:
    long = "On " + "and ".join(f"matter{n} " for n in range(40))
    chunks = cut(heading(long), heading("1.1 Short", 2), paragraph(prose(30)))
    assert [c.context_headings for c in chunks] == [1] * len(chunks)
    assert chunks[-1].embedding_text().startswith("1.1 Short\n")


def test_a_blob_without_spaces_does_not_become_one_endless_passage() -> None:
    chunks = cut(paragraph("QUJD" * 5000))
    assert max(len(chunk.text) for chunk in chunks) <= 8 * 98
    assert "".join(texts(chunks)) == "QUJD" * 5000


def test_letters_keep_their_accents_where_a_word_is_cut() -> None:
    chunks = cut(paragraph("xe\u0301" * 3001))
    assert len(chunks) > 1
    assert all(not chunk.text.startswith("\u0301") for chunk in chunks)


def test_the_text_in_a_figure_is_a_passage_of_its_own_under_its_caption() -> None:
    labels = Part(BlockLabel.FIGURE_TEXT, "days after\n60 %")
    chunks = cut(
        heading("A"),
        paragraph(words(30)),
        caption("Figure 1: Recall."),
        labels,
        paragraph(words(30, "v")),
    )
    assert [chunk.kind for chunk in chunks] == [ChunkKind.TEXT, ChunkKind.TEXT, ChunkKind.FIGURE]
    assert chunks[-1].text == "days after\n60 %"
    assert chunks[-1].table_header == "Figure 1: Recall."
    assert not any("60 %" in text for text in texts(chunks[:-1]))
    assert cut(caption("Table 1: Recall."), labels)[-1].table_header is None
