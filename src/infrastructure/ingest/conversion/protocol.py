"""Wire protocol between pool and worker: a JSON header and a payload, each with its length.

JSON, not pickle: a worker reads untrusted files, and its messages must not be able to run code
in the parent.
"""

import json
import struct
from dataclasses import asdict
from typing import IO, Any

from citeloom.domain.errors import CiteLoomError, ConversionFailed
from citeloom.domain.messages import NextStep

_LENGTHS = struct.Struct(">II")

Header = dict[str, Any]


def send(stream: IO[bytes], header: Header, payload: bytes = b"") -> None:
    """Write one message and flush it."""
    head = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(head), len(payload)))
    stream.write(head)
    stream.write(payload)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Header, bytes] | None:
    """The next message; None when the other side has ended, even within a message."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, payload_size = _LENGTHS.unpack(lengths)
    head, payload = stream.read(head_size), stream.read(payload_size)
    if len(head) < head_size or len(payload) < payload_size:
        return None
    return json.loads(head), payload


def error_to_header(error: CiteLoomError) -> Header:
    """An error as JSON: class, message, next step, details (values that are no JSON as text)."""
    details = json.loads(json.dumps(error.details, default=str))
    return {
        "type": type(error).__name__,
        "message": error.message,
        "next_step": error.next_step and asdict(error.next_step),
        "details": details,
    }


def error_from_header(header: Header) -> CiteLoomError:
    """The error that ``error_to_header`` wrote; an unknown class becomes ConversionFailed."""
    kind = _error_classes(CiteLoomError).get(str(header["type"]), ConversionFailed)
    error = kind.__new__(kind)  # some classes make their sentence themselves
    next_step = NextStep.of(header["next_step"])
    CiteLoomError.__init__(error, header["message"], next_step, **header["details"])
    return error


def _error_classes(root: type[CiteLoomError]) -> dict[str, type[CiteLoomError]]:
    kinds = {root.__name__: root}
    for kind in root.__subclasses__():
        kinds.update(_error_classes(kind))
    return kinds
