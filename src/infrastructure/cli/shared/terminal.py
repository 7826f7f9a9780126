"""Standard streams: everything that is printed passes here.

Texts come from documents, reference files and file names, which others wrote. Control characters
in them could move the cursor, set the title, hide or reorder what a person reads (Unicode TR 36,
section 3.4); they are printed as escapes: ``\\x1b``, ``\\u202e``.
"""

import errno
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, BinaryIO, Final, NamedTuple, TextIO, cast

from citeloom.domain.text.characters import replace_hidden

# What is left beside hidden characters: carriage returns, next lines, separators.
_CONTROL: Final = re.compile("[\r\x85\u2028\u2029]")
# Hidden characters that are shown: those that control a terminal, turn text or have one of their
# own. Others, such as the marks that allow a line to break, are left out.
_SHOWN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e0fff]"
)
_JSON_CONTROL: Final = re.compile(
    "[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
_UNSAFE: Final = re.compile(r"[^\w.:/\\+=-]|^$", re.ASCII)
_BLANK_ENDS: Final = re.compile(r"[ \t]+(?=\n)")
_IN, _OUT, _ERR = 0, 1, 2


class OutputFailed(Exception):
    """Standard output takes no more: ``error`` says why."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class Shell(NamedTuple):
    """What the output of a command depends on beside its content. ``columns`` is None where stdout
    is not a terminal; ``terminals`` and ``encodings`` are those of stdout and stderr."""

    columns: int | None
    terminals: tuple[bool, bool]
    encodings: tuple[str, str]
    variables: Mapping[str, str]


# What rich reads.
_VARIABLES: Final = (
    "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS",
)  # fmt: skip
_DUMB: Final = ("dumb", "unknown")
_elsewhere: Final[ContextVar[tuple[Shell, TextIO, TextIO] | None]] = ContextVar(
    "another shell", default=None
)


def this_shell() -> Shell | None:
    """The shell of this process; None where another process cannot print as if it were here."""
    out, err = sys.stdout, sys.stderr
    variables = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    if sys.stdin is None or out is None or err is None:
        return None
    if out.isatty() and (os.name == "nt" or variables.get("TERM", "").lower() in _DUMB):
        return None
    columns = shutil.get_terminal_size().columns if out.isatty() else None
    return Shell(columns, (out.isatty(), err.isatty()), (out.encoding, err.encoding), variables)


@contextmanager
def printing_to(shell: Shell) -> Iterator[list[tuple[int, bytes]]]:
    """In this context all is printed as in ``shell``, and kept: what was written to the streams 1
    and 2, in order."""
    kept: list[tuple[int, bytes]] = []
    out, err = (
        _Output(_Kept(number, kept, is_terminal), _fail, encoding=encoding, line_buffering=buffers)
        for number, is_terminal, encoding, buffers in zip(
            (_OUT, _ERR), shell.terminals, shell.encodings, (shell.terminals[0], True), strict=True
        )
    )
    token = _elsewhere.set((shell, out, err))
    try:
        yield kept
        out.flush()
        err.flush()
    finally:
        _elsewhere.reset(token)


def print_kept(kept: Iterable[tuple[int, bytes]]) -> None:
    """Write what ``printing_to`` has kept. Raises OutputFailed."""
    for number, content in kept:
        cast("_Output", stream(stderr=number == _ERR)).write_bytes(content)


def stream(*, stderr: bool = False) -> TextIO:
    """The stream to print to."""
    _, out, err = _elsewhere.get() or (None, sys.stdout, sys.stderr)
    return err if stderr else out


def shell_elsewhere() -> Shell | None:
    """The shell that ``printing_to`` prints for; None in this process's own."""
    elsewhere = _elsewhere.get()
    return elsewhere[0] if elsewhere else None


def printable(text: str) -> str:
    """A text with its lines and tabs, and escapes in place of other control characters."""
    shown = replace_hidden(text.replace("\r\n", "\n"), _shown)
    return _CONTROL.sub(lambda found: _escape(found[0]), shown)


def printable_line(text: str) -> str:
    """The same, on one line."""
    return printable(text).replace("\n", "\\n")


def json_escaped(document: str) -> str:
    """A JSON document without control characters beyond those that JSON forbids anyway."""
    return _JSON_CONTROL.sub(_json_escape, document)


def print_line(text: str, *, stderr: bool = False) -> None:
    """One line, whatever is in the text."""
    _echo(printable_line(text), stderr=stderr)


def print_progress(text: str, *, last: bool) -> None:
    """A line on stderr that replaces the one before it; ``last`` ends it."""
    _echo(f"\r{printable_line(text)}", stderr=True, end="\n" if last else "")


def _echo(text: str, *, stderr: bool, end: str = "\n") -> None:
    import typer

    typer.echo(text + end, file=stream(stderr=stderr), nl=False)


def quoted(text: str) -> str:
    """A word as the shell reads it: a POSIX shell or fish, on Windows PowerShell."""
    if os.name != "nt":
        return shlex.quote(text)
    return "'" + text.replace("'", "''") + "'" if _UNSAFE.search(text) else text


def print_bytes(content: bytes) -> None:
    """Bytes on stdout: JSON, and text in UTF-8. Raises OutputFailed."""
    out = stream()
    if isinstance(out, _Output):
        out.write_bytes(content)
        return
    out.flush()
    out.buffer.write(content)
    out.buffer.flush()


def cell_len(text: str) -> int:
    """Columns of a terminal that a text takes: two for a wide character, none for an accent."""
    from rich.cells import cell_len as measured

    return measured(text)


def chop_cells(text: str, width: int) -> list[str]:
    """A word in pieces of at most ``width`` columns."""
    from rich.cells import chop_cells as chopped

    return chopped(text, width)


def set_clipboard(sequence: str) -> bool:
    """Send the terminal a sequence that sets its clipboard; False if no terminal is known to
    understand it. Raises OutputFailed."""
    stream = next((one for one in (sys.stderr, sys.stdout) if one.isatty()), None)
    if stream is None or os.environ.get("TERM") in ("dumb", "linux"):
        return False
    styled(stderr=stream is sys.stderr).write(sequence)
    stream.flush()
    return True


def confirm(question: str) -> None:
    """Ask on the terminal; a no ends the command."""
    import typer

    typer.confirm(printable_line(question), abort=True)


def wants(question: str) -> bool:
    """The answer to a question on the terminal; no by default."""
    import typer

    return typer.confirm(printable_line(question))


def is_interactive() -> bool:
    """Whether a person can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def is_terminal() -> bool:
    """Whether a person reads stderr."""
    return sys.stderr.isatty()


def styled(*, stderr: bool = False) -> TextIO:
    """The stream for a library that draws tables and bars with escapes of its own; it is handed
    printable texts only."""
    return cast("TextIO", _Styled(stream(stderr=stderr)))


def open_streams() -> None:
    """Take the standard streams over, and stand in for those that are closed: a file opened later
    would get their number. A closed stdout fails when it is written to; a closed stderr is silent;
    a closed stdin is empty."""
    for number in (_IN, _OUT, _ERR):
        if not _is_open(number):
            flags = os.O_RDONLY if number != _ERR else os.O_WRONLY
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            _closed.add(number)
    if sys.stdin is None:
        sys.stdin = open(_IN, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _taken_over(sys.stdout, _OUT, _fail)
    sys.stderr = _taken_over(sys.stderr, _ERR, _be_silent)


def is_connected() -> bool:
    """Whether stdin and stdout were open when the process began."""
    return not _closed & {_IN, _OUT}


def flush() -> None:
    """Write what is left. Raises OutputFailed."""
    sys.stdout.flush()
    sys.stderr.flush()


_closed: Final[set[int]] = set()


class _Output(io.TextIOWrapper):
    """A standard stream. ``lost`` is called with the error where it takes no more."""

    def __init__(self, buffer: Any, lost: Callable[[OSError], None], **options: Any) -> None:
        super().__init__(buffer, errors="replace", **options)
        self._lost = lost

    def write(self, text: str) -> int:
        # A progress bar begins with a carriage return.
        begun = text[:1] if text[:1] == "\r" else ""
        return self.write_styled(begun + printable(text[len(begun) :]))

    def write_styled(self, text: str) -> int:
        """Write a text with escapes of this program's own."""
        try:
            return super().write(text)
        except OSError as error:
            self._end(error)
            return len(text)

    def write_bytes(self, content: bytes) -> None:
        self.flush()
        try:
            self.buffer.write(content)
            self.buffer.flush()
        except OSError as error:
            self._end(error)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> None:
        """Drop buffered output; otherwise the interpreter would fail at its end."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())
        os.close(null)
        self._lost(error)


class _Kept(io.RawIOBase):
    """The raw stream of a shell elsewhere."""

    def __init__(self, number: int, kept: list[tuple[int, bytes]], is_terminal: bool) -> None:
        self._number, self._kept, self._is_terminal = number, kept, is_terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, content: Any) -> int:
        self._kept.append((self._number, bytes(content)))
        return len(content)


class _Styled:
    """A stream whose escapes come from a drawing library."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._write = stream.write_styled if isinstance(stream, _Output) else stream.write

    def write(self, text: str) -> int:
        # A file is not a screen: no blanks up to its edge.
        return self._write(text if self._stream.isatty() else _BLANK_ENDS.sub("", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _taken_over(stream: Any, number: int, lost: Callable[[OSError], None]) -> TextIO:
    if stream is None:
        buffer: BinaryIO = open(number, "wb", closefd=False)  # noqa: SIM115
        return _Output(buffer, lost, encoding="utf-8", line_buffering=True)
    if not isinstance(stream, io.TextIOWrapper):
        return cast("TextIO", stream)
    return _Output(
        stream.buffer, lost, encoding=stream.encoding, line_buffering=stream.line_buffering
    )


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError as error:
        return error.errno != errno.EBADF
    return True


def _fail(error: OSError) -> None:
    raise OutputFailed(error)


def _be_silent(error: OSError) -> None:
    """Without a reader of stderr, messages are dropped and the work continues."""


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _shown(character: str) -> str:
    return _escape(character) if _SHOWN.match(character) else ""


def _escape(character: str) -> str:
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
