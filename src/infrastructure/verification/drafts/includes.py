r"""Files included by a draft (``\\input``, ``#include``, ``{{< include >}}``)."""

from collections.abc import Callable, Iterator
from pathlib import Path

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.verification.drafts.draft import Draft, Inclusion

Read = Callable[[Path], Draft]

# Suffixes of included files that are prose; pictures and tables are not.
_PROSE = {
    "latex": (".tex", ".latex", ".ltx"),
    "typst": (".typ",),
    "markdown": (".md", ".markdown", ".qmd", ".rmd", ".mdown"),
}


def with_included(draft: Draft, read: Read) -> Draft:
    """The draft with all directly and indirectly included files, each once. Files outside its
    folder, missing and unreadable ones give warnings; files that are not prose, by their suffix,
    are skipped."""
    folder = Path(draft.path).parent
    seen = {Path(draft.path).resolve()}
    parts, warnings = list[Draft](), list(draft.warnings)

    def follow(parent: Draft) -> None:
        for inclusion in parent.inclusions:
            location = f"{parent.path}:{parent.position(inclusion.start).line}"
            try:
                path = _included_path(inclusion, parent, folder)
                if path is None or path.resolve() in seen:
                    continue
                seen.add(path.resolve())
                part = read(path)
            except (CiteLoomError, ValueError) as error:
                warnings.append(f"{location}: not read: {error}")
                continue
            parts.append(part)
            warnings.extend(part.warnings)
            follow(part)

    follow(draft)
    return draft.model_copy(update={"parts": tuple(parts), "warnings": tuple(warnings)})


def _included_path(inclusion: Inclusion, parent: Draft, folder: Path) -> Path | None:
    """None for a file that is not prose. Raises ValueError for one that cannot or must not be
    read."""
    name = inclusion.name.strip().strip('"')
    if not name or set(name) & set("\\#{}$"):
        raise ValueError(f"“{name}” is made by a command; verify that file by itself")
    suffixes = _PROSE.get(parent.format, ())
    here, candidates = folder.resolve(), list(_candidates(name, parent, folder))
    inside = [p for p in candidates if p.resolve().is_relative_to(here)]
    path = next((p for p in inside if p.is_file()), None)
    if path is None:
        if Path(name).suffix and Path(name).suffix.lower() not in suffixes:
            return None
        if len(inside) < len(candidates):
            raise ValueError(f"{name} lies outside the folder of the draft; verify it by itself")
        raise ValueError(f"{name} is not there")
    return path if path.suffix.lower() in suffixes else None


def _candidates(name: str, parent: Draft, folder: Path) -> Iterator[Path]:
    """Candidate paths. LaTeX looks in the folder of the draft, first with ``.tex`` appended; then,
    as Typst and Quarto do first, beside the including file."""
    bases = [folder, Path(parent.path).parent]
    for base in bases if parent.format == "latex" else bases[::-1]:
        if parent.format == "latex":
            yield base / f"{name}.tex"
        yield base / name.removeprefix("/") if parent.format == "typst" else base / name
