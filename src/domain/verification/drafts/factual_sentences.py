"""Which sentences state a fact that a reader would want a source for: a modest rule.

They say how much, or that something acts on, differs from or goes with something else; and
they speak neither of the text itself nor of what its authors did.
"""

import re

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?(?:%|per cent|percent))?")
_POINTER = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|tab|sec(?:tion)?s?|chapters?|eq(?:uation)?s?|appendix|step|part|"
    r"abbildung|tabelle|kapitel|abschnitt)\.?\s*\(?[\dIVX]+",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:[Ww]e|[Oo]urs?|us|I|[Mm]y|"
    r"[Tt]his (?:paper|study|section|chapter|thesis|article|review|work)|"
    r"[Tt]he (?:next|following|present) (?:section|chapter)|[Ww]ir|[Uu]nsere?)\b"
)
_ASSERTS = re.compile(
    r"\b(?:increas|decreas|reduc|improv|caus|lead[s]? to|led to|predict|correlat|associat|affect|"
    r"prevent|outperform|exceed|doubl|halv|significan|more than|less than|higher|lower|faster|"
    r"slower|greater|fewer|most|majority|studies|research|evidence|known|shown|found|proven)",
    re.IGNORECASE,
)
_LEAST_WORDS = 6


def states_a_fact(text: str) -> bool:
    if text.rstrip().endswith("?") or len(_WORD.findall(text)) < _LEAST_WORDS:
        return False
    if _OWN.search(text):
        return False
    return bool(_NUMBER.search(_POINTER.sub("", text)) or _ASSERTS.search(text))
