"""Worker process: reads jobs from its input, converts, writes results to its output.

Started by ``pool`` as ``python -m citeloom.infrastructure.ingest.conversion.worker FUNCTION``.
It ends when its input ends: the parent closed it, or has died.

Why a library could not read a file, by the kind of its error. Messages of libraries name their own
classes, digests and addresses of objects; they are not passed on.
"""

import faulthandler
import gc
import importlib
import logging
import os
import queue
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import CiteLoomError, ConversionFailed, DocumentTooLarge
from citeloom.domain.text.phrasing import sized
from citeloom.infrastructure.system.processes import (
    limit_memory,
    peak_resident,
    prefer_as_oom_victim,
    reset_peak,
    resident,
)

from .protocol import (
    Header,
    Limits,
    Options,
    PageProgress,
    Phase,
    Report,
    error_to_header,
    receive,
    send,
)

_DAMAGED_XML: Final = "its XML is damaged"
# By the name of the class, since the libraries are imported where they are needed only.
_REASONS: Final = {
    "XMLSyntaxError": _DAMAGED_XML,
    "ParseError": _DAMAGED_XML,
    "ExpatError": _DAMAGED_XML,
    "BadZipFile": "its archive is damaged",
    "LargeZipFile": "its archive is damaged",
    "PackageNotFoundError": "its archive is damaged",
    "EntitiesForbidden": "it declares entities, which are not expanded",
    "DTDForbidden": "it declares entities, which are not expanded",
    "RecursionError": "it is nested too deeply",
    "UnicodeDecodeError": "its encoding is unknown",
    "JSONDecodeError": "its JSON is damaged",
    "TimeoutError": "it took too long",
}
_MISSING_MEMBER: Final = re.compile(r"There is no item named '([\w./ -]{1,100})' in the archive")
_LINE: Final = re.compile(r"\bline (\d+)")
# docling's, of a file that its detection of formats does not know.
_NOT_READ: Final = "File format not allowed"
_OTHERWISE: Final = "a part of it is missing or damaged"


def failure_reason(error: BaseException) -> str:
    """The reason in words: of the innermost error whose kind is known."""
    for each in _innermost_first(error):
        message = str(each)
        if isinstance(each, KeyError) and (missing := _MISSING_MEMBER.search(message)):
            return f"a part of it is missing: {missing[1]}"
        if isinstance(each, OSError) and each.strerror:
            return each.strerror.lower()
        if _NOT_READ in message:
            return "its kind or version is not supported"
        kinds = (kind.__name__ for kind in type(each).__mro__)
        known = next((_REASONS[kind] for kind in kinds if kind in _REASONS), "")
        if known == _DAMAGED_XML and (line := _LINE.search(message)):
            return f"{known} in line {line[1]}"
        if known:
            return known
    return _OTHERWISE


def _innermost_first(error: BaseException) -> Iterator[BaseException]:
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    return reversed(chain)


def too_much_memory(name: str, megabytes: int) -> DocumentTooLarge:
    """The error of the file ``name`` that needs more memory than its process may have."""
    return DocumentTooLarge(
        f"{name}: needs more than {sized(megabytes * 2**20)} of memory; split it, save it in a "
        "simpler form, or raise ingest.worker_memory_mb",
        memory_mb=megabytes,
    )


def ran_out(error: BaseException | None) -> bool:
    """Whether an error has a failed allocation among its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, MemoryError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


#: Seconds after the time limit at which a worker ends itself: its parent may have died.
GRACE = 10.0

#: Source, document id, password, options, progress callback.
ConvertFunction = Callable[[Path, str, str | None, Options, Report], ConversionResult]

#: Seconds between two messages about pages.
REPORT_EVERY = 0.2


def main(function_name: str) -> None:
    """Serve until the input ends. ``function_name`` is ``package.module:function``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    prefer_as_oom_victim()
    incoming, outgoing = _take_over_streams()
    faulthandler.enable()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    jobs: queue.SimpleQueue[Header] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(incoming, jobs), daemon=True).start()
    try:
        function = _load(function_name)
    except Exception as error:
        send(outgoing, {"failed": f"{type(error).__name__}: {error}"})
        os._exit(1)
    _collect_less_often()
    send(outgoing, {"ready": True})
    while True:
        job = jobs.get()
        header, payload = _serve(function, job, _Watchdog(job, outgoing))
        faulthandler.cancel_dump_traceback_later()
        send(outgoing, header, payload)


class _Watchdog:
    """Reports progress to the parent, and ends the process when it takes too long.

    The parent does the same, but may have died. faulthandler's timer needs no interpreter lock:
    it fires even in an endless loop inside a C library.
    """

    def __init__(self, job: Header, outgoing: IO[bytes]) -> None:
        self._limits = Limits.model_validate(job["limits"])
        self._outgoing = outgoing
        self._started = time.monotonic()
        self._last_report: tuple[Phase | None, float] = (None, 0.0)
        self._pages = self._ocr_pages = 0
        self._arm()

    def report(self, reached: PageProgress) -> None:
        now = time.monotonic()
        if reached.phase is Phase.OCR:
            self._ocr_pages = reached.total
        else:
            self._pages = max(self._pages, reached.total)
        phase, at = self._last_report
        if phase is reached.phase and reached.done < reached.total and now - at < REPORT_EVERY:
            return
        self._last_report = (reached.phase, now)
        send(self._outgoing, {"reached": reached})
        self._arm()

    def _arm(self) -> None:
        limit = self._limits.total(self._pages, self._ocr_pages)
        left = self._started + limit - time.monotonic()
        faulthandler.dump_traceback_later(max(1.0, left + GRACE), exit=True)


def _serve(function: ConvertFunction, job: Header, clock: _Watchdog) -> tuple[Header, bytes]:
    source = Path(job["source"])
    options = Options.model_validate(job["options"])
    started = time.monotonic()
    reset_peak()
    limit_memory(options.memory_mb)
    header: Header = {}
    payload = b""
    try:
        result = function(
            source,
            job["document_id"],
            job["password"],
            options,
            clock.report,
        )
        payload = result.model_dump_json().encode()
    except Exception as error:
        header["error"] = error_to_header(_known(source, error, options))
    header["seconds"] = time.monotonic() - started
    header["peak_rss_bytes"] = peak_resident()
    header["rss_bytes"] = resident()
    return header, payload


def _known(source: Path, error: Exception, options: Options) -> CiteLoomError:
    if ran_out(error):
        return too_much_memory(source.name, options.memory_mb)
    if isinstance(error, CiteLoomError):
        return error
    return ConversionFailed(
        f"{source.name}: cannot be converted ({failure_reason(error)}); "
        "open it in the program that wrote it and save it again",
        exception=type(error).__name__,
        reason=(str(error).splitlines() or [""])[0][:300],
    )


def _take_over_streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes to the parent, out of reach of libraries that print or prompt."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return incoming, outgoing


def _listen(incoming: IO[bytes], jobs: "queue.SimpleQueue[Header]") -> None:
    while (message := receive(incoming)) is not None:
        jobs.put(message[0])
    os._exit(0)  # also in the middle of a conversion: nobody waits for it any more


def _load(function_name: str) -> ConvertFunction:
    module_name, _, name = function_name.partition(":")
    module = importlib.import_module(module_name)
    warm_up = getattr(module, "warm_up", None)
    if warm_up is not None:
        warm_up()
    function: ConvertFunction = getattr(module, name)
    return function


def _collect_less_often() -> None:
    """Leave what was imported out of garbage collection, and run it less often: a conversion
    makes a million small objects, nearly all without cycles. A quarter of the time, measured."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


if __name__ == "__main__":
    main(sys.argv[1])
