"""BM25 terms: stop words by language, no meaningful word lost, any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.application.ports.index import SparseVector
from citeloom.application.ports.models import SparseText
from citeloom.domain.search.filters import author_terms
from citeloom.domain.search.fusion import ParsedQuestion
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.text.words import STOP_WORDS, without_accents
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder

BM25 = Bm25Embedder()
AVERAGE = 100.0


def document(text: str, language: str | None = None) -> SparseVector:
    (vector,) = BM25.embed([SparseText(text)], language, AVERAGE)
    return vector


def terms(text: str, language: str | None = None) -> set[int]:
    return set(BM25.embed_query(text, [language] if language else []).indices)


@each("language", STOP_WORDS)
def test_stop_words_are_no_terms(language: str) -> None:
    for word in STOP_WORDS[language]:
        assert list(document(word, language).indices) == []
        assert list(document(word.upper(), language).indices) == []


@each("word", ["research", "results", "effect", "system", "study", "method", "first", "new"])
def test_what_papers_are_searched_for_is_kept(word: str) -> None:
    assert len(document(word).indices) == 1
    assert terms(word) == set(document(word).indices)


@each(
    ("language", "text", "question"),
    [
        ("en", "The readers recalled the articles.", "reader recalls an article"),
        ("de", "Die Wirkungen der Teiche wurden gemessen.", "Wirkung des Teiches"),
        ("fr", "Les étangs refroidissent les rues.", "un étang et la rue"),
        ("es", "Los estanques enfrían las calles.", "estanque, calle"),
        ("it", "Gli stagni raffreddano le strade.", "stagno, strada"),
        ("pt", "Os lagos arrefecem as ruas.", "lago, rua"),
        ("nl", "De vijvers koelen de straten.", "vijver, straat"),
        ("sv", "Dammarna kyler gatorna.", "damm, gata"),
        ("ru", "Пруды охлаждают улицы.", "пруд, улица"),
        ("da", "Dammene køler gaderne.", "dam, gade"),
        ("no", "Dammene kjøler gatene.", "dam, gate"),
        ("fi", "Lammet viilentävät katuja.", "lammessa, katu"),
        ("hu", "A tavak hűtik az utcákat.", "utca"),
        ("ro", "Iazurile răcoresc străzile.", "iazuri, străzi"),
        ("tr", "Göletler sokakları serinletir.", "gölet, sokak"),
        ("el", "Οι λίμνες δροσίζουν τους δρόμους.", "λίμνη, δρόμος"),
        ("ar", "البرك تبرد الشوارع", "بركة شوارع"),
    ],
)
def test_a_question_finds_other_forms_of_a_word(language: str, text: str, question: str) -> None:
    assert terms(question, language) & set(document(text, language).indices)


@each(
    "text",
    ["Ponds cool the street (cf. Fig. 3).", "Пруды охлаждают улицы.", "δροσίζουν", "池塘变凉"],
)
def test_question_and_text_have_the_same_terms_for_the_same_words(text: str) -> None:
    assert terms(text) == set(document(text).indices)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("池塘使夏天傍晚的空气变凉。", "空气"),
        ("都市の池は夏の夕方に空気を冷やす。", "夕方"),
        ("บ่อน้ำทำให้อากาศเย็นลง", "อากาศ"),
        ("연못은 저녁의 공기를 식힌다.", "공기"),
    ],
)
def test_a_phrase_without_spaces_is_found_by_a_part_of_it(text: str, part: str) -> None:
    assert terms(part)
    assert terms(part) <= set(document(text).indices)


@each("text", ["", "  ", "the of and", "... !?", "\n"])
def test_a_text_without_words_has_an_empty_vector(text: str) -> None:
    assert (list(document(text).indices), list(document(text).values)) == ([], [])
    asked = BM25.embed_query(text)
    assert (list(asked.indices), list(asked.values)) == ([], [])


def test_terms_are_ascending_and_distinct_with_positive_weights() -> None:
    for vector in (
        document("pond street pond shore soil pond"),
        BM25.embed_query("soil pond soil"),
    ):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert len(vector.values) == len(vector.indices)
        assert all(value > 0 for value in vector.values)


def test_a_word_that_is_repeated_weighs_more_but_less_than_so_many_times() -> None:
    once = document("pond street").values[0]
    (ponds,) = [
        v
        for i, v in zip(
            *(lambda d: (d.indices, d.values))(document("pond pond street")), strict=True
        )
        if i in terms("pond")
    ]
    assert once < ponds < 2 * once


def test_a_term_weighs_less_in_a_long_text() -> None:
    def weight(text: str) -> float:
        found = document(text)
        return dict(zip(found.indices, found.values, strict=True))[terms("pond").pop()]

    assert weight("pond") > weight("pond " + "street " * 400)


def test_texts_do_not_change_each_others_weights() -> None:
    alone = document("pond street")
    assert (
        next(iter(BM25.embed(map(SparseText, ["pond street", "soil " * 900]), "en", AVERAGE)))
        == alone
    )


def test_an_unknown_language_is_read_as_the_default() -> None:
    assert document("the ponds", "ja") == document("the ponds", "en") == document("the ponds")


def test_the_name_tells_settings_apart() -> None:
    assert Bm25Embedder("de").name != BM25.name
    assert "k1.2" in BM25.name
    assert "avg" not in BM25.name, "an average that drifts must not embed documents anew"


def test_a_question_has_the_terms_of_every_language_of_the_library() -> None:
    both = set(BM25.embed_query("Messungen of measurements", ["de", "en"]).indices)
    assert (
        terms("Messungen of measurements", "de") | terms("Messungen of measurements", "en") == both
    )
    assert set(document("Messungen", "de").indices) <= both
    assert set(document("measurements", "en").indices) <= both


def weight(term: str, text: SparseText, average: float = AVERAGE) -> float:
    (vector,) = BM25.embed([text], "en", average)
    return dict(zip(vector.indices, vector.values, strict=True)).get(terms(term).pop(), 0.0)


def test_title_and_headings_count_more_than_the_text() -> None:
    around = "street " * 99
    in_body = weight("pond", SparseText("pond " + around))
    assert weight("pond", SparseText(around, headings="Pond")) > in_body
    assert weight("pond", SparseText(around, title="Pond")) > in_body
    everywhere = weight("pond", SparseText("pond " + around, "Pond", "Pond"))
    assert everywhere > weight("pond", SparseText(around, title="Pond"))
    assert everywhere < 2.2, "fields are added before they saturate"


def test_the_average_decides_what_is_long() -> None:
    text = SparseText("pond " + "street " * 50)
    assert weight("pond", text, 200.0) > weight("pond", text, 20.0)


def test_the_length_counts_words_and_neither_stop_words_nor_other_spellings() -> None:
    assert BM25.length("The IL-6 of mice, and p53.") == 4
    assert BM25.length("") == 0


def test_other_ways_to_write_a_word_weigh_less_in_a_question() -> None:
    asked = BM25.embed_query("p53")
    assert sorted(asked.values) == [0.5, 0.5, 1.0]


def matched(question: str, text: str, language: str | None = "en") -> list[str]:
    return [text[s.start : s.end] for s in BM25.matches(question, text, language)]


@each(
    ("question", "text", "expected"),
    [
        ("cooling ponds", "The pond cools; Ponds!", ["pond", "cools", "Ponds"]),
        ("IL6 in mice", "IL-6, 6 mice and il 6", ["IL-6", "mice"]),
        ("IL-6", "6 of IL6", ["IL6"]),
        ("alpha-synuclein", "α-synuclein (synuclein)", ["α-synuclein", "synuclein"]),
        ("CO2", "CO₂ of Co", ["CO₂"]),
        ("the of", "the of", []),
        ("", "pond", []),
    ],
)
def test_words_of_a_text_that_a_question_asks_for(
    question: str, text: str, expected: list[str]
) -> None:
    assert matched(question, text) == expected


def test_words_match_by_the_language_of_the_text() -> None:
    assert matched("Wirkungen des Teiches", "Die Wirkung der Teiche", "de") == ["Wirkung", "Teiche"]


def test_keys_leave_out_what_is_a_stop_word_in_any_language() -> None:
    assert len(BM25.keys("die Teiche of", ["de", "en"])) == 1
    assert BM25.keys("to be or not to be", ["en"]) == []


PIECES = st.sampled_from(
    ["il", "6", "tnf", "α", "alpha", "cells", "53", "p", "well", "known", "of"]
)
GAPS = st.sampled_from([" ", "-", "‑", "", "-\n", "  ", "\n", ", "])


@given(st.lists(st.tuples(PIECES, GAPS), min_size=1, max_size=4), st.data())
def test_a_passage_with_the_phrase_has_a_term_of_each_of_its_words(pieces, data) -> None:
    """What the search by the words of a phrase relies on."""
    phrase = " ".join(piece for piece, _ in pieces)
    text = "of the " + "".join(piece + gap for piece, gap in pieces)
    gap = data.draw(st.sampled_from([" ", "-"]))
    phrase = phrase.replace(" ", gap)
    if ParsedQuestion(text="", phrases=(phrase,)).accepts(text):
        there = set(document(text).indices)
        assert all(there & set(key.indices) for key in BM25.keys(phrase))


MARKED = [
    "Poincaré", "Schrödinger", "Łukasiewicz", "Jørgensen", "Łódź", "Weiß", "Đorđević", "Yıldız",
    "Cæsar", "Bœuf", "Þórsson", "Châtelier", "Dvořák", "Nguyễn", "Şahin", "Ştefănescu", "Hồ",
    "étudiée", "Größe", "año", "città", "coração", "reünie", "åtgärd", "Хрущёв", "ещё", "Ħal",
]  # fmt: skip


def score(question: SparseVector, passage: SparseVector) -> float:
    weights = dict(zip(passage.indices, passage.values, strict=True))
    pairs = zip(question.indices, question.values, strict=True)
    return sum(value * weights.get(index, 0.0) for index, value in pairs)


@each("language", STOP_WORDS)
@each("word", MARKED)
def test_a_word_is_found_with_and_without_its_marks(word: str, language: str) -> None:
    bare = without_accents(word)
    assert bare.isascii() or language == "ru" or word in ("Хрущёв", "ещё")
    if {bare.lower(), word.lower()} & STOP_WORDS[language]:
        return
    texts = {one: document(f"a {one} here", language) for one in (word, bare)}
    for asked in (word, bare):
        question = BM25.embed_query(asked, [language])
        found = {one: score(question, vector) for one, vector in texts.items()}
        assert min(found.values()) > 0
        assert found[asked] >= max(found.values())
        for text in (word, bare):
            assert BM25.matches(asked, f"It is {text}.", language)
            for key in BM25.keys(asked, [language]):
                assert set(key.indices) & set(texts[text].indices)
    if without_accents(word.casefold()) == word.casefold():  # ß is ss
        return
    marked, plain = (score(BM25.embed_query(word, [language]), v) for v in texts.values())
    assert marked > plain


def test_the_weights_of_a_word_with_marks_add_up_to_one() -> None:
    for word in ("Poincaré", "Gödel", "Łódź"):
        assert sum(BM25.embed_query(word, ["en"]).values) == pytest.approx(1)
    assert sum(BM25.embed_query("plain", ["en"]).values) == 1


@each("word", MARKED)
def test_phrases_and_exclusions_hold_with_and_without_marks(word: str) -> None:
    bare = without_accents(word)
    for asked, text in ((word, bare), (bare, word), (word, word)):
        passage = f"It was {text} who came."
        assert ParsedQuestion(text="", phrases=(asked,)).accepts(passage)
        assert ParsedQuestion(text="", without=(asked,)).excludes(passage)


@each("word", MARKED)
def test_filters_hold_with_and_without_marks(word: str) -> None:
    assert fold(word) == fold(without_accents(word))
    assert set(author_terms([f"Jan {word}"])) == set(author_terms([f"Jan {without_accents(word)}"]))
