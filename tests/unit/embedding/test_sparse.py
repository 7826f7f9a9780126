"""BM25 terms: stop words by language, no meaningful word lost, any script."""

import pytest

from citeloom.application.ports.embedder import SparseText
from citeloom.application.ports.index import SparseVector
from citeloom.domain.language import STOP_WORDS
from citeloom.infrastructure.embedding.sparse import Bm25Embedder

BM25 = Bm25Embedder()
AVERAGE = 100.0


def document(text: str, language: str | None = None) -> SparseVector:
    (vector,) = BM25.embed([SparseText(text)], language, AVERAGE)
    return vector


def terms(text: str, language: str | None = None) -> set[int]:
    return set(BM25.embed_query(text, [language] if language else []).indices)


@pytest.mark.parametrize("language", STOP_WORDS)
def test_stop_words_are_no_terms(language: str) -> None:
    for word in STOP_WORDS[language]:
        assert list(document(word, language).indices) == []
        assert list(document(word.upper(), language).indices) == []


@pytest.mark.parametrize(
    "word", ["research", "results", "effect", "system", "study", "method", "first", "new"]
)
def test_what_papers_are_searched_for_is_kept(word: str) -> None:
    assert len(document(word).indices) == 1
    assert terms(word) == set(document(word).indices)


@pytest.mark.parametrize(
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
    ],
)
def test_a_question_finds_other_forms_of_a_word(language: str, text: str, question: str) -> None:
    assert terms(question, language) & set(document(text, language).indices)


@pytest.mark.parametrize(
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
    ],
)
def test_a_phrase_without_spaces_is_found_by_a_part_of_it(text: str, part: str) -> None:
    assert terms(part)
    assert terms(part) <= set(document(text).indices)


@pytest.mark.parametrize("text", ["", "  ", "the of and", "... !?", "\n"])
def test_nothing_has_no_terms(text: str) -> None:
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
