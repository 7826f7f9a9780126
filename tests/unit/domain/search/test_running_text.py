"""What of a paper is not running text, and when it is asked for."""

from support.cases import each

from citeloom.domain.documents.spans import CharSpan, Chunk, ChunkKind
from citeloom.domain.search.ranking import is_running_text, named_kinds

PROSE = "The air beside a pond is cooler in the evening, as it was measured in three streets."
FRONT = (
    "Ponds in Streets Ada Sorrel 1, 2 Bela Quillenbrook 1 1 University of Reeds 2 Marsh Institute"
)


def chunk(text: str, kind: ChunkKind = ChunkKind.TEXT) -> Chunk:
    span = CharSpan(start=0, end=len(text))
    return Chunk(id="c", doc_id="d", chunk_idx=0, text=text, char_span=span, kind=kind)


def test_prose_is_running_text_and_a_block_of_title_and_authors_is_not() -> None:
    assert is_running_text(chunk(PROSE), "en")
    assert not is_running_text(chunk(FRONT), "en")
    assert not is_running_text(chunk("40% 0.7 20 10"), "en")


def test_without_a_list_of_function_words_nothing_is_said_against_a_text() -> None:
    assert is_running_text(chunk(FRONT), None)
    assert is_running_text(chunk(FRONT), "ja")


@each("kind", ChunkKind)
def test_reference_lists_and_captions_are_none_whatever_they_say(kind: ChunkKind) -> None:
    none = kind in (ChunkKind.REFERENCE, ChunkKind.CAPTION, ChunkKind.FIGURE)
    assert is_running_text(chunk(PROSE, kind), "en") is not none


@each(
    ("question", "kinds"),
    [
        ("how are ponds measured", set()),
        ("Which references on ponds are there?", {ChunkKind.REFERENCE}),
        ("is Sorrel cited", {ChunkKind.REFERENCE}),
        ("Welche Literatur wird zitiert?", {ChunkKind.REFERENCE}),
        ("what does Figure 3 show", {ChunkKind.CAPTION, ChunkKind.FIGURE}),
        ("address of the authors", {ChunkKind.TEXT}),
    ],
)
def test_a_question_names_what_it_asks_for(question: str, kinds: set[ChunkKind]) -> None:
    assert named_kinds(question) == kinds
