"""Draft files, parsed by their suffix (port ``DraftReader``)."""

from collections.abc import Callable
from pathlib import Path

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.domain.errors import InvalidSource, UnsupportedFormat
from citeloom.domain.verification.drafts.draft import Draft

from .mask import SUFFIXES, with_included

_MARKUP = {suffix: DraftMarkup(one) for one, suffixes in SUFFIXES.items() for suffix in suffixes}
_SUPPORTED = (
    "Markdown (.md, .qmd, .Rmd), LaTeX (.tex), Typst (.typ), Word (.docx), plain text (.txt)"
)


class DraftFiles:
    def read(self, path: Path) -> Draft:
        suffix = path.suffix.lower()
        if not path.is_file():
            raise InvalidSource(f"{path}: no such file; name a draft to verify")
        if suffix == ".docx":
            from .word import parse_docx

            return parse_docx(path)
        if suffix not in _MARKUP:
            raise UnsupportedFormat(f"{path}: no draft that can be read; there are {_SUPPORTED}")
        return with_included(_read(path), _read)

    def parse(self, draft: DraftText) -> Draft:
        parsed = _parser(draft.markup)(draft.name, draft.text)
        if not parsed.inclusions:
            return parsed
        names = ", ".join(dict.fromkeys(one.name for one in parsed.inclusions))
        warning = f"{draft.name}: files that it includes were not read: {names}"
        return parsed.model_copy(update={"warnings": (*parsed.warnings, warning)})


def _read(path: Path) -> Draft:
    return _parser(_MARKUP[path.suffix.lower()])(str(path), _text(path))


def _parser(markup: DraftMarkup) -> Callable[[str, str], Draft]:
    if markup is DraftMarkup.LATEX:
        from .latex import parse_latex

        return parse_latex
    if markup is DraftMarkup.TYPST:
        from .typst import parse_typst

        return parse_typst
    from .markdown import parse_markdown, parse_plain

    return parse_markdown if markup is DraftMarkup.MARKDOWN else parse_plain


def _text(path: Path) -> str:
    """Raises InvalidSource."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidSource(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSource(
            f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8 and try again"
        ) from error
