r"""Files that a draft includes (``\input``, ``#include``, ``{{< include >}}``), read with it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.verification.drafts.draft import Draft, Inclusion

Read = Callable[[Path], Draft]

# What an included file is called at its end where it is prose; pictures and tables are not.
_PROSE = {
    "latex": (".tex", ".latex", ".ltx"),
    "typst": (".typ",),
    "markdown": (".md", ".markdown", ".qmd", ".rmd", ".mdown"),
}


def with_included(draft: Draft, read: Read) -> Draft:
    """The draft with all files that it includes, and that these include, each once. Those
    outside its folder, missing or unreadable ones are told of in warnings; what is no prose
    by its suffix is passed over."""
    folder = Path(draft.path).parent
    seen = {Path(draft.path).resolve()}
    parts, warnings = list[Draft](), list(draft.warnings)

    def follow(of: Draft) -> None:
        for inclusion in of.inclusions:
            where = f"{of.path}:{of.position(inclusion.start).line}"
            try:
                path = _found(inclusion, of, folder)
                if path is None or path.resolve() in seen:
                    continue
                seen.add(path.resolve())
                part = read(path)
            except (CiteLoomError, ValueError) as error:
                warnings.append(f"{where}: not read: {error}")
                continue
            parts.append(part)
            warnings.extend(part.warnings)
            follow(part)

    follow(draft)
    return draft.model_copy(update={"parts": tuple(parts), "warnings": tuple(warnings)})


def _found(inclusion: Inclusion, of: Draft, folder: Path) -> Path | None:
    """None for what is no prose. Raises ValueError for what cannot or must not be read."""
    name = inclusion.name.strip().strip('"')
    if not name or set(name) & set("\\#{}$"):
        raise ValueError(f"“{name}” is made by a command; verify that file by itself")
    suffixes = _PROSE.get(of.format, ())
    named = next((p for p in _places(name, of, folder) if p.is_file()), None)
    if named is None:
        if Path(name).suffix and Path(name).suffix.lower() not in suffixes:
            return None
        raise ValueError(f"{name} is not there")
    if not named.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name} lies outside the folder of the draft; verify it by itself")
    return named if named.suffix.lower() in suffixes else None


def _places(name: str, of: Draft, folder: Path) -> Iterator[Path]:
    """As LaTeX looks: in the folder of the draft, ``.tex`` put on first; then beside the file
    that includes it, as Typst and Quarto do."""
    bases = [folder, Path(of.path).parent]
    for base in bases if of.format == "latex" else bases[::-1]:
        if of.format == "latex":
            yield base / f"{name}.tex"
        yield base / name.removeprefix("/") if of.format == "typst" else base / name
