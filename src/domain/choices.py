"""Values that a request chooses among, on the command line, over HTTP and of MCP. This module loads
in no time, so that ``--help`` can name them."""

from enum import StrEnum


#: What a list of papers is sorted by.
class SortKey(StrEnum):
    AUTHOR = "author"
    KEY = "key"
    PAGES = "pages"
    STATE = "state"
    TITLE = "title"
    YEAR = "year"


class Mode(StrEnum):
    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class ChunkKind(StrEnum):
    TEXT = "text"
    TABLE = "table"
    CAPTION = "caption"
    REFERENCE = "reference"
    FIGURE = "figure"
    ANNOTATION = "annotation"


class InText(StrEnum):
    """Syntax of in-text citations; ``TEXT`` is rendered by a citation style, the others use the
    citation key."""

    PANDOC = "pandoc"
    LATEX = "latex"
    TYPST = "typst"
    MARKDOWN = "markdown"
    TEXT = "text"


class Depth(StrEnum):
    AUTO = "auto"
    LIGHT = "light"
    MEDIUM = "medium"
    EXTENDED = "extended"


class SessionStatus(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Rating(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class RelationKind(StrEnum):
    """``parent`` contains a child, ``link`` mentions its target, ``embed`` shows it; ``misc`` is
    given by ``subkind``."""

    PARENT = "parent"
    LINK = "link"
    EMBED = "embed"
    MISC = "misc"


class DraftMarkup(StrEnum):
    """Markup of text drafts; in ``PLAIN`` text citations have pandoc's syntax."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"
    PLAIN = "plain"


class TableFormat(StrEnum):
    """Formats of a table of papers and questions."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    MARKDOWN = "markdown"
