"""Verdicts on a claim: the meaning, the basis and the degree of support of each.

Quantities and quotations decide an unsupported claim. A page that has none of them, in any form,
does not support the claim; a sentence that has all of them, of the same things, is the claim's
source, whatever the two say.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Verdict(StrEnum):
    """Verdict of a cited source on a claim, in the order of reports: what is wrong comes first.

    ``CONTRADICTED``, ``UNSUPPORTED``, ``PARTIAL``, ``NOT_ESTABLISHED`` and ``SUPPORTED`` are on its
    content. ``NOT_ESTABLISHED``: the source has sentences on the subject, but neither the rules nor
    a model can tell that they support or contradict the claim. ``UNSUPPORTED``: the whole source
    was searched and has nothing on it.
    ``WRONG_PAGE``: what the claim takes from the source stands on another page than the one named;
    ``reasons`` say whether that supports it. ``MISQUOTED``: a quotation that the source does not
    have. ``UNKNOWN_KEY``: the key is not in the project. ``NO_TEXT``: the item
    is, without text.
    """

    CONTRADICTED = "CONTRADICTED"
    MISQUOTED = "MISQUOTED"
    UNSUPPORTED = "UNSUPPORTED"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    WRONG_PAGE = "WRONG_PAGE"
    PARTIAL = "PARTIAL"
    NOT_ESTABLISHED = "NOT_ESTABLISHED"
    NO_TEXT = "NO_TEXT"
    SUPPORTED = "SUPPORTED"


class Basis(StrEnum):
    """How a verdict was reached: by comparison with the source word by word (``EXACT``), or by a
    model (``JUDGED``)."""

    EXACT = "exact"
    JUDGED = "judged"


#: Of the verdicts on what a source says, the higher supports the claim more.
SUPPORT: Final[Mapping[Verdict, int]] = {
    Verdict.SUPPORTED: 4,
    Verdict.PARTIAL: 3,
    Verdict.NOT_ESTABLISHED: 2,
    Verdict.UNSUPPORTED: 1,
    Verdict.CONTRADICTED: 0,
}


class Severity(StrEnum):
    """How grave a verdict is for a reader of the draft, as in SARIF 2.1.0."""

    NONE = "none"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


#: The severity of each verdict, and what it says in a sentence.
MEANINGS: Final[Mapping[Verdict, tuple[Severity, str]]] = {
    Verdict.SUPPORTED: (Severity.NONE, "The cited source says so."),
    Verdict.PARTIAL: (
        Severity.WARNING,
        "The cited source says part of it, or says it with reservations.",
    ),
    Verdict.NOT_ESTABLISHED: (
        Severity.NOTE,
        "Not decided: please check whether the cited source supports this.",
    ),
    Verdict.UNSUPPORTED: (Severity.ERROR, "The cited source was not found to say so."),
    Verdict.CONTRADICTED: (Severity.ERROR, "The cited source says otherwise."),
    Verdict.WRONG_PAGE: (Severity.WARNING, "What is cited is on another page of the source."),
    Verdict.MISQUOTED: (Severity.ERROR, "The cited source does not have these words."),
    Verdict.UNKNOWN_KEY: (Severity.ERROR, "The project has no item with this citation key."),
    Verdict.NO_TEXT: (Severity.NOTE, "The project does not have the text of the cited item."),
}
