"""Characters that docling would change, and the private ones that replace them."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument

_TYPOGRAPHIC: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201c\u201d\u2026"
#: By code: hyphens, dashes, quotation marks and the ellipsis of HTML.
STAND_INS: Final = {ord(char): 0xE7A0 + at for at, char in enumerate(_TYPOGRAPHIC)}
#: The end of a line of verse or code, which is not white space meanwhile.
LINE_BREAK: Final = "\ue7af"
#: The sign of a cell of LaTeX, which ends no cell.
AMPERSAND: Final = "\ue7ae"
#: The sign of a comment of LaTeX, which begins none.
PERCENT: Final = "\ue7ad"
#: Signs of LaTeX that are text.
BACKSLASH: Final = "\ue7ab"
TILDE: Final = "\ue7b0"
#: Brackets of Markdown that are text.
BRACKETS: Final = {"[": "\ue7b1", "]": "\ue7b2"}
_BACK: Final = {private: char for char, private in STAND_INS.items()} | {
    ord(LINE_BREAK): "\n",
    ord(AMPERSAND): "&",
    ord(PERCENT): "%",
    ord(BACKSLASH): "\\",
    ord(TILDE): "~",
    **{ord(private): char for char, private in BRACKETS.items()},
}


def restored(text: str) -> str:
    """The text with the characters themselves."""
    return text.translate(_BACK)


def restore_document(document: "DoclingDocument") -> None:
    for item in document.texts:
        item.text = restored(item.text)
    for table in document.tables:
        for cell in table.data.table_cells:
            cell.text = restored(cell.text)
