"""Detection of prompt injection: passages that instruct a language model.

Such passages may be quoted, but are never given to a model, nor used as evidence for its text. A
sentence that reports an order in quotation marks, as papers on these attacks do, is none.
"""

import re
from typing import Final

from citeloom.domain.text.characters import plainly

# ruff: noqa: E501 (patterns are not cut)


_MODEL: Final = (
    r"(?:ais?|llms?|gpt(?:-?\d\w*)?|chatgpt|claude|gemini|copilot|assistants?|chatbots?|"
    r"(?:large )?language[ -]models?|automated (?:systems?|reviewers?|agents?)|"
    r"virtual assistants?|ki(?:s|-\w+)?|sprachmodelle?n?|ias?|"
    r"modeles? de langage|assistente?s? virtua(?:l|is|les|li)|modelos? de (?:lenguaje|linguagem)|"
    r"modell[oi] linguistic[oi]|assistent[ei]|asistentes?|assistentes?|intelligen(?:ce|cia|za) artifici(?:elle|al|ale))"
)
# Where an imperative stands: at the beginning of a clause, or after words that lead to one.
_CLAUSE: Final = (
    r"(?:^|[.!?:;,\"'“”„«»‘’(\[>#*/|–—-]\s*|\b(?:please|now|then|just|simply|kindly|instead|must|"
    r"should|shall|have to|need to|are to|you will|will you|do not|don't|never|always|also|bitte|"
    r"nun|jetzt|maintenant|ahora|ora|adesso|agora|por favor|per favore|veuillez)\s)"
)
_SIGNED: Final = (
    r"(?:all|any|every|everything|the|your|my|our|these|those|this|that|previous|prior|above|"
    r"earlier|preceding|foregoing|initial|original|other|system|safety|of)"
)
_RULES_EN: Final = (
    r"(?:instructions?|rules?|(?:system )?prompts?|guidelines?|directions?|orders?|commands?|"
    r"guardrails?|restrictions?|safety (?:policy|policies|settings)|directives?)"
)
_IGNORE_EN: Final = r"(?:ignore|disregard|forget|override|bypass|discard|dismiss|neglect)"
_SAY_EN: Final = (
    r"(?:write|say|state|answer|respond|reply|output|print|report|conclude|claim|mention|include|"
    r"repeat|highlight|give|rate|praise|recommend|accept|summari[sz]e|assert|declare|tell|score|"
    r"rank|treat|assign|emphasi[sz]e|describe|cite|prefer)"
)
_THIS_EN: Final = (
    r"(?:this|the present|the above|our|the following) "
    r"(?:paper|document|article|study|work|manuscript|passage|submission|text|source|sentence)"
)
_ENGLISH: Final = (
    # Ignore all previous instructions.
    rf"{_CLAUSE}{_IGNORE_EN}\s(?:{_SIGNED}\s)+?(?:\w+\s){{0,3}}?{_RULES_EN}\b",
    rf"{_CLAUSE}{_IGNORE_EN}\s(?:previous|prior|earlier)\s(?:\w+\s){{0,2}}?{_RULES_EN}\b",
    rf"{_CLAUSE}{_IGNORE_EN}\s(?:everything|anything|all|whatever)\s(?:\w+\s){{0,5}}?"
    r"(?:told|said|above|before|earlier|previous|prior|instructed|learned)\b",
    rf"\byou (?:\w+\s){{0,5}}?(?:to )?{_IGNORE_EN}\s(?:\w+\s){{0,4}}?{_RULES_EN}\b",
    rf"^(?:read|stop|forget|write|say|drop|begin|start|listen)\b.* and {_IGNORE_EN}\s"
    rf"(?:\w+\s){{0,4}}?{_RULES_EN}\b",
    rf"{_CLAUSE}(?:do not|don't|stop|never) (?:follow|obey|obeying|following|comply with)\s"
    rf"(?:\w+\s){{0,4}}?{_RULES_EN}\b",
    # Roles and modes.
    rf"(?:^|[.!?:;,\"“„«(>-]\s*)you are (?:now )?(?:(?:a|an|the) )?(?:\w+\s){{0,3}}?{_MODEL}\b"
    r"(?!\s(?:user|researcher|developer)s?\b)",
    r"\byou are now (?:in |an? |the |free|unrestricted|dan\b|no longer)",
    r"\bfrom now on,? (?:you|act|respond|answer|ignore|always|never|reply)\b",
    rf"{_CLAUSE}(?:act|behave|respond|answer|roleplay|pretend) (?:as (?:if you|an? unrestricted|"
    rf"dan\b|(?:an? )?(?:\w+\s){{0,2}}?{_MODEL})|(?:that )?you (?:are|have no))",
    rf"{_CLAUSE}(?:enter|enable|activate|switch (?:in)?to|turn on|unlock) "
    r"(?:the )?(?:developer|debug|admin|dan|god|jailbreak|unrestricted|maintenance) mode\b",
    # What is hidden.
    rf"{_CLAUSE}(?:reveal|show|print|repeat|output|disclose|leak|display|tell me|give me|recite)\s"
    r"(?:\w+\s){0,3}?(?:your|the (?:hidden|system|initial|original|secret)|system)\s"
    r"(?:\w+\s){0,2}?(?:prompts?|instructions?|rules)\b",
    rf"{_CLAUSE}(?:send|upload|forward|email|e-mail|exfiltrate|leak|post|transmit)\s(?:\w+\s){{0,3}}?"
    r"(?:user(?:'s)?|conversation|chat|session|api keys?|passwords?|credentials|secrets?|"
    r"private (?:data|notes|files)|context)\b",
    # Who is meant.
    rf"\b(?:note|message|attention|instructions?|notice|hint|warning|reminder)\s(?:to|for)\s"
    rf"(?:\w+\s){{0,3}}?{_MODEL}(?:\s\w+){{0,2}}\s?[:,!–—-]",
    rf"(?:^|[.!?]\s)(?:attention|dear|hey|hello),? (?:\w+\s){{0,2}}?{_MODEL}\s?[:,!.–—-]",
    rf"(?:^|[.!?;]\s)(?:{_MODEL}(?:\s(?:models?|assistants?|reviewers?|agents?|systems?|readers?))?"
    rf"|reviewers?)\s?[,:–—-]\s?(?:please\s|you (?:must|should|will)\s)?"
    rf"(?:(?:do not|don't|never|always|only)\s)?(?:{_SAY_EN}|{_IGNORE_EN})\s(?!of\b|by\b)",
    rf"\bas an? (?:\w+\s)?{_MODEL}(?:\s(?:model|assistant|reviewer|agent|system))?\s?,"
    r"\s?(?:you|please|do not|never|always)\b",
    rf"\bif you are (?:an? |the )?(?:\w+\s){{0,2}}?{_MODEL}\b",
    # When it is asked, and what it shall say.
    rf"\b(?:if|when|whenever|once) (?:you(?:'re| are)? )?(?:asked|prompted|summari[sz]ing|reviewing|"
    rf"evaluating|answering|citing|discussing|asked to)\b[^.!?]{{0,80}}?,\s?(?:always |please |you "
    rf"(?:must|should|will) |only |do not |never )*{_SAY_EN}\s",
    rf"{_CLAUSE}(?:be sure to |make sure to |remember to )?(?:only )?{_SAY_EN}\s(?:\w+\s){{0,3}}?"
    r"(?:instead|nothing else|regardless|no matter)\b",
    rf"(?:^|[.!?:;]\s)[\"'“‘(]?(?:please |now |be sure to |make sure to |remember to |you must |"
    rf"you should |you have to )+(?:only )?{_SAY_EN}\s(?:that\b|{_THIS_EN}|only (?:that|with|the)|"
    r"a (?:positive|favou?rable|glowing))",
    r"(?:^|[.!?]\s)[\"'“‘(]?(?:write|say|conclude|respond|reply|answer|state|report|output|claim)"
    r"(?:\s(?:that [^.!?]*\b(?:instead|nothing else|regardless|this (?:paper|document) is)|only "
    r"(?:with|that)|with (?:only|exactly|the (?:word|phrase|sentence))|the (?:sentence|words?|"
    r"phrase|following (?:sentence|words?))|exactly)\b)",
    r"(?:^|[.!?]\s)[\"'“‘(]?(?:write|say)\s?:",
    rf"(?:^|[.!?:;]\s|\b(?:please|always|must)\s)(?:rate|score|rank|treat|praise|accept|recommend|"
    rf"prefer|cite|trust)\s(?:only )?(?:{_THIS_EN}|acceptance)\b(?!\s(?:as follows|on)\b)"
    r"[^.!?]*?(?:\b(?:highly|high|highest|first|best|only|positive(?:ly)?|above|always|10|ten|"
    r"excellent|authoritative|accept(?:ance)?)\b|[.!]|$)",
    rf"{_CLAUSE}(?:give|write|produce|provide) (?:only )?(?:an? )?(?:only )?(?:positive|favou?rable|"
    r"glowing)\s(?:only )?(?:reviews?|summary|assessments?|evaluations?|rating)\b",
    rf"{_CLAUSE}(?:mention|report|highlight|discuss|include|point out|raise|cite|list) (?:any |the |"
    r"its |no )*(?:weakness\w*|limitations?|negatives?|flaws?|criticism|shortcomings?)"
    r"(?:\s(?:of|in) (?:this|the) (?:paper|document|study|work))?\s?[.!]?$(?<=.)",
    r"\b(?:do not|don't|never) (?:mention|report|highlight|discuss|include|reveal|tell|point out|"
    r"raise|cite|list) (?:any |the |its |this |these |to )*(?:weakness\w*|limitations? of this|"
    r"negatives?|flaws?|criticism|instructions?\b|user\b|this (?:message|note))",
    # New orders.
    r"\b(?:new|updated|revised|real|actual|secret) (?:system )?instructions?(?: follow\w*)?\s?:",
    r"(?:^|[.!?:;]\s)your (?:new|real|actual|true|only) (?:task|instructions?|goal|objective|role|"
    r"orders?)\b",
    r"(?:^|[.!?\n]\s?)system\s?(?:prompt|message|override|note)?\s?:\s?(?:you|ignore|new|the "
    r"assistant|override|disregard|always|from)\b",
)
_TOKENS: Final = (
    r"<\|?\s?(?:im_start|system|assistant)\s?\|?>\s?(?:system|user|assistant|you|ignore|new)\b",
    r"(?:^|[.!?:]\s)<\|?\s?(?:im_start|im_end|system|assistant|endoftext)\s?\|?>",
    r"(?:^|[.!?:]\s)\[/?inst\]\s?\w|<</?sys>>|</(?:system|instructions?|user)>",
    r"#{2,}\s?(?:system|instructions?|assistant|user)\b\s?:",
)
_RULES_DE: Final = (
    r"(?:anweisung(?:en)?|instruktion(?:en)?|regeln?|vorgaben?|befehle?|richtlinien?|"
    r"system-?prompts?|prompts?|anordnungen|beschrankungen)"
)
_SAY_DE: Final = (
    r"(?:schreibe?|schreiben sie|sage?|sagen sie|antworte|antworten sie|gib|geben sie|erwahne|"
    r"erwahnen sie|bewerte|bewerten sie|empfiehl|empfehlen sie|behaupte|behaupten sie|nenne|"
    r"nennen sie)"
)
_GERMAN: Final = (
    rf"{_CLAUSE}(?:ignoriere?|ignoriert|ignorieren sie|missachte|missachten sie|vergiss|vergessen "
    rf"sie|vergesst|ubergehe|ubergehen sie|umgehe|umgehen sie)\s(?:\w+\s){{0,5}}?{_RULES_DE}\b",
    rf"{_CLAUSE}(?:vergiss|vergessen sie|ignoriere?|ignorieren sie) (?:alles|was)\b[^.!?]*\b(?:zuvor|"
    r"vorher|bisher|oben|davor|gesagt)\b",
    rf"{_CLAUSE}(?:befolge|befolgen sie|beachte|beachten sie)\s(?:\w+\s){{0,4}}?{_RULES_DE}\s"
    r"(?:nicht|nicht mehr)\b",
    rf"\b(?:du bist|sie sind) (?:jetzt|nun|ab sofort|von nun an) (?:\w+\s){{0,3}}?(?:{_MODEL}|"
    r"assistent\w*|im entwicklermodus|frei|ohne)\b",
    r"\bab (?:jetzt|sofort) (?:bist du|sind sie|antwortest|antworten sie|ignorier\w+)\b",
    rf"\b(?:hinweis|nachricht|anweisung|achtung|mitteilung)\w* (?:an|fur) (?:\w+\s){{0,2}}?{_MODEL}"
    r"(?:\s\w+){0,2}\s?[:!,–—-]",
    rf"(?:^|[.!?]\s)(?:an alle |liebe )?{_MODEL}\s?[:,]\s?(?:bitte )?{_SAY_DE}\b",
    rf"\b(?:wenn|falls) du (?:ein|eine) (?:\w+\s)?{_MODEL}\b",
    rf"\bals {_MODEL} (?:sollst|musst|sollen|mussen|darfst) (?:du|sie)\b",
    rf"(?:^|[.!?:;]\s)(?:bitte )?{_SAY_DE}\s(?:\w+\s){{0,3}}?(?:nur|ausschliesslich|stattdessen|"
    r"positiv\w*)\b",
    rf"\bbitte {_SAY_DE},? dass\b|(?:^|[.!?]\s){_SAY_DE},? dass (?:dieser?s?|die vorliegende)\b",
    rf"{_CLAUSE}(?:verrate|zeige?|gib|nenne|wiederhole)\s(?:\w+\s){{0,2}}?(?:deinen?|deine|ihren?)\s"
    rf"(?:\w+\s)?{_RULES_DE}\b",
)
_RULES_FR: Final = (
    r"(?:instructions?|consignes?|regles?|directives?|ordres?|invites?|prompts?|restrictions?)"
)
_FRENCH: Final = (
    rf"{_CLAUSE}(?:ignore[zs]?|ignorer|oublie[zs]?|oublier|neglige[zs]?|fai(?:s|tes) abstraction de\w*|"
    r"ne (?:tiens|tenez) (?:pas |aucun )?compte d\w+|contourne[zs]?)\s"
    rf"(?:\w+['’]?\s?){{0,5}}?{_RULES_FR}\b",
    rf"{_CLAUSE}(?:oublie[zs]?|ignore[zs]?) tout ce (?:qui|que)\b",
    rf"\b(?:tu es|vous etes) (?:maintenant|desormais|a present) (?:\w+\s){{0,3}}?(?:{_MODEL}|"
    r"assistant\w*|en mode|libre|sans)\b",
    r"\b(?:a partir de maintenant|desormais),? (?:tu|vous) (?:es|etes|dois|devez|reponds|repondez|"
    r"ignor\w+)\b",
    rf"\b(?:note|message|avis|attention|instructions?) (?:a|aux?|pour) (?:\w+['’]?\s?){{0,3}}?{_MODEL}"
    r"(?:\s\w+){0,2}\s?[:!–—-]",
    rf"\ben tant qu['’]?(?:\w+\s)?{_MODEL},? (?:tu|vous)\b|\bsi (?:tu es|vous etes) une? "
    rf"(?:\w+\s)?{_MODEL}\b",
    rf"{_CLAUSE}(?:ecri(?:s|vez)|di(?:s|tes)|repond(?:s|ez)|conclu(?:s|ez)|affirme[zs]?|"
    r"recommande[zs]?|donne[zs]?)\s(?:que (?:cet?t?e?|le present)|(?:\w+\s){0,3}?(?:uniquement|"
    r"seulement|une? (?:avis|evaluation|note|critique) positi\w+))\b",
    r"\bveuillez (?:ecrire|repondre|conclure|dire|affirmer|recommander) (?:que|uniquement|"
    r"l['’]acceptation)\b",
    rf"{_CLAUSE}(?:revele[zs]?|affiche[zs]?|montre[zs]?|repete[zs]?)\s(?:\w+\s)?(?:ton|votre|tes|vos)\s"
    rf"(?:\w+\s)?{_RULES_FR}\b",
)
_RULES_ES: Final = (
    r"(?:instruccion(?:es)?|ordenes|reglas?|indicaciones|directrices|directivas|prompts?|"
    r"restricciones)"
)
_SPANISH: Final = (
    rf"{_CLAUSE}(?:ignora|ignore|ignoren|ignorad|olvida|olvide|olviden|olvidate de|descarta|"
    r"descarte|ha[zg]a? caso omiso de|no (?:sigas|siga|tengas en cuenta|tenga en cuenta|obedezcas))\s"
    rf"(?:\w+\s){{0,5}}?{_RULES_ES}\b",
    rf"{_CLAUSE}(?:olvida|olvide|ignora|ignore) todo lo (?:que|anterior)\b",
    rf"\b(?:ahora )?(?:eres|usted es) (?:ahora )?(?:un |una )?(?:\w+\s){{0,2}}?(?:{_MODEL}|asistente\w*)"
    r"\b",
    r"\ba partir de ahora,? (?:eres|seras|responde\w*|actua\w*|debes|ignora\w*)\b",
    rf"\b(?:nota|mensaje|aviso|atencion|instruccion(?:es)?) (?:a|para) (?:\w+\s){{0,3}}?{_MODEL}"
    r"(?:\s\w+){0,2}\s?[:!–—-]",
    rf"\bcomo (?:\w+\s)?{_MODEL},? (?:debes|tienes|usted debe|debe)\b|\bsi eres (?:un |una )?"
    rf"(?:\w+\s)?{_MODEL}\b",
    r"\bpor favor,? (?:escrib[ae]|di|diga|responde?a?|afirm[ae]|conclu[iy][ae]?y?[ae]?|"
    r"recomiend[ae]|menciona|mencione) (?:que|solo|solamente|unicamente|la aceptacion)\b",
    rf"{_CLAUSE}(?:responde|responda|escribe|escriba|di|diga|da|de)\s(?:\w+\s){{0,2}}?(?:solo|"
    r"solamente|unicamente|una (?:valoracion|resena|evaluacion) positiva)\b",
    rf"{_CLAUSE}(?:revela|revele|muestra|muestre|repite|repita)\s(?:tus?|sus?)\s(?:\w+\s)?"
    rf"{_RULES_ES}\b",
)
_RULES_IT: Final = (
    r"(?:istruzion[ei]|regol[ea]|ordin[ei]|direttiv[ea]|indicazioni|comand[io]|prompt|"
    r"restrizioni|linee guida)"
)
_ITALIAN: Final = (
    rf"{_CLAUSE}(?:ignora|ignorate|ignori|dimentica|dimenticate|dimentichi|trascura|trascurate|"
    r"disattendi|aggira|non (?:seguire|tenere conto d\w+|considerare|rispettare))\s"
    rf"(?:\w+['’]?\s?){{0,5}}?{_RULES_IT}\b",
    rf"{_CLAUSE}(?:dimentica|ignora)(?:te)? tutto (?:cio|quello|quanto)\b",
    rf"\b(?:ora|adesso|d['’]ora in poi|da ora in poi),? (?:tu )?(?:sei|agisci|rispondi|devi)\b"
    rf"|(?:^|[.!?:;]\s)sei (?:ora|adesso) |(?:^|[.!?:;]\s)sei un['’]?a? ?(?:\w+\s){{0,2}}?{_MODEL}\b",
    rf"\b(?:nota|messaggio|avviso|attenzione|istruzioni) (?:a|ai|agli|alle|per) (?:\w+\s){{0,3}}?"
    rf"{_MODEL}(?:\s\w+){{0,2}}\s?[:!–—-]",
    rf"\bin quanto (?:\w+\s)?{_MODEL},? (?:devi|deve)\b|\bse sei un['’]?a? ?(?:\w+\s)?{_MODEL}\b",
    r"\b(?:per favore|si prega di),? (?:scriv(?:i|ere)|rispond(?:i|ere)|di(?:re|')?|afferma(?:re)?|"
    r"conclud(?:i|ere)|raccomanda(?:re)?) (?:che|solo|soltanto|l['’]accettazione)\b",
    rf"{_CLAUSE}(?:rispondi|rispondete|scrivi|scrivete|dai|date)\s(?:\w+\s){{0,2}}?(?:solo|soltanto|"
    r"esclusivamente|una (?:valutazione|recensione) positiva)\b",
    rf"{_CLAUSE}(?:rivela|mostra|ripeti)(?:te)?\s(?:(?:il|le|la) )?(?:tu[oae]|tue|vostr\w)\s(?:\w+\s)?"
    rf"{_RULES_IT}\b",
)
_RULES_PT: Final = (
    r"(?:instruc(?:ao|oes)|regras?|ordens|diretrizes|comandos?|prompts?|restricoes|orientacoes)"
)
_PORTUGUESE: Final = (
    rf"{_CLAUSE}(?:ignore|ignora|ignorem|esqueca|esquece|esquecam|desconsidere|desconsidera|"
    r"desrespeite|contorne|nao (?:siga|sigas|leve em conta|obedeca))\s"
    rf"(?:\w+\s){{0,5}}?{_RULES_PT}\b",
    rf"{_CLAUSE}(?:esqueca|esquece|ignore|ignora) tudo (?:o que|que|isso)\b",
    rf"\b(?:agora )?(?:voce e|tu es) (?:agora )?(?:um |uma )?(?:\w+\s){{0,2}}?(?:{_MODEL}|assistente\w*)"
    r"\b",
    r"\ba partir de agora,? (?:voce|tu|responda|ignore|aja|seja)\b",
    rf"\b(?:nota|mensagem|aviso|atencao|instruc(?:ao|oes)) (?:a|aos?|as|para) (?:\w+\s){{0,3}}?{_MODEL}"
    r"(?:\s\w+){0,2}\s?[:!–—-]",
    rf"\bcomo (?:\w+\s)?{_MODEL},? voce deve\b|\bse voce e (?:um |uma )?(?:\w+\s)?{_MODEL}\b",
    r"\bpor favor,? (?:escrev[ae]|diga|respond[ae]|afirm[ae]|conclu[ai]|recomend[ae]|mencion[ae]) "
    r"(?:que|apenas|somente|a aceitacao)\b",
    rf"{_CLAUSE}(?:responda|escreva|diga|de)\s(?:\w+\s){{0,2}}?(?:apenas|somente|uma "
    r"(?:avaliacao|resenha|critica) positiva)\b",
    rf"{_CLAUSE}(?:revele|revela|mostre|mostra|repita)\s(?:(?:o|as|os) )?(?:seus?|suas?|teus?|tuas?)\s"
    rf"(?:\w+\s)?{_RULES_PT}\b",
)
ORDERS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        *_ENGLISH, *_TOKENS, *_GERMAN, *_FRENCH, *_SPANISH, *_ITALIAN, *_PORTUGUESE,
    )
)  # fmt: skip
#: What makes a quoted order a mention of one: the words around the quotation marks.
MENTION: Final = re.compile(
    r"\b(?:prompts?|prompted|instructions?|instruct\w*|strings?|phrases?|suffix\w*|prefix\w*|"
    r"attacks?|attackers?|attacked|injections?|injects?|injected|payloads?|messages?|texts?|examples?|"
    r"e\.g|such as|like|contain\w*|begins?|began|reads?|read|wrote|asked|told|called|named|templates?|"
    r"wording|items?|questions?|jailbreaks?|jailbreak\w+|commands?|words?|sentences?|comments?|"
    r"wie|satz|satze|text|enthalt\w*|lautet\w*|comme|phrase|texte|como|frase|texto|come|testo)\b"
)


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
    """A sentence without its quotations, if it only comments on them."""
    around = _QUOTED.sub(" ", sentence)
    if len(around.split()) < _FEWEST_AROUND or _ADDRESSED.search(around):
        return sentence
    return around if MENTION.search(around) else sentence
