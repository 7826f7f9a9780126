"""Questions: their decomposition, and a score for sentences that report results.

Results score higher than aims and methods. Own word lists for the English of papers; in other
languages all sentences score the same.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import terms
from citeloom.domain.text.words import STOP_WORDS

_QUESTION_WORD: Final = (
    r"(?:how|what|why|when|where|who|whom|whose|which|whether|to what extent|under which|"
    r"in which|for whom|(?:at|by|for|with|of|in|from) (?:what|how)|"
    r"(?:do|does|did|is|are|was|were|can|could|should|has|have|will|would)"
    r"(?=\s(?:it|they|its|their|this|that|these|those|there|the|a|an|we|such)\b))"
)
_JOINT: Final = re.compile(
    rf"(?:\s*[,;]\s*|\s+)(?:and|but|or)(?:,\s*|\s+)(?={_QUESTION_WORD}\b)", re.I
)
# Between questions of a list that ends with such a joint; "which" may be a relative pronoun.
_LISTED: Final = re.compile(
    r"\s*[,;]\s+(?=(?:how|what|why|to what extent|do|does|did|is|are|was|were|can|could|should|has|"
    r"have)\s)",
    re.I,
)
_STARTS_QUESTION: Final = re.compile(
    r"\s*(?:do|does|did|is|are|was|were|can|could|should|has|have|will|would)\s|"
    rf"\s*(?:\w+\s+){{0,2}}?{_QUESTION_WORD}\b",
    re.I,
)
_ANAPHORA: Final = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|such|there|so)\b", re.I
)
_COMPARISON: Final = re.compile(
    r"\s*,?\s+(?:versus|vs\.?|compare[sd]? (?:to|with)|as opposed to|in contrast to|in comparison "
    r"(?:to|with)|rather than|than|or)\s+",
    re.I,
)
_BETWEEN: Final = re.compile(
    r"\b(?:differences?|contrasts?|comparisons?|choices?|choose|choosing|trade-?offs?|"
    r"distinguish(?:es|ed)?)\s+between\s+(?P<both>\S)",
    re.I,
)
_COMPARED: Final = re.compile(
    r"\b(?:than|better|best|worse|compare[sd]?|comparison|prefer\w*|more|less|differ\w*)\b", re.I
)
# Words that delimit a name.
_EDGES: Final = STOP_WORDS["en"] - {"of", "no", "not", "own", "same"}
_VERBS: Final = frozenset(
    """
    use uses used using help helps affect affects improve improves reduce reduces increase
    increases cause causes make makes compare compares compared support supports influence
    influences differ differs perform performs work works choose prefer give gives produce
    produces show shows matter matters effect effects impact role advantages benefits error
    errors difference differences say known
    """.split()
)
_MAX_NAME_WORDS: Final = 5
_ITEM: Final = r"[^\s,;:?!.]+(?:\s[^\s,;:?!.]+){0,4}"
_LIST: Final = re.compile(rf"{_ITEM}(?:,\s+{_ITEM})+?,?\s+(?:and|or|as well as)\s+{_ITEM}")
_LEADING_JOINT: Final = re.compile(r"\s*[,;]?\s*(?:(?:and|but|or)\b,?)?\s*", re.I)
_TAIL: Final = re.compile(r"(?:[\s,;?]|\b(?:and|but|or)\b)+\Z", re.I)
# A clause without a subject of its own.
_ELLIPTIC: Final = re.compile(r"\s*(?:at|by|for|with|of|in|from) (?:what|how)\b", re.I)
# Words of comparison, which belong to no name.
_COMPARATIVE: Final = re.compile(
    r"\s*\b(?:better|best|worse|more|less|fewer|rather|other|prefer\w*|\w{2,}er)\b.*\Z", re.I
)
_SPACE: Final = re.compile(r"\s+")


class QuestionPart(NamedTuple):
    """A sub-question that can be read alone. ``aspects`` are what a sentence can answer: the
    sub-question itself, a clause that points back to it (with its words in place of the pronoun),
    an item of a list. ``compared`` are the names on both sides of a comparison, if it is one."""

    text: str
    aspects: tuple[str, ...]
    compared: tuple[str, ...] = ()


def split_question(question: str) -> tuple[QuestionPart, ...]:
    """The sub-questions in order. A clause that points back stays with the one before."""
    text = _SPACE.sub(" ", question).strip()
    parts: list[QuestionPart] = []
    for clauses in _questions(text):
        first, *others = clauses
        subject = " ".join(_content_words(first))
        resolved = [_resolved(one, subject) for one in others]
        first = _asked(first, cut=bool(others))
        aspects = dict.fromkeys((first, *_listed_items(first), *resolved))
        whole = _asked("".join(clauses))
        parts.append(QuestionPart(whole, tuple(aspects), _compared_names(whole)))
    return tuple(dict.fromkeys(parts)) or (QuestionPart(text, (text,)),)


def _asked(clause: str, *, cut: bool = False) -> str:
    """A clause as a question of its own; ``cut``: it was followed by others."""
    bare = _TAIL.sub("", clause)
    cut = cut or bare != clause.rstrip("? ")
    return _capitalized(f"{bare}?" if bare and cut else clause)


def _resolved(clause: str, subject: str) -> str:
    """A clause with ``subject`` in place of its pronoun, or behind it."""
    text = _asked(_LEADING_JOINT.sub("", clause, count=1), cut=True)
    with_subject, count = _ANAPHORA.subn(subject, text, count=1)
    return with_subject if count else f"{text.rstrip('?')} {subject}?"


def _questions(text: str) -> Iterator[list[str]]:
    """Consecutive questions, each with the clauses that point back to it; declarative sentences
    are joined to the next question."""
    context = ""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    questions = [sentence for sentence in sentences if sentence.endswith("?")]
    group: list[str] = []
    for sentence in sentences:
        if questions and sentence not in questions:
            context = f"{context}{sentence} "
            continue
        for number, clause in enumerate(_clauses(f"{context}{sentence}")):
            if group and _points_back(clause):
                group.append(clause if number else f" {clause}")
                continue
            if group:
                yield group
            group = [clause]
        context = ""
    if group:
        yield group
    elif context:
        yield [context.strip()]


def _points_back(clause: str) -> bool:
    bare = _LEADING_JOINT.sub("", clause, count=1)
    return bool(_ANAPHORA.search(bare) or _ELLIPTIC.match(bare))


def _clauses(sentence: str) -> list[str]:
    """The clauses that are questions, joints included: together they are the sentence."""
    if not _STARTS_QUESTION.match(sentence):
        return [sentence]
    cuts, joints = [0], list(_JOINT.finditer(sentence))
    if joints:
        joints += _LISTED.finditer(sentence, 0, joints[-1].start())
    for joint in sorted(joints, key=lambda one: one.start()):
        part = sentence[joint.end() :]
        # A clause without content words is not a question of its own.
        if _content_words(part) or _ANAPHORA.search(part):
            back = _points_back(part)
            cuts.append(joint.start() if back else joint.end())
    return [sentence[a:b] for a, b in itertools.pairwise([*cuts, len(sentence)])]


def _compared_names(text: str) -> tuple[str, ...]:
    """The names on both sides of a comparison; empty if the question is none."""
    if between := _BETWEEN.search(text):
        start = between.start("both")
        joint = re.compile(r"\s+and\s+").search(text, start)
        if joint is None:
            return ()
        return text[start : joint.start()], text[joint.end() : _name_end(text, joint.end())]
    for joint in _COMPARISON.finditer(text):
        if joint[0].strip(" ,").casefold() == "or" and not _COMPARED.search(text):
            continue
        left = text[_name_start(text, joint.start()) : joint.start()]
        right = text[joint.end() : _name_end(text, joint.end())]
        names = tuple(_COMPARATIVE.sub("", one).strip() for one in (left, right))
        if all(_is_name(one) for one in names):
            return names
    return ()


def _listed_items(text: str) -> list[str]:
    """The question for each item of a list of three or more."""
    match = _LIST.search(text)
    if match is None:
        return []
    *firsts, last = re.split(r",?\s+(?:and|or|as well as)\s+(?!.*\b(?:and|or)\s)", match[0])
    items = [item for first in firsts for item in re.split(r",\s+", first)]
    if len(items) < 2:
        return []
    start = _name_start(text, match.start() + len(items[0]))
    end = _name_end(text, match.end() - len(last))
    names = [text[start : match.start() + len(items[0])], *items[1:]]
    names.append(text[match.end() - len(last) : end])
    if any(not _content_words(item) for item in names):
        return []
    return [_SPACE.sub(" ", f"{text[:start]}{item}{text[end:]}") for item in names]


def _name_start(text: str, end: int) -> int:
    """Start of the name that ends at ``end``."""
    start, count = end, 0
    for word in reversed(list(re.finditer(r"\S+", text[:end]))):
        bare = word[0].strip("(\"'").casefold()
        if count == _MAX_NAME_WORDS or bare in _EDGES or bare in _VERBS or word[0][-1] in ",;:":
            break
        start, count = word.start(), count + 1
    return start + len("of ") if text[start:end].casefold().startswith("of ") else start


def _name_end(text: str, start: int) -> int:
    """End of the name that begins at ``start``."""
    end = start
    for count, word in enumerate(re.finditer(r"[^\s?!;:,]+[?!;:,]?", text[start:])):
        bare = word[0].strip("?!;:,)\"'").casefold()
        if count == _MAX_NAME_WORDS or (count and (bare in _EDGES or bare in _VERBS)):
            break
        end = start + word.start() + len(word[0].rstrip("?!;:,"))
        if word[0][-1] in "?!;:,":
            break
    return end


def _is_name(text: str) -> bool:
    words = text.casefold().split()
    return bool(words) and not text[0].isdigit() and not all(word in _EDGES for word in words)


def _content_words(text: str) -> Sequence[str]:
    content = (text[term.start : term.end] for term in terms(text))
    return [word for word in dict.fromkeys(content) if word.casefold() not in _VERBS]


def _capitalized(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
