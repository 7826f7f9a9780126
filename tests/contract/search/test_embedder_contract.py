"""Every embedder does the same: the real one, the hashing one that tests use, and one with a
cache, whether it knows the texts or not."""

import math
from collections.abc import Callable, Iterator, Sequence

import pytest
from support.in_memory.embedder import HashingEmbedder
from support.models.embedding_server import EmbeddingServer

from citeloom.application.ports.models import Embedder
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder
from citeloom.infrastructure.models.embedding.endpoint import EndpointEmbedder
from citeloom.infrastructure.models.embedding.model_names import EndpointOptions
from citeloom.infrastructure.models.vectors import CachingEmbedder, VectorCache

TEXTS = [
    "Ponds cool the street on summer evenings.",
    "a",
    "The grid has the smallest error at every sample size. " * 12,
    "Пруды охлаждают воздух летом.",
    "池塘使空气变凉。",
    "Ponds cool the street on summer evenings.",
    "",
    "   \n ",
    "🦆",
]
Make = Callable[[], Embedder]


@pytest.fixture(scope="module", params=["bundled", "hashing", "openai", "tei", "cached"])
def make(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Make]:
    if request.param in ("bundled", "hashing"):
        yield BundledEmbedder if request.param == "bundled" else HashingEmbedder
        return
    if request.param == "cached":
        path = tmp_path_factory.mktemp("cache") / "vectors.sqlite"
        yield lambda: CachingEmbedder(HashingEmbedder(), VectorCache(path, max_bytes=10**7))
        return
    with EmbeddingServer() as server:
        url = f"{server.url}/v1" if request.param == "openai" else server.url
        options = EndpointOptions(url, max_tokens=258)
        yield lambda: EndpointEmbedder(request.param, "words", options)


@pytest.fixture(scope="module")
def embedder(make: Make) -> Embedder:
    return make()


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_each_text_has_a_vector_of_the_models_dimension(embedder: Embedder) -> None:
    vectors = list(embedder.embed(TEXTS))
    assert [len(vector) for vector in vectors] == [embedder.model.dimension] * len(TEXTS)
    assert all(isinstance(x, float) for vector in vectors for x in vector)


def test_vectors_have_length_one_even_those_of_nothing(embedder: Embedder) -> None:
    for vector in [*embedder.embed(TEXTS), embedder.embed_query("ponds")]:
        assert math.sqrt(cosine(vector, vector)) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    for text, among_others in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        (alone,) = embedder.embed([text])
        assert cosine(alone, among_others) > 0.99999


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    backwards = list(embedder.embed(reversed(TEXTS)))[::-1]
    for a, b in zip(embedder.embed(TEXTS), backwards, strict=True):
        assert cosine(a, b) > 0.99999


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert list(embedder.embed([])) == []


def test_texts_are_read_only_as_far_as_vectors_are_asked_for(embedder: Embedder) -> None:
    read = 0

    def texts() -> Iterator[str]:
        nonlocal read
        for n in range(2000):
            read += 1
            yield f"pond {n}"

    vectors = embedder.embed(texts())
    assert read == 0
    next(iter(vectors))
    assert 1 <= read <= 1000


def test_a_question_is_nearest_to_the_text_that_answers_it(embedder: Embedder) -> None:
    texts = [
        "We measured the moisture of the soil in twelve small plots.",
        "The readers recalled more after two weeks if they had waited.",
        "Ponds cool the air in the street on summer evenings.",
    ]
    asked = embedder.embed_query("how much do ponds cool the air in the street?")
    similar = [cosine(asked, vector) for vector in embedder.embed(texts)]
    assert max(similar) == similar[2]
    assert similar[2] > 0.5 > similar[1]


def test_what_lies_beyond_the_window_is_not_seen(embedder: Embedder) -> None:
    full = "pond " * embedder.model.max_tokens
    a, b = embedder.embed([full, full + "moisture of the soil " * 50])
    assert cosine(a, b) > 0.99999


def test_the_model_is_the_same_in_every_instance(embedder: Embedder, make: Make) -> None:
    again = make()
    assert again.model == embedder.model
    assert list(again.embed_query("ponds")) == list(embedder.embed_query("ponds"))


@pytest.mark.parametrize("text", [*TEXTS, "e\u0301tude (cf. p. 3)", "x" * 300])
def test_a_text_has_as_many_token_ends_as_tokens(embedder: Embedder, text: str) -> None:
    ends = embedder.tokens.ends(text)
    assert embedder.tokens.count(text) == len(ends)
    assert list(ends) == sorted(ends)
    assert all(0 < end <= len(text) for end in ends)


def test_the_last_token_ends_with_the_text(embedder: Embedder) -> None:
    text = "Ponds cool the street"
    assert embedder.tokens.ends(text)[-1] == len(text)
    assert embedder.tokens.count("") == embedder.tokens.count(" \n") == 0


def test_tokens_are_counted_beyond_the_window(embedder: Embedder) -> None:
    assert embedder.tokens.count("pond " * 5000) == 5000
