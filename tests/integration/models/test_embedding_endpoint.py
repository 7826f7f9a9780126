"""The endpoint adapter against a server on the loopback: what it asks, checks and tells."""

from typing import Any

import pytest
from support.models.embedding_server import EmbeddingServer, Reply, refusal

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.catalogue import embedder_named
from citeloom.infrastructure.models.embedding.endpoint import EndpointEmbedder
from citeloom.infrastructure.models.embedding.model_names import EndpointOptions
from citeloom.infrastructure.models.model_server import ATTEMPTS, ServerClock

TEXTS = [f"pond {n}" for n in range(40)]
PROTOCOLS = ["openai", "tei"]


class Clock:
    """Time passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pauses.append(seconds)

    @property
    def clock(self) -> ServerClock:
        return ServerClock(sleep=self.sleep, monotonic=lambda: self.now)


def embedder_at(
    server: EmbeddingServer, protocol: str = "openai", clock: Clock | None = None, **options: Any
) -> EndpointEmbedder:
    url = f"{server.url}/v1" if protocol == "openai" else server.url
    stated = {"api_key": "sk-secret", "seconds": 20.0, "parallel": 1} | options
    made = (clock or Clock()).clock
    return EndpointEmbedder(protocol, "words", EndpointOptions(url, **stated), made)


def failure(server: EmbeddingServer, protocol: str = "openai", **options: Any) -> ModelUnavailable:
    with pytest.raises(ModelUnavailable) as caught:
        list(embedder_at(server, protocol, **options).embed(TEXTS))
    error = caught.value
    assert str(error).startswith(f"{protocol}:words at http://127.0.0.1:{server.port}: ")
    assert "sk-secret" not in str(error) + str(error.details)
    return error


def test_texts_are_sent_in_batches_with_the_key_in_a_header() -> None:
    with EmbeddingServer() as server:
        vectors = list(embedder_at(server, batch=15).embed(TEXTS))
    assert [len(texts) for texts in server.requests] == [1, 15, 15, 10]
    assert set(server.keys) == {"Bearer sk-secret"}
    assert vectors == [pytest.approx(server.hashing.embed_query(text)) for text in TEXTS]


def test_no_batch_is_larger_than_the_server_says() -> None:
    with EmbeddingServer() as server:
        list(embedder_at(server, "tei").embed(TEXTS))
    assert [len(texts) for texts in server.requests] == [1, 16, 16, 8]


def test_requests_at_the_same_time_give_vectors_in_order() -> None:
    with EmbeddingServer() as server:
        vectors = list(embedder_at(server, batch=3, parallel=4).embed(TEXTS))
    assert vectors == [pytest.approx(server.hashing.embed_query(text)) for text in TEXTS]


def test_so_many_requests_a_second_and_no_more() -> None:
    clock = Clock()
    with EmbeddingServer() as server:
        list(embedder_at(server, clock=clock, batch=20, per_second=4).embed(TEXTS))
    assert clock.pauses == [0.25, 0.25]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("fault", "pause"),
    [(refusal(429, "slow", retry_after="7"), 7.0), (refusal(500), 0.5), (refusal(503), 0.5)],
)
def test_what_passes_is_tried_again(protocol: str, fault: Reply, pause: float) -> None:
    clock = Clock()
    with EmbeddingServer() as server:
        server.script, server.after = [fault], 1
        vectors = list(embedder_at(server, protocol, clock).embed(TEXTS))
    assert len(vectors) == len(TEXTS)
    assert clock.pauses == [pause]


def test_a_late_answer_is_asked_for_again() -> None:
    late = Reply(seconds=1.0)
    with EmbeddingServer() as server:
        server.script, server.after = [late], 1
        assert len(list(embedder_at(server, seconds=0.3).embed(TEXTS))) == len(TEXTS)
        server.script = [late] * ATTEMPTS
        assert "no answer within 0.05 s; try again, or raise embedding.timeout_seconds" in str(
            failure(server, seconds=0.05)
        )


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (refusal(401, "wrong key sk-secret"), "refuses the API key (401: wrong key ***); set "
         "CITELOOM_EMBEDDING__API_KEY"),
        (refusal(404, "no model words"), "check embedding.endpoint and embedding.model"),
        (Reply(b"<html>"), "is not JSON; check embedding.endpoint and embedding.protocol"),
        (Reply(b'{"vectors": []}'), "check embedding.endpoint and embedding.protocol"),
        (Reply(b" " * 2**20 * 16), "it answers more than "),
        (refusal(429, "slow down", retry_after="3600"), "it asks to wait 3600 s"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_no_answer_is_told(protocol: str, fault: Reply, message: str) -> None:
    with EmbeddingServer() as server:
        server.script, server.after = [fault], 1
        assert message in str(failure(server, protocol))
    assert server.requests.count(server.requests[1]) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda vectors: vectors[1:], "vectors for "),
        (lambda vectors: [v[1:] for v in vectors], "have 63 components, not 64; another model"),
        (lambda vectors: [[float("nan"), *v[1:]] for v in vectors], "not finite"),
        (lambda vectors: [[None, *v[1:]] for v in vectors], "not finite"),
        (lambda vectors: [[0.0] * len(v) for v in vectors], "only zeros"),
        (lambda vectors: [["a", *v[1:]] for v in vectors], "not lists of numbers"),
        (lambda vectors: [{"a": 1} for _ in vectors], "not lists of numbers"),
        (lambda vectors: [[v, v] for v in vectors], "have [2, 64] components, not 64"),
    ],
)
def test_vectors_are_checked(protocol: str, change: Any, message: str) -> None:
    with EmbeddingServer() as server:
        embedder = embedder_at(server, protocol)
        assert embedder.model.dimension == 64
        server.change = change
        with pytest.raises(ModelUnavailable) as caught:
            list(embedder.embed(TEXTS))
        assert message in str(caught.value)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_is_not_there_is_named(protocol: str) -> None:
    with EmbeddingServer() as server:
        pass
    assert "no connection" in str(failure(server, protocol))
    assert "embedding.endpoint names it" in str(failure(server, protocol))


def test_a_text_that_is_refused_for_its_length_is_shortened() -> None:
    too_long = refusal(400, "maximum context length is 8192 tokens")
    with EmbeddingServer() as server:
        server.script, server.after = [too_long] * 3, 1
        vectors = list(embedder_at(server).embed(["pond " * 40, "lake " * 40]))
        assert [round(v[i] ** 2) for v, i in zip(vectors, map(_peak, vectors), strict=True)] == [
            1, 1,
        ]  # fmt: skip
    assert [len(texts) for texts in server.requests] == [1, 2, 1, 1, 1, 1]
    assert [len(text) for (text,) in server.requests[2:]] == [200, 100, 50, 200]


def _peak(vector: Any) -> int:
    return max(range(len(vector)), key=lambda i: vector[i])


def test_the_served_model_must_be_the_requested_one() -> None:
    with EmbeddingServer("BAAI/bge-m3") as server:
        message = str(failure(server, "tei"))
    assert "BAAI/bge-m3 is served there; start the server with words" in message


def test_weights_are_told_apart_wherever_they_are_served() -> None:
    with EmbeddingServer() as here, EmbeddingServer() as there, EmbeddingServer(sha="x") as other:
        first, moved, changed = (embedder_at(s, "tei").model for s in (here, there, other))
    assert first == moved
    assert (first.name, first.dimension, first.max_tokens) == ("tei:words", 64, 258)
    assert changed.fingerprint != first.fingerprint
    assert changed.model_copy(update={"digest": first.digest}) == first


def test_without_a_revision_the_address_and_the_told_name_count() -> None:
    with EmbeddingServer(sha=None) as here, EmbeddingServer(sha=None) as there:
        assert embedder_at(here, "tei").model != embedder_at(there, "tei").model
        before = embedder_at(here).model
        assert before != embedder_at(there).model
        assert before == embedder_at(here).model
        here.told = "words-v2"
        assert before != embedder_at(here).model


def test_a_model_that_is_changed_meanwhile_is_refused() -> None:
    clock = Clock()
    with EmbeddingServer() as server:
        by_info, by_name = embedder_at(server, "tei", clock), embedder_at(server)
        by_info.embed_query("ponds")
        by_name.embed_query("ponds")
        assert server.info is not None
        server.info["model_sha"], server.told = "def", "another"
        clock.now += 61
        with pytest.raises(ModelUnavailable, match="other weights than before; run it again"):
            by_info.embed_query("ponds")
        with pytest.raises(ModelUnavailable, match="another answers now, before it was words"):
            by_name.embed_query("ponds")


def test_prefixes_of_the_model_are_sent() -> None:
    with EmbeddingServer() as server:
        options = EndpointOptions(f"{server.url}/v1")
        embedder = EndpointEmbedder("openai", "intfloat/e5-base", options)
        embedder.embed_query("ponds")
        list(embedder.embed(["lakes"]))
    assert server.requests[1:] == [["query: ponds"], ["passage: lakes"]]


def test_tokens_are_those_of_a_tokenizer_where_there_is_one() -> None:
    text = "Photosynthetically active radiation"
    with EmbeddingServer() as server:
        exact = embedder_at(server, tokenizer=bundled.tokenizer_folder()).tokens.count(text)
        assert (exact, embedder_at(server).tokens.count(text)) == (6, 10)


def test_a_model_of_a_server_needs_one() -> None:
    with pytest.raises(ModelUnavailable, match=r"set embedding\.endpoint in citeloom\.toml"):
        embedder_named("tei:words")
