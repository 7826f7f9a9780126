"""Detection of prompt injection: passages that instruct a language model.

Such passages may be quoted, but are never given to a model, nor used as evidence for its text. A
sentence that reports an order in quotation marks, as papers on these attacks do, is none.
"""

import re
from typing import Final

from citeloom.domain.review.evidence.injection_patterns import MENTION, ORDERS
from citeloom.domain.text.confusables import plainly

_QUOTED: Final = re.compile(
    r"“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|\"[^\"]{1,200}\"|‘[^‘’]{1,200}’|`[^`]{1,200}`"
    r"|(?<!\w)'[^']{1,200}'(?!\w)"
)
_ADDRESSED: Final = re.compile(r"\b(?:you|your|please|du|dein\w*|bitte|tu|vous|votre|usted|voce)\b")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"”’»)]*\s+(?=\S)")
_FEWEST_AROUND: Final = 3


def is_prompt_injection(text: str) -> bool:
    plain = plainly(text)
    reported = " ".join(map(_without_mentions, _sentences(plain)))
    return any(order.search(reported) for order in ORDERS)


def _sentences(text: str) -> list[str]:
    """Sentences; a quotation is never torn."""
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    sentences, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        if not any(first < end.start() < last for first, last in quoted):
            sentences.append(text[start : end.start()])
            start = end.end()
    return [*sentences, text[start:]]


def _without_mentions(sentence: str) -> str:
    """A sentence without its quotations, where it speaks about them to nobody in particular."""
    around = _QUOTED.sub(" ", sentence)
    if len(around.split()) < _FEWEST_AROUND or _ADDRESSED.search(around):
        return sentence
    return around if MENTION.search(around) else sentence
