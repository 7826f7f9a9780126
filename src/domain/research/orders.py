"""Passages that speak to a language model rather than to a reader.

Whoever puts such words into a document wants them obeyed. They can be quoted; but they are not
given to a model, and bear out nothing that one writes.
"""

import re
from typing import Final

_ORDER: Final = re.compile(
    r"\b(?:ignor|disregard|forget|overrid|bypass)\w*\s(?:\w+\s){0,5}?"
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|orders?|commands?)\b"
    r"|\b(?:system|developer)\s(?:prompt|message|instruction)s?\b"
    r"|\byou are (?:now )?(?:an? )?(?:\w+\s){0,3}(?:ai|assistant|language model|chatbot|llm|gpt)\b"
    r"|\bas an? (?:ai|large language|language) (?:model|assistant)\b"
    r"|\b(?:write|say|state|answer|respond|reply|output|print|report|conclude|claim)\b"
    r"(?:\s\w+){0,4}?\s(?:that|with|only|exactly)\b(?=[^.]*\b(?:instead|nothing else|regardless|"
    r"no matter|your (?:answer|report|summary|review)|this (?:paper|document) is)\b)"
    r"|<\|?\s?(?:im_start|im_end|system|assistant|endoftext)\s?\|?>|\[/?INST\]"
    r"|\b(?:ai|llm|language model|assistant|reviewer)s?\s?(?:,|:)\s?(?:please\s)?"
    r"(?:write|say|give|rate|praise|recommend|ignore|accept|summari[sz]e|answer)\b",
    re.IGNORECASE,
)


def speaks_to_a_model(text: str) -> bool:
    return _ORDER.search(" ".join(text.split())) is not None
