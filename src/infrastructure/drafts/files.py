"""Drafts on disk, by the suffix of their file."""

from pathlib import Path

from citeloom.domain.drafts.draft import Draft
from citeloom.domain.errors import InvalidSource, UnsupportedFormat

_MARKDOWN = frozenset({".md", ".markdown", ".qmd", ".rmd", ".mdown"})
_LATEX = frozenset({".tex", ".latex", ".ltx"})
_TYPST = frozenset({".typ"})
_PLAIN = frozenset({".txt", ".text"})
_KNOWN = "Markdown (.md, .qmd, .Rmd), LaTeX (.tex), Typst (.typ), Word (.docx), plain text (.txt)"


class DraftFiles:
    def read(self, path: Path) -> Draft:
        suffix = path.suffix.lower()
        if not path.is_file():
            raise InvalidSource(f"{path}: no such file; name a draft to verify")
        if suffix == ".docx":
            from citeloom.infrastructure.drafts.docx import parse_docx

            return parse_docx(path)
        if suffix in _MARKDOWN:
            from citeloom.infrastructure.drafts.markdown import parse_markdown as parse
        elif suffix in _LATEX:
            from citeloom.infrastructure.drafts.latex import parse_latex as parse
        elif suffix in _TYPST:
            from citeloom.infrastructure.drafts.typst import parse_typst as parse
        elif suffix in _PLAIN:
            from citeloom.infrastructure.drafts.markdown import parse_plain as parse
        else:
            raise UnsupportedFormat(f"{path}: no draft that can be read; there are {_KNOWN}")
        return parse(str(path), _text(path))


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
