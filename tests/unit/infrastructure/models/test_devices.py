"""Devices are named, found, and never quietly replaced by another."""

from pathlib import Path
from types import SimpleNamespace

import onnxruntime
import pytest

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.embedding import bundled_embedder as bundled
from citeloom.infrastructure.models.embedding.catalogue import FastEmbedEmbedder, embedder_named
from citeloom.infrastructure.models.onnx import (
    CPU_PROVIDER,
    device_in_use,
    open_session,
    providers_of,
)

CUDA = "CUDAExecutionProvider"


@pytest.fixture
def with_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU_PROVIDER])


@pytest.mark.parametrize(
    ("device", "package"),
    [("cuda", "onnxruntime-gpu"), ("openvino", "onnxruntime-openvino"), ("coreml", "macOS")],
)
def test_a_device_that_is_not_there_names_what_to_install(
    device: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU_PROVIDER])
    with pytest.raises(ModelUnavailable, match=f"embedding.device: {device} is not.*{package}"):
        providers_of(device)  # type: ignore[arg-type]


@pytest.mark.usefixtures("with_cuda")
def test_auto_takes_what_is_installed_then_the_processor() -> None:
    assert providers_of("auto") == [CUDA, CPU_PROVIDER]
    assert providers_of("cuda") == [CUDA, CPU_PROVIDER]
    assert providers_of("cpu") == [CPU_PROVIDER]


def test_a_named_device_that_does_not_start_is_told() -> None:
    assert device_in_use("auto", [CPU_PROVIDER], "m") == "cpu"
    assert device_in_use("cuda", [CUDA, CPU_PROVIDER], "m") == "cuda"
    with pytest.raises(ModelUnavailable, match="m: cuda did not start, onnxruntime offers cpu"):
        device_in_use("cuda", [CPU_PROVIDER], "m")


@pytest.mark.filterwarnings("ignore:Specified provider")
@pytest.mark.usefixtures("with_cuda")
def test_a_session_on_a_named_device_that_does_not_start_is_refused() -> None:
    options = onnxruntime.SessionOptions()
    with pytest.raises(ModelUnavailable, match="cuda did not start"):
        open_session(bundled.weights_path(), options, device="cuda")
    assert open_session(bundled.weights_path(), options, device="auto").get_providers() == [
        CPU_PROVIDER
    ]


def test_a_model_is_not_loaded_on_a_device_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU_PROVIDER])
    embedder = embedder_named("BAAI/bge-small-en-v1.5", cache=tmp_path, device="openvino")
    with pytest.raises(ModelUnavailable, match="onnxruntime-openvino"):
        embedder.embed_query("ponds")


def test_batches_are_larger_on_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def passage_embed(texts: list[str], batch_size: int) -> list[object]:
        asked.append(batch_size)
        return [SimpleNamespace(tolist=lambda: [1.0]) for _ in texts]

    for providers in ([CPU_PROVIDER], [CUDA, CPU_PROVIDER]):
        session = SimpleNamespace(get_providers=lambda found=providers: found)
        loaded = SimpleNamespace(passage_embed=passage_embed, model=SimpleNamespace(model=session))
        monkeypatch.setattr(FastEmbedEmbedder, "_fastembed", loaded)
        list(FastEmbedEmbedder("some/model", device="auto").embed(["ponds"]))
    assert asked == [4, 64]


def test_a_device_that_the_bundled_model_cannot_use_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for device in ("auto", "cpu"):
        embedder_named(bundled.NAME, device=device)  # type: ignore[arg-type]
    assert not caplog.messages
    embedder_named(bundled.NAME, device="cuda")
    assert [one.split(";")[0] for one in caplog.messages] == [
        "all-MiniLM-L6-v2 runs on the processor"
    ]
