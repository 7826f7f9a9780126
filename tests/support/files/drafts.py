"""Drafts from text, as the tests read them."""

from citeloom.domain.verification.drafts.draft import Claim, Draft, extract_claims
from citeloom.infrastructure.verification.drafts.latex import parse_latex
from citeloom.infrastructure.verification.drafts.markdown import parse_markdown, parse_plain
from citeloom.infrastructure.verification.drafts.typst import parse_typst

PARSERS = {
    "markdown": parse_markdown,
    "latex": parse_latex,
    "typst": parse_typst,
    "plain": parse_plain,
}


def draft_of(kind: str, text: str) -> Draft:
    return PARSERS[kind](f"draft.{kind}", text)


def told(kind: str, text: str) -> list[tuple[str, list[str]]]:
    """The claims of a draft with the keys that they cite."""
    return [(one.text, keys(one)) for one in extract_claims(draft_of(kind, text))]


def keys(claim: Claim) -> list[str]:
    return [item.key for item in claim.cited]
