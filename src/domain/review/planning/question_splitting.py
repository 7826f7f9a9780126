"""Question decomposition: coordinated questions, compared sides, listed items."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import terms

_QUESTION_WORD: Final = (
    r"(?:how|what|why|when|where|who|whom|whose|which|whether|to what extent|under which|"
    r"in which|for whom|(?:do|does|did|is|are|was|were|can|could|should|has|have|will|would)"
    r"(?=\s(?:it|they|this|that|these|those|there|the|a|an|we|such)\b))"
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
_STARTS_QUESTION: Final = re.compile(rf"\s*(?:\w+\s+){{0,2}}?{_QUESTION_WORD}\b", re.I)
_ANAPHORA: Final = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|such|there|so)\b", re.I
)
_COMPARISON: Final = re.compile(
    r"\s*,?\s+(?:versus|vs\.?|compare[sd]? (?:to|with)|as opposed to|in contrast to|in comparison "
    r"(?:to|with)|rather than|or)\s+",
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
_TAIL: Final = re.compile(r"(?:[\s,;?]|\b(?:and|but|or)\b)+\Z", re.I)
_ARTICLE: Final = re.compile(r"(?:an?|the)\s", re.I)
_OWN_ARTICLE: Final = re.compile(r"\b(?:an?|the)\s+\Z", re.I)
_SPACE: Final = re.compile(r"\s+")


class QuestionPart(NamedTuple):
    """A sub-question. ``subject`` are the content words of the first one, if the text has an
    anaphor; ``of_whole``: it is one side or item of a preceding whole question."""

    text: str
    subject: str = ""
    of_whole: bool = False


def split_question(question: str) -> tuple[QuestionPart, ...]:
    """The sub-questions in order; a comparison or list is followed by its sides or items."""
    text = _SPACE.sub(" ", question).strip()
    parts: list[QuestionPart] = []
    for whole in _questions(text):
        subject = ""
        if parts and _ANAPHORA.search(whole):
            subject = " ".join(_content_words(parts[0].text))
        parts.append(QuestionPart(whole, subject))
        sides = _compared_sides(whole) or _listed_items(whole)
        parts += [QuestionPart(side, subject, True) for side in sides]
    return tuple(dict.fromkeys(parts)) or (QuestionPart(text),)


def _questions(text: str) -> Iterator[str]:
    """Consecutive questions; declarative sentences are joined to the next question."""
    context = ""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    questions = [sentence for sentence in sentences if sentence.endswith("?")]
    for sentence in sentences:
        if questions and sentence not in questions:
            context = f"{context}{sentence} "
            continue
        yield from (_capitalized(part) for part in _clauses(f"{context}{sentence}"))
        context = ""
    if context and not questions:
        yield context.strip()


def _clauses(sentence: str) -> list[str]:
    if not _STARTS_QUESTION.match(sentence):
        return [sentence]
    cuts, joints = [0], list(_JOINT.finditer(sentence))
    if joints:
        joints += _LISTED.finditer(sentence, 0, joints[-1].start())
    for joint in sorted(joints, key=lambda one: one.start()):
        part = sentence[joint.end() :]
        # A clause without content words is no question of its own.
        if _content_words(part) or _ANAPHORA.search(part):
            cuts.append(joint.end())
    parts = [sentence[a:b] for a, b in itertools.pairwise([*cuts, len(sentence)])]
    return [f"{_TAIL.sub('', part)}?" for part in parts] if len(parts) > 1 else [sentence]


def _compared_sides(text: str) -> list[str]:
    """The question for each side of a comparison."""
    if between := _BETWEEN.search(text):
        start = between.start("both")
        if joint := re.compile(r"\s+and\s+").search(text, start):
            end = _name_end(text, joint.end())
            left, right = text[start : joint.start()], text[joint.end() : end]
            return [_capitalized(f"{side}{_suffix(text[end:])}") for side in (left, right)]
        return []
    for joint in _COMPARISON.finditer(text):
        if joint[0].strip(" ,").casefold() == "or" and not _COMPARED.search(text):
            continue
        start, end = _name_start(text, joint.start()), _name_end(text, joint.end())
        left, right = text[start : joint.start()], text[joint.end() : end]
        if not left.strip() or not right.strip():
            continue
        if joint[0].strip(" ,").casefold().startswith("compare "):  # the verb goes with it
            return [_capitalized(f"{side}{_suffix(text[end:])}") for side in (left, right)]
        before = text[:start]
        if _ARTICLE.match(right):  # "a grid versus a transect": each has its own
            before = _OWN_ARTICLE.sub("", before)
            left = f"{text[len(before) : start]}{left}"
        return [
            _capitalized(_SPACE.sub(" ", f"{before}{side}{text[end:]}")) for side in (left, right)
        ]
    return []


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


def _suffix(text: str) -> str:
    suffix = text.strip()
    return suffix if suffix in ("", "?") else f" {suffix}"


def _content_words(text: str) -> Sequence[str]:
    content = (text[term.start : term.end] for term in terms(text))
    return [word for word in dict.fromkeys(content) if word.casefold() not in _VERBS]


def _capitalized(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
