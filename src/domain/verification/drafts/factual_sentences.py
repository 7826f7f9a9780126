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
_MEASURED = re.compile(r"\d\s?(?:%|per cent|percent)|\d\.\d")
# Words without which a sentence states nothing; a short one must give a value, or a number and
# what became of it.
_MIN_WORDS, _MIN_WORDS_OF_A_VALUE = 6, 3


def is_factual(text: str) -> bool:
    words = len(_WORD.findall(text))
    if text.rstrip().endswith("?") or _SELF_REFERENCE.search(text):
        return False
    without_pointers = _POINTER.sub("", text)
    number, assertion = _NUMBER.search(without_pointers), _ASSERTION.search(text)
    if words < _MIN_WORDS:
        gives_value = _MEASURED.search(without_pointers) or (number and assertion)
        return words >= _MIN_WORDS_OF_A_VALUE and bool(gives_value)
    return bool(number or assertion)
