"""What a worker runs in the pool's tests: the file's name says what happens."""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult, Structure
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import PasswordNeeded
from citeloom.infrastructure.ingest.conversion.protocol import Options, PageProgress, Phase, Report

_kept: list[bytearray] = []


def convert(
    source: Path, doc_id: str, password: str | None, options: Options, report: Report
) -> ConversionResult:
    behaviour = source.name.split("-")[0].split(".")[0]
    if behaviour == "hang":
        time.sleep(1000)
    elif behaviour == "frozen":  # as a loop in a C library: no thread of Python runs
        ctypes.PyDLL(None).sleep(1000)
    elif behaviour == "forsaken":  # the same, in a worker whose grace is a second
        vars(sys.modules["__main__"])["GRACE"] = 1.0
        report(PageProgress(Phase.PAGES, 1, 1, 1))
        ctypes.PyDLL(None).sleep(1000)
    elif behaviour == "greedy":  # until there is no more
        hoard = []
        while True:
            hoard.append(bytearray(10_000_000))
    elif behaviour == "aborted":  # as pdfium does it when an allocation fails
        os.abort()
    elif behaviour == "complains":
        sys.stderr.write("double free or corruption\n")
        sys.stderr.flush()
        os.abort()
    elif behaviour == "keeps":
        _kept.append(bytearray(300_000_000))
        _kept[0][::4096] = b"x" * len(range(0, 300_000_000, 4096))
    elif behaviour == "starved":  # as the kernel does it
        os.kill(os.getpid(), signal.SIGKILL)
    elif behaviour == "stuck":  # on page 4
        for page in (1, 2, 3):
            report(PageProgress(Phase.PAGES, page, page, 9))
            time.sleep(0.25)
        time.sleep(1000)
    elif behaviour == "long":
        for page in range(1, 9):
            report(PageProgress(Phase.PAGES, page, page, 9))
            time.sleep(0.25)
    elif behaviour == "deadly":  # to the process that started this one
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
    elif behaviour == "slow":
        time.sleep(0.5)
    elif behaviour == "exit":
        os._exit(3)
    elif behaviour == "segfault":
        sys.stderr.write("last words\n")
        os.kill(os.getpid(), signal.SIGSEGV)
    elif behaviour == "once":  # dies the first time only
        marker = source.with_suffix(".seen")
        if not marker.exists():
            marker.touch()
            os._exit(3)
    elif behaviour == "raise":
        raise ValueError("cannot do it\nsecond line")
    elif behaviour == "memory":
        raise MemoryError
    elif behaviour == "password" and password != "secret":
        raise PasswordNeeded(f"{source.name}: password needed; pass --password", page=1)
    elif behaviour == "noise":
        sys.stdout.write("noise on stdout\n")
        os.write(1, b"more noise\n")
        sys.stderr.write("noise on stderr\n")
    elif behaviour == "big":
        bytearray(200_000_000)[::4096] = b"x" * len(range(0, 200_000_000, 4096))
    text = f"pid {os.getpid()}"
    return ConversionResult(
        doc_id=doc_id,
        plain_text=text,
        structure=Structure(heading_tree=(), page_map=()),
        blocks=(Block(label=BlockLabel.TEXT, span=CharSpan(start=0, end=len(text))),),
    )
