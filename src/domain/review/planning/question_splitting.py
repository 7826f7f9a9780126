"""A question taken apart: into those that it is made of, what it compares, what it lists."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from citeloom.domain.text.language import STOP_WORDS
from citeloom.domain.text.sentences import sentence_spans
from citeloom.domain.text.terms import terms

_ASKING: Final = (
    r"(?:how|what|why|when|where|who|whom|whose|which|whether|to what extent|under which|"
    r"in which|for whom|(?:do|does|did|is|are|was|were|can|could|should|has|have|will|would)"
    r"(?=\s(?:it|they|this|that|these|those|there|the|a|an|we|such)\b))"
)
_JOINT: Final = re.compile(rf"(?:\s*[,;]\s*|\s+)(?:and|but|or)(?:,\s*|\s+)(?={_ASKING}\b)", re.I)
# Between questions of a list that ends with such a joint; what begins with "which" may belong to
# the one before.
_LISTED: Final = re.compile(
    r"\s*[,;]\s+(?=(?:how|what|why|to what extent|do|does|did|is|are|was|were|can|could|should|has|"
    r"have)\s)",
    re.I,
)
_BEGINS: Final = re.compile(rf"\s*(?:\w+\s+){{0,2}}?{_ASKING}\b", re.I)
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|such|there|so)\b", re.I
)
_SIDES: Final = re.compile(
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
# Words that end the name of a thing: what stands before or after belongs to the question.
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
_MOST_WORDS: Final = 5
_ITEM: Final = r"[^\s,;:?!.]+(?:\s[^\s,;:?!.]+){0,4}"
_LIST: Final = re.compile(rf"{_ITEM}(?:,\s+{_ITEM})+?,?\s+(?:and|or|as well as)\s+{_ITEM}")
_TAIL: Final = re.compile(r"(?:[\s,;?]|\b(?:and|but|or)\b)+\Z", re.I)
_ARTICLE: Final = re.compile(r"(?:an?|the)\s", re.I)
_OWN_ARTICLE: Final = re.compile(r"\b(?:an?|the)\s+\Z", re.I)
_SPACE: Final = re.compile(r"\s+")


class QuestionPart(NamedTuple):
    """A question that another is made of. ``subject`` are words that it needs from the one
    before it, since it points back to that; ``of_whole`` tells that it is one side or item of
    a question that is asked as a whole too."""

    text: str
    subject: str = ""
    of_whole: bool = False


def parted(question: str) -> tuple[QuestionPart, ...]:
    """What is to be asked, in order: first the whole where it compares or lists things."""
    text = _SPACE.sub(" ", question).strip()
    found: list[QuestionPart] = []
    for whole in _coordinated(text):
        subject = ""
        if found and _POINTS_BACK.search(whole):
            subject = " ".join(_content(found[0].text))
        found.append(QuestionPart(whole, subject))
        sides = _sides(whole) or _items(whole)
        found += [QuestionPart(side, subject, True) for side in sides]
    return tuple(dict.fromkeys(found)) or (QuestionPart(text),)


def _coordinated(text: str) -> Iterator[str]:
    """Questions that stand one after the other; what is no question is asked with the next."""
    told = ""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    asking = [sentence for sentence in sentences if sentence.endswith("?")]
    for sentence in sentences:
        if asking and sentence not in asking:
            told = f"{told}{sentence} "
            continue
        yield from (_capital(part) for part in _clauses(f"{told}{sentence}"))
        told = ""
    if told and not asking:
        yield told.strip()


def _clauses(sentence: str) -> list[str]:
    if not _BEGINS.match(sentence):
        return [sentence]
    cuts, joints = [0], list(_JOINT.finditer(sentence))
    if joints:
        joints += _LISTED.finditer(sentence, 0, joints[-1].start())
    for joint in sorted(joints, key=lambda one: one.start()):
        part = sentence[joint.end() :]
        # A clause that says nothing by itself is no question of its own.
        if _content(part) or _POINTS_BACK.search(part):
            cuts.append(joint.end())
    parts = [sentence[a:b] for a, b in itertools.pairwise([*cuts, len(sentence)])]
    return [f"{_TAIL.sub('', part)}?" for part in parts] if len(parts) > 1 else [sentence]


def _sides(text: str) -> list[str]:
    """The question for either side of what it compares."""
    if between := _BETWEEN.search(text):
        start = between.start("both")
        if joint := re.compile(r"\s+and\s+").search(text, start):
            end = _after(text, joint.end())
            left, right = text[start : joint.start()], text[joint.end() : end]
            return [_capital(f"{side}{_rest(text[end:])}") for side in (left, right)]
        return []
    for joint in _SIDES.finditer(text):
        if joint[0].strip(" ,").casefold() == "or" and not _COMPARED.search(text):
            continue
        start, end = _before(text, joint.start()), _after(text, joint.end())
        left, right = text[start : joint.start()], text[joint.end() : end]
        if not left.strip() or not right.strip():
            continue
        if joint[0].strip(" ,").casefold().startswith("compare "):  # the verb goes with it
            return [_capital(f"{side}{_rest(text[end:])}") for side in (left, right)]
        before = text[:start]
        if _ARTICLE.match(right):  # "a grid versus a transect": each has its own
            before = _OWN_ARTICLE.sub("", before)
            left = f"{text[len(before) : start]}{left}"
        return [_capital(_SPACE.sub(" ", f"{before}{side}{text[end:]}")) for side in (left, right)]
    return []


def _items(text: str) -> list[str]:
    """The question for each of three things or more that it lists."""
    match = _LIST.search(text)
    if match is None:
        return []
    *firsts, last = re.split(r",?\s+(?:and|or|as well as)\s+(?!.*\b(?:and|or)\s)", match[0])
    items = [item for first in firsts for item in re.split(r",\s+", first)]
    if len(items) < 2:
        return []
    start = _before(text, match.start() + len(items[0]))
    end = _after(text, match.end() - len(last))
    named = [text[start : match.start() + len(items[0])], *items[1:]]
    named.append(text[match.end() - len(last) : end])
    if any(not _content(item) for item in named):
        return []
    return [_SPACE.sub(" ", f"{text[:start]}{item}{text[end:]}") for item in named]


def _before(text: str, end: int) -> int:
    """Where the name that ends at ``end`` begins."""
    start, count = end, 0
    for word in reversed(list(re.finditer(r"\S+", text[:end]))):
        bare = word[0].strip("(\"'").casefold()
        if count == _MOST_WORDS or bare in _EDGES or bare in _VERBS or word[0][-1] in ",;:":
            break
        start, count = word.start(), count + 1
    return start + len("of ") if text[start:end].casefold().startswith("of ") else start


def _after(text: str, start: int) -> int:
    """Where the name that begins at ``start`` ends."""
    end = start
    for count, word in enumerate(re.finditer(r"[^\s?!;:,]+[?!;:,]?", text[start:])):
        bare = word[0].strip("?!;:,)\"'").casefold()
        if count == _MOST_WORDS or (count and (bare in _EDGES or bare in _VERBS)):
            break
        end = start + word.start() + len(word[0].rstrip("?!;:,"))
        if word[0][-1] in "?!;:,":
            break
    return end


def _rest(text: str) -> str:
    rest = text.strip()
    return rest if rest in ("", "?") else f" {rest}"


def _content(text: str) -> Sequence[str]:
    found = (text[term.start : term.end] for term in terms(text))
    return [word for word in dict.fromkeys(found) if word.casefold() not in _VERBS]


def _capital(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]
