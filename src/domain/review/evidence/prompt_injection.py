"""Detection of prompt injection: passages that instruct a language model.

Such passages may be quoted, but are never given to a model, nor used as evidence for its text.
"""

import re
from typing import Final

_MODEL: Final = (
    r"(?:ai|llm|gpt|chatgpt|claude|gemini|copilot|assistant|chatbot|language[\s-]model|"
    r"automated (?:system|reviewer|agent)|virtual assistant)s?"
)
_SAY: Final = (
    r"(?:write|say|state|answer|respond|reply|output|print|report|conclude|claim|mention|include|"
    r"repeat|highlight|give|rate|praise|recommend|ignore|accept|summari[sz]e)"
)
_INSTRUCTION: Final = re.compile(
    r"\b(?:ignor|disregard|forget|overrid|bypass)\w*\s(?:\w+\s){0,5}?"
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|orders?|commands?)\b"
    r"|\b(?:ignore|disregard|forget)\s(?:everything|anything|all)\s(?:\w+\s){0,4}?"
    r"(?:told|said|above|before|earlier|previous|prior)\b"
    r"|\b(?:system|developer)\s(?:prompt|message|instruction|mode)s?\b|\bjailbreak"
    rf"|\byou are (?:now )?(?:an? )?(?:\w+\s){{0,3}}{_MODEL}\b"
    rf"|\bas an? (?:\w+\s)?{_MODEL}(?:\s(?:model|assistant|reviewer|agent|system))?\s?,"
    r"\s?(?:you|i|please|do|never|always)\b"
    r"|\bas an? (?:ai|large language|language) (?:model|assistant)\b"
    rf"|\b(?:note|message|attention|instructions?|notice|hint)\s(?:to|for)\s(?:\w+\s){{0,3}}?"
    rf"{_MODEL}\b"
    r"|\b(?:write|say|state|answer|respond|reply|output|print|report|conclude|claim)\b"
    r"(?:\s\w+){0,4}?\s(?:that|with|only|exactly)\b(?=[^.]*\b(?:instead|nothing else|regardless|"
    r"no matter|your (?:answer|report|summary|review)|this (?:paper|document) is)\b)"
    r"|<\|?\s?(?:im_start|im_end|system|assistant|endoftext)\s?\|?>|\[/?INST\]"
    r"|#{2,}\s?(?:system|instructions?|assistant|user)\b\s?:?"
    rf"|\b(?:{_MODEL}(?:\s(?:models?|assistants?|reviewers?|agents?|systems?))?|reviewers?)\s?[,:]"
    rf"\s?(?:please\s|you (?:must|should|will)\s)?(?:(?:do not|don['’]t|never|always)\s)?{_SAY}\b"
    # An imperative at the start of a sentence: "Please write that …".
    rf"|(?:\A|[.!?:;]\s)[\"'“‘(]?(?:please\s|now\s|be sure to\s|make sure to\s|remember to\s|"
    rf"you (?:must|should|have to)\s)+(?:only\s)?{_SAY}\b"
    r"|\bit is (?:important|essential|necessary) to (?:write|say|state|answer|respond|output)\b"
    r"|(?:\A|[.!?]\s)(?:write|say|state|answer|respond|reply|output|print|mention|include|repeat)"
    r"(?:\s(?:that|the (?:sentence|following|words))\b|\s?:)",
    re.IGNORECASE,
)


def is_prompt_injection(text: str) -> bool:
    return _INSTRUCTION.search(" ".join(text.split())) is not None
