"""Model weights: checksums and onnxruntime sessions."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.models.devices import Device, device_in_use, providers_of
from citeloom.infrastructure.models.onnx_runtime import onnxruntime

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

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


def file_sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
