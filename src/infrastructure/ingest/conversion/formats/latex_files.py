r"""A LaTeX source with the files of ``\input``, ``\include``, ``\subfile`` and ``\import``.

Only files of LaTeX in the folder of the source are read, within the limits below; every other one
gives a warning. BibTeX's reference list (``main.bbl``) stands where ``\bibliography`` prints it.
"""

import re
from pathlib import Path
from typing import Final

from .source_text import decode

MOST_FILES: Final = 500
MOST_CHARACTERS: Final = 32 * 2**20
_MOST_NESTED: Final = 20
_SUFFIXES: Final = (".tex", ".ltx", ".latex")
# Files of TeX's own distribution, which hold no text.
_OF_TEX: Final = frozenset("glyphtounicode epsf xy pst-node supp-pdf psfig".split())

#: What no command is read in: comments, definitions, literal environments and commands.
LITERAL: Final = (
    r"(?P<literal>(?<!\\)(?:\\\\)*%[^\n]*|\\verb\*?(?P<mark>[^A-Za-z\s*])[^\n]*?(?P=mark)"
    r"|\\(?:re)?newcommand\*?\s*\{?\s*\\\w+\}?[^\n]*|\\begin\{(?P<name>verbatim|Verbatim|"
    r"lstlisting|minted|comment|filecontents|alltt)(?P<star>\*?)\}.*?"
    r"(?:\\end\{(?P=name)(?P=star)\}|\Z))"
)
_INCLUSION: Final = re.compile(
    LITERAL + r"|\\(?P<command>input|include|subfile|(?:sub)?import)(?![A-Za-z])\s*"
    r"(?:\{(?P<first>[^{}]*)\}(?:\{(?P<second>[^{}]*)\})?|(?P<bare>[^\s{}\\%]+))"
    r"|\\(?P<list>bibliography)\{[^{}]*\}|\\(?P<ends>endinput)(?![A-Za-z])",
    re.DOTALL,
)
_ONLY: Final = re.compile(r"^[^%\n]*\\includeonly\s*\{([^{}]*)\}", re.MULTILINE)
_BODY: Final = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)


def with_files(source: str, path: Path) -> tuple[str, list[str]]:
    """The source of ``path`` with the files that it includes in their place, and warnings."""
    folder = _Folder(path, source)
    text = folder.with_included(source, folder.root, (path.resolve(),))
    return text, list(dict.fromkeys(folder.warnings))


class _NotRead(Exception):
    """The reason why a file is not read, and the next step."""


class _Folder:
    def __init__(self, path: Path, source: str) -> None:
        self.root = path.parent.resolve()
        self.warnings: list[str] = []
        self._list = self.root / f"{path.stem}.bbl"
        self._has_list = "{thebibliography}" in source
        only = _ONLY.search(source)
        self._only = [one.strip() for one in only[1].split(",")] if only is not None else None
        self._files = 0
        self._characters = len(source)

    def with_included(self, text: str, folder: Path, chain: tuple[Path, ...]) -> str:
        parts: list[str] = []
        at = 0
        for found in _INCLUSION.finditer(text):
            if found["literal"] is not None:
                continue
            parts.append(text[at : found.start()])
            at = found.end()
            if found["ends"] is not None:
                return "".join(parts)
            parts.append(self._included(found, folder, chain))
        return "".join([*parts, text[at:]])

    def _included(self, found: re.Match[str], folder: Path, chain: tuple[Path, ...]) -> str:
        command = found["command"] or ""
        name = (found["first"] or found["bare"] or "").strip().strip('"')
        is_import = command.endswith("import")
        tail = "" if is_import or found["second"] is None else f"{{{found['second']}}}"
        if is_import:
            name = f"{name.rstrip('/')}/{found['second'] or ''}"
        if name in _OF_TEX or (command == "include" and name not in (self._only or [name])):
            return tail
        try:
            if found["list"] is not None:
                is_there = not self._has_list and self._is_inside(self._list.resolve())
                text = self._read(self._list) if is_there and self._list.is_file() else ""
                return text if "{thebibliography}" in text else found[0]  # biblatex's holds data
            path = self._place(name, folder, chain)
            text = self._read(path)
        except _NotRead as error:
            self.warnings.append(f"{name}: included, but not read: {error}")
            return tail
        if command == "subfile" and (body := _BODY.search(text)) is not None:
            text = body[1]
        below = path.parent if is_import or command == "subfile" else folder
        inner = self.with_included(text, below, (*chain, path))
        return f"\n\n{inner}\n\n{tail}" if command == "include" else f"{inner}{tail}"

    def _place(self, name: str, folder: Path, chain: tuple[Path, ...]) -> Path:
        if not name or set(name) & set("\\#{}$\0"):
            raise _NotRead("its name is made by a command; write it out")
        if len(chain) > _MOST_NESTED or self._files >= MOST_FILES:
            raise _NotRead("too many files include each other; join them into one")
        names = ([name] if Path(name).suffix.lower() in _SUFFIXES else []) + [f"{name}.tex"]
        places = [(base / one).resolve() for one in names for base in (self.root, folder)]
        inside = [place for place in places if self._is_inside(place)]
        if not inside:
            raise _NotRead(
                "it lies outside the folder of the source; copy it there, and name it so"
            )
        path = next((place for place in inside if place.is_file()), None)
        if path is None:
            raise _NotRead("it is missing; add it and ingest the source again")
        if path in chain:
            raise _NotRead("it includes itself; take one of the two commands out")
        return path

    def _is_inside(self, path: Path) -> bool:
        is_below = path.is_relative_to(self.root)
        return is_below and not any(one[0] == "." for one in path.relative_to(self.root).parts)

    def _read(self, path: Path) -> str:
        self._files += 1
        try:
            if self._characters + path.stat().st_size > MOST_CHARACTERS:
                raise _NotRead("the files together are too long; ingest their parts")
            text, _ = decode(path.read_bytes())
        except OSError as error:
            raise _NotRead(f"{error.strerror or error}") from error
        self._characters += len(text)
        return text
