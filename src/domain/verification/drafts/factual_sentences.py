"""Rule for factual sentences, which need a source.

They state a quantity, an effect, a difference or an association, and refer neither to the text
itself nor to its authors' work.
"""

import re

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?(?:%|per cent|percent))?")
_POINTER = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|tab|sec(?:tion)?s?|chapters?|eq(?:uation)?s?|appendix|step|part|"
    r"abbildung|tabelle|kapitel|abschnitt)\.?\s*\(?[\dIVX]+",
    re.IGNORECASE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|I|[Mm]y|"
    r"[Tt]his (?:paper|study|section|chapter|thesis|article|review|work)|"
    r"[Tt]he (?:next|following|present) (?:section|chapter)|[Ww]ir|[Uu]nsere?)\b"
)
_ASSERTION = re.compile(
    r"\b(?:increas|decreas|reduc|improv|caus|lead[s]? to|led to|predict|correlat|associat|affect|"
    r"prevent|outperform|exceed|doubl|halv|significan|more than|less than|higher|lower|faster|"
    r"slower|greater|fewer|most|majority|studies|research|evidence|known|shown|found|proven)",
    re.IGNORECASE,
)
_MIN_WORDS = 6


def is_factual(text: str) -> bool:
    if text.rstrip().endswith("?") or len(_WORD.findall(text)) < _MIN_WORDS:
        return False
    if _SELF_REFERENCE.search(text):
        return False
    return bool(_NUMBER.search(_POINTER.sub("", text)) or _ASSERTION.search(text))
