"""Models on onnxruntime: import, devices, checksums, sessions, runs in several threads.

onnxruntime first imports a submodule of numpy. If another thread is importing numpy meanwhile, each
thread holds the import lock of a module that the other waits for; Python then returns a partially
initialized module to one of them, and both imports fail. Importing numpy by its own name first
avoids the deadlock.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread
from types import ModuleType
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.system.files import file_sha256

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer


def onnxruntime() -> ModuleType:
    """The module; safe to call from any thread during other imports."""
    import_module("numpy")
    return import_module("onnxruntime")


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
    "CUDA and cuDNN must be installed)",
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


REINSTALL = "reinstall citeloom"


def checked(path: Path, sha256: str, name: str, remedy: str = REINSTALL) -> Path:
    """``path``, if its checksum is ``sha256``. Raises ModelUnavailable."""
    try:
        digest = file_sha256(path)
    except OSError as error:
        raise ModelUnavailable(
            f"{path}: the weights of {name} cannot be read ({error.strerror}); {remedy}"
        ) from error
    if digest != sha256:
        raise ModelUnavailable(
            f"{path}: these are not the weights of {name} (sha256 {digest[:16]}…, expected "
            f"{sha256[:16]}…); {remedy}"
        )
    return path


def open_session(
    path: Path, options: "SessionOptions", remedy: str = REINSTALL, device: Device = "cpu"
) -> "InferenceSession":
    """A session on ``device``. Raises ModelUnavailable."""
    providers = providers_of(device)
    try:
        session: InferenceSession = onnxruntime().InferenceSession(
            str(path), sess_options=options, providers=providers
        )
    except Exception as error:
        raise ModelUnavailable(f"{path}: onnxruntime cannot load it ({error}); {remedy}") from error
    device_in_use(device, session.get_providers(), str(path))
    return session


class BundledSession:
    """A session on the processor, opened with the first call, or ahead, once for all threads;
    ``weights`` gives the verified path. Raises ModelUnavailable."""

    def __init__(self, weights: Callable[[], Path]) -> None:
        self._weights = weights
        self._opening = Lock()
        self._opened: InferenceSession | None = None

    def open_ahead(self) -> None:
        """Start opening in a thread of its own. A failure is raised by the first call."""
        Thread(target=self._try_opening, name="model-loader").start()

    def _try_opening(self) -> None:
        with suppress(ModelUnavailable):
            self()

    def __call__(self) -> "InferenceSession":
        with self._opening:
            if self._opened is None:
                path, options = self._weights(), onnxruntime().SessionOptions()
                # Each thread has a text of its own: within one there is little to parallelize, and
                # spinning threads take CPU time from others.
                options.intra_op_num_threads = 1
                # Lengths differ from call to call: a plan of memory for each would only fill it.
                options.enable_mem_pattern = False
                self._opened = open_session(path, options)
            return self._opened


@cache
def tokenizer_at(path: Path) -> "Tokenizer":
    """The tokenizer of a file, without truncation and padding; models that share the file share it.
    Raises ModelUnavailable."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        is_own = path.is_relative_to(Path(__file__).parent)
        remedy = REINSTALL if is_own else "copy that of the model"
        raise ModelUnavailable(f"{path}: not a tokenizer ({error}); {remedy}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


Input = TypeVar("Input")
Output = TypeVar("Output")


def in_parallel(
    run: Callable[[Input], Output], inputs: Iterable[Input], threads: int
) -> Iterator[Output]:
    """The outputs in the order of ``inputs``. Before each there is a checkpoint: when it raises, or
    the iterator is closed, those that have started are finished and no others begin."""
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run, one) for one in inputs]
        try:
            for future in futures:
                checkpoint()
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
