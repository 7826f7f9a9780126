"""Devices of onnxruntime: processor and accelerators, by execution provider."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.onnx_runtime import onnxruntime

Device = Literal["auto", "cpu", "cuda", "coreml", "openvino"]

CPU_PROVIDER: Final = "CPUExecutionProvider"
_PROVIDERS: Final[Mapping[str, str]] = {
    "cpu": CPU_PROVIDER,
    "cuda": "CUDAExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}
_INSTALL: Final[Mapping[str, str]] = {
    "cuda": "run `pip uninstall onnxruntime` and `pip install onnxruntime-gpu` (NVIDIA's driver, "
    "CUDA and cuDNN must be there)",
    "coreml": "run `pip install onnxruntime` on macOS, whose build has it",
    "openvino": "run `pip uninstall onnxruntime` and `pip install onnxruntime-openvino`",
}
# CoreML is in every build for macOS; with texts of all lengths it is not known to be faster than
# the processor, so that it is used by name only.
_AUTOMATIC: Final = ("cuda", "openvino")


def providers_of(device: Device) -> list[str]:
    """Providers in order of preference. ``auto`` takes those that are installed (CUDA, OpenVINO),
    then the processor. Raises ModelUnavailable for a device that this onnxruntime lacks, naming the
    package to install."""
    if device == "cpu":
        return [CPU_PROVIDER]
    available = onnxruntime().get_available_providers()
    if device == "auto":
        found = [_PROVIDERS[one] for one in _AUTOMATIC if _PROVIDERS[one] in available]
        return [*found, CPU_PROVIDER]
    if _PROVIDERS[device] not in available:
        raise ModelUnavailable(
            f"embedding.device: {device} is not available, the installed onnxruntime has no "
            f"{_PROVIDERS[device]}; {_INSTALL[device]}, or set embedding.device to auto or cpu"
        )
    return [_PROVIDERS[device], CPU_PROVIDER]


def device_in_use(device: Device, providers: Sequence[str], model: str) -> str:
    """The device that a session with ``providers`` runs on. onnxruntime falls back to the processor
    where a provider does not start; raises ModelUnavailable if ``device`` was named."""
    names = {provider: name for name, provider in _PROVIDERS.items()}
    used = next((names[one] for one in providers if one in names), "cpu")
    if device not in ("auto", used):
        raise ModelUnavailable(
            f"{model}: {device} did not start, onnxruntime offers {used} instead; check the "
            f"driver, {_INSTALL.get(device, 'reinstall onnxruntime')}, or set embedding.device to "
            "auto or cpu"
        )
    return used
