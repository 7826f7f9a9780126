"""Roles of words in a sentence: who does what to whom, whose it is.

Without a parser: the role of a content word is the preposition or conjunction that governs it, and
its side of the verb. A phrase may move and a verb may change its voice without a change of roles;
two words of the same role that exchange their places around a third may not.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from citeloom.domain.text.phrasing import shortened
from citeloom.domain.text.terms import stem
from citeloom.domain.verification.quantities.quantity import same_value

from .contradictions import is_turned_round
from .function_words import changed_duty
from .parsed_sentence import (
    ParsedSentence,
    Token,
    content_tokens,
    parse_sentence,
    synonym_stem,
    word_at,
)
from .polarity import negations

_MAX_REPLACED: Final = 2
_MOST_PAIRS: Final = 22_500  # words of a claim times words of a source that are compared in order
# Kinds of people, animals, places and times, a line for those of which one is not the other.
_OTHERS: Final = """
student|teacher|lecturer|administrator|engineer|developer|researcher|parent|librarian|manager
patient|nurse|physician|surgeon|caregiver
child|adult|adolescent|infant
woman|man
female|male
human|mouse|rat|monkey|dog|pig|zebrafish
rural|urban|suburban
undergraduate|graduate|postgraduate
primary|secondary
public|private
company|university|school|hospital
bachelor|master|doctoral
minute|hour|day|week|month|year|decade
"""
_OTHER_THAN: Final = {
    synonym_stem(stem(word)): line
    for line in _OTHERS.strip().splitlines()
    for word in line.split("|")
}


def _words(
    claim: ParsedSentence, one: Token, source: ParsedSentence, other: Token, are_other: bool
) -> tuple[str, str, bool]:
    return word_at(claim.text, one.start), word_at(source.text, other.start), are_other


def replaced(
    claim: ParsedSentence, source: ParsedSentence, subject: AbstractSet[str]
) -> Iterator[tuple[str, str, bool]]:
    """One or two words of the claim in the place of other words of the source, and whether they
    are surely other ones: people, a name, a duty."""
    if duty := changed_duty(claim.text, source.text):
        yield (*duty, True)
    claimed, stated = content_tokens(claim), content_tokens(source)
    mine, theirs = [one.key for one in claimed], [one.key for one in stated]
    names = {one.start for sentence in (claim, source) for one in sentence.terms if one.is_name}
    checked = {one.start for one in claim.directions} | {one.start for one in claim.quantities}
    if len(mine) * len(theirs) > _MOST_PAIRS:
        return
    edits = SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes()
    for (tag, start, end, first, last), after in zip(edits, (*edits[1:], None), strict=False):
        gone = [one for one in stated[start:end] if one.key not in mine]
        new = [one for one in claimed[first:last] if one.key not in (*theirs, *subject)]
        is_one_place = tag == "replace" and (after is None or after[0] == "equal")
        is_short = max(end - start, last - first) <= _MAX_REPLACED
        if is_one_place and is_short and gone and new and new[0].start not in checked:
            are_names = {new[0].start, gone[0].start} <= names
            yield _words(claim, new[0], source, gone[0], are_names)
        elif is_one_place and gone and end - start == last - first == 1:
            # A word that the source has elsewhere; surely if the claim has it once more.
            moved = claimed[first]
            if moved.start not in checked and moved.key in theirs:
                is_repeated = mine.count(moved.key) > theirs.count(moved.key)
                yield _words(claim, moved, source, gone[0], is_repeated)
    for one in claimed:
        for other in stated:
            is_kin = _OTHER_THAN.get(one.key) == _OTHER_THAN.get(other.key, "")
            if is_kin and one.key not in theirs and other.key not in mine:
                yield _words(claim, one, source, other, True)


_GOVERNORS: Final = frozenset(
    "by of in on at for with within to into through via during among across between about as "
    "using like when while if because although though whereas where whose per than from then "
    "without before after following against unlike except until since versus over under".split()
)
# "The tools that are presented": a relative clause belongs to its noun.
_RELATIVE: Final = frozenset({"that", "which", "who"})
# After these a clause goes on without the preposition before.
_RESET: Final = frozenset(
    "is are was were be been being has have had can could may might must shall should will would "
    "does do did we they it he she i you not".split()
)
# Before *, contains the* what *The server written in C* is built with ends.
_EVENT: Final = re.compile(
    r"[^\W_]+|[.;:()–—]|,(?=\s\w+s\s(?:the|an?|all|each|every|its|their|no|both)\b)"
)
_ADVERB: Final = re.compile(r"[^\W\d_]+ly\b")
_BY: Final = "by"
_MEANS: Final = re.compile(r"by\s\w+ing\b", re.IGNORECASE)
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s(?:not\s|\w+ly\s)?(?=\w+(?:ed|en|n|t)\b)", re.IGNORECASE
)


_WHICH_IS: Final = re.compile(r"\b(?:that|which|who) (?:is|are|was|were)\b", re.IGNORECASE)


def _governed(sentence: ParsedSentence) -> list[tuple[Token, str]]:
    """The tokens with their governing words, "" for none; *using* governs itself."""
    tokens = content_tokens(sentence)
    starts = {token.start for token in tokens}
    places: list[int] = []
    governing: list[str] = []
    current, is_relative = "", False
    for event in _EVENT.finditer(sentence.text):
        word = event[0].casefold()
        if word in _RELATIVE:
            is_relative = True
        elif word in _GOVERNORS:
            current = "using" if _MEANS.match(sentence.text, event.start()) else word
        if event.start() in starts:
            is_relative = False
        elif (word in _RESET and not is_relative) or not word[0].isalnum():
            current = ""
        places.append(event.start())
        governing.append(current)
    at = (bisect_right(places, token.start) - 1 for token in tokens)
    return [(one, governing[n] if n >= 0 else "") for one, n in zip(tokens, at, strict=True)]


def exchanged_roles(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether words that both sentences have once seem to exchange their roles."""
    mine = _unique(claim)
    theirs = _unique(source)
    common = sorted(mine.keys() & theirs.keys(), key=lambda key: mine[key][0])
    mine_passive, theirs_passive = _passives(claim), _passives(source)
    turned = Counter([*mine_passive])  # 1: passive in the claim alone, -1: in the source alone
    turned.subtract([*theirs_passive])
    if any(_WHICH_IS.search(one.text) for one in (claim, source)):  # *pupils that were trained*
        turned = Counter({key: abs(times) for key, times in turned.items()})
    if _become_agents(claim, theirs_passive) or _become_agents(source, mine_passive):
        return True
    if _objects_differ(_followed(claim, mine), _followed(source, theirs), turned):
        return True
    for first, last in combinations(common, 2):
        before, after = mine[first][1], mine[last][1]
        if (theirs[last][1], theirs[first][1]) != (before, after):
            continue
        if before != after:
            if not is_turned_round(claim, source):
                return True
        elif (
            theirs[last][0] < theirs[first][0]
            and turned[first] == -turned[last]
            and any(
                theirs[last][0] < theirs[middle][0] < theirs[first][0]
                for middle in common
                if mine[first][0] < mine[middle][0] < mine[last][0]
            )
        ):
            return True
    return False


def _passives(sentence: ParsedSentence) -> dict[str, str]:
    """By the key of each participle of the passive (*a proof is required*, where another sentence
    may *require a proof*) that of the word before, to which it happens; "" if not surely so."""
    starts = {match.end() for match in _PASSIVE.finditer(sentence.text)}
    subjects = ["", *(one.key if not by else "" for one, by in _governed(sentence))]
    return {
        one.key: "" if _STATE.match(sentence.text, one.start) else subject
        for one, subject in zip(content_tokens(sentence), subjects, strict=False)
        if one.start in starts
    }


# "Is faced with", "is involved in": it faces that, involves that.
_STATE: Final = re.compile(
    r"(?:fac|involv|concern|assoc|relat|oppos|commit|correl|engag)\w+\s(?:with|to|in|about)\b", re.I
)
_ACTS: Final = re.compile(
    r"(?!(?:cannot|can|may|must|will|would|should|could|might)\b)\w+\s"
    r"(?:(?:also|then|can|may|must|will|would|should|could|might|has|have|had)\s)?"
    r"(?P<verb>\w+)\s(?:the|an?|all|each|every|its|their|these|those|this|any|many|some)\s",
    re.IGNORECASE,
)


def _become_agents(active: ParsedSentence, passives: Mapping[str, str]) -> bool:
    """Whether what something happens to in the other sentence does so to a third: *the users are
    trained*, *the users train the model*."""
    return any(
        not by
        and not _ADVERB.match(active.text, one.start)
        and passives.get(verb.key) == one.key
        and (found := _ACTS.match(active.text, one.start))
        and found.start("verb") == verb.start
        for (one, by), (verb, _) in pairwise(_governed(active))
    )


_AGENT: Final = re.compile(r"\w{3,}[eo]rs?\Z")


def has_other_verbs(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether what is done, or who does it, is another part of speech in the other sentence, and
    the reverse: *the noise was filtered before training*, *the filter was trained on noise*."""
    mine, theirs = (
        {one.key: word_at(sentence.text, one.start).casefold() for one in content_tokens(sentence)}
        for sentence in (claim, source)
    )
    other = {one for one in mine.keys() & theirs.keys() if mine[one] != theirs[one]}
    done = _passives(claim).keys() & other, _passives(source).keys() & other
    agents = ({one for one in other if _AGENT.match(words[one])} for words in (mine, theirs))
    return any(one - two and two - one for one, two in (done, agents))


def _unique(sentence: ParsedSentence) -> dict[str, tuple[int, str]]:
    """Position and governor of the tokens that occur once, by key; without adverbs, which stand
    anywhere."""
    keys = [token.key for token in content_tokens(sentence)]
    return {
        token.key: (at, governor)
        for at, (token, governor) in enumerate(_governed(sentence))
        if keys.count(token.key) == 1 and not _ADVERB.match(sentence.text, token.start)
    }


# After these stands what is studied or where, not by which means.
_NO_MEANS: Final = frozenset({"of", "in", "for", "about", "to", "into"})
# Where an agent does not stand: in the object, and where something goes.
_NO_AGENT: Final = frozenset({"", "to", "into"})


def _agents_differ(
    passive: dict[str, tuple[int, str]], active: dict[str, tuple[int, str]], common: Sequence[str]
) -> bool:
    """Whether the agent of a passive (*by*) comes after its verb in the other sentence."""
    order = sorted(common, key=lambda key: passive[key][0])
    for verb, agent in pairwise(order):
        is_agent = passive[agent][1] == _BY and passive[verb][1] != _BY
        if is_agent and active[agent][1] != _BY and active[verb][0] < active[agent][0]:
            return active[agent][1] in _NO_AGENT
    return False


class _Next(NamedTuple):
    """What governs the word after another, its key, and the keys of the words before both."""

    governor: str
    key: str
    before: AbstractSet[str]


def _objects_differ(
    mine: Mapping[str, _Next], theirs: Mapping[str, _Next], turned: Counter[str]
) -> bool:
    """Whether two words have changed sides of a third, which governs them alike: *guide the
    students*, *guide the instructors*."""
    return any(
        mine[one].governor == theirs[one].governor
        and mine[one].key in theirs[one].before
        and theirs[one].key in mine[one].before
        and turned[mine[one].key] == -turned[theirs[one].key]
        for one in mine.keys() & theirs.keys()
    )


def _followed(sentence: ParsedSentence, unique: Mapping[str, tuple[int, str]]) -> dict[str, _Next]:
    """By the key of a word that occurs once, the word after it in its clause, except quantities."""
    found: dict[str, _Next] = {}
    before: set[str] = set()
    for one, other in pairwise(content_tokens(sentence)):
        between = sentence.text[one.start : other.start]
        governor = "".join(w for w in between.casefold().split()[1:] if w in _GOVERNORS)
        is_one = {one.key, other.key} <= unique.keys() and " " not in one.key + other.key
        if is_one and governor != _BY and not _SEPARATED.search(between):
            found[one.key] = _Next(governor, other.key, frozenset(before))
        before.add(one.key)
    return found


def has_other_agent(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether who does something, or by which means, is another in the claim."""
    mine, theirs = _unique(claim), _unique(source)
    common = sorted(mine.keys() & theirs.keys(), key=lambda key: mine[key][0])
    return (
        _agents_differ(mine, theirs, common)
        or _agents_differ(theirs, mine, common)
        or any(
            mine[one][1] == "using" and theirs[one][1] in _NO_MEANS
            for one in common
            if "using" not in {by for _, by in theirs.values()}
        )
    )


def exchanged_places(claim: ParsedSentence, source: ParsedSentence) -> tuple[str, str] | None:
    """Two parts of the claim that have changed places around a third, governed alike, while all
    other words stand as in the source: *every worker pings the master*, *the master pings every
    worker*. Not in a list, nor with the verb of a passive; longer parts only in one clause."""
    mine, theirs = _compounds(claim), _compounds(source)
    shared = [key for key in mine if key in theirs]
    blocks = _reversed_blocks(shared, sorted(shared, key=lambda key: theirs[key][0]))
    if not blocks:
        return None
    first, last = blocks[0], blocks[-1]
    if (mine[first[0]][1], mine[last[0]][1]) != (theirs[last[0]][1], theirs[first[0]][1]):
        return None
    between = (
        claim.text[mine[first[-1]][0] : mine[last[0]][0]],
        source.text[theirs[last[-1]][0] : theirs[first[0]][0]],
    )
    here, there = ({one.key for one in content_tokens(parse_sentence(text))} for text in between)
    middle = (here & there).difference(first, last)
    is_apart = any(map(_SEPARATED.search, between)) and len(first) + len(last) > 2
    is_list = all(map(_LISTED.match, between))
    if claim.negations and not middle <= mine.keys():  # *tin melts, and lead does not melt*
        is_list &= len({bool(negations(text)) for text in between}) > 1
    turned = set(_passives(claim)) ^ set(_passives(source))
    is_turned = not turned.isdisjoint(middle.union(first, last))
    if not middle or is_turned or is_apart or is_list:
        return None
    one, other = (
        claim.text[
            mine[part[0]][0] : mine[part[-1]][0] + len(word_at(claim.text, mine[part[-1]][0]))
        ]
        for part in (first, last)
    )
    return shortened(one, _LONGEST), shortened(other, _LONGEST)


_LISTED: Final = re.compile(r"[^,]*(?:, [^, ]+)*,? (?:and|or) (?:the )?\Z")


def _reversed_blocks(mine: Sequence[str], theirs: Sequence[str]) -> list[list[str]]:
    """The two or three blocks of words that stand in reverse order in ``theirs``, if all other
    words stand alike; none else."""
    moved = [n for n, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other]
    blocks: list[list[str]] = []
    for key in mine[moved[0] : moved[-1] + 1] if moved else ():
        if blocks and theirs.index(key) == theirs.index(blocks[-1][-1]) + 1:
            blocks[-1].append(key)
        else:
            blocks.append([key])
    back = [key for block in reversed(blocks) for key in block]
    is_reversed = bool(moved) and list(theirs[moved[0] : moved[-1] + 1]) == back
    return blocks if is_reversed and len(blocks) <= _MOST_BLOCKS else []


_MOST_BLOCKS: Final = 3


def _compounds(sentence: ParsedSentence) -> dict[str, tuple[int, str]]:
    """Start and governor of the words that occur once, in order, a compound as one word: *linear*
    beside *non-linear*."""
    governed = {one.start: by for one, by in _governed(sentence)}
    parts: dict[int, list[str]] = {}
    for one in content_tokens(sentence):
        if not _ADVERB.match(sentence.text, one.start):
            parts.setdefault(one.start, []).append(one.key)
    keys = {start: " ".join(found) for start, found in parts.items()}
    counts = Counter(keys.values())
    return {key: (start, governed[start]) for start, key in keys.items() if counts[key] == 1}


_SEPARATED: Final = re.compile(r"[,;:–—()/]|\b(?:and|or|than)\b")
_PREPOSITION: Final = (
    r"(?:in|among|amongst|within|during|after|before|with|without|for|at|on|under|when|where|if|"
    r"unless|following|across|between|compared|relative|than|until|since|from|through|throughout|"
    r"against|upon|near|beside|above|below|beyond|up to|as long as)"
)
_TRAILING: Final = re.compile(rf"[\s,]*\b{_PREPOSITION}\s", re.IGNORECASE)
_LEADING: Final = re.compile(rf"\W*{_PREPOSITION}\s[^,;:]*,\s", re.IGNORECASE)


def with_opening_last(sentence: ParsedSentence) -> ParsedSentence:
    """*It cannot be done across scopes* for *Across scopes, it cannot be done*."""
    if not (opening := _LEADING.match(sentence.text)):
        return sentence
    rest = sentence.text[opening.end() :].rstrip(". ")
    return parse_sentence(f"{rest} {opening[0].strip(', ')}.")


# Leading phrases that are not qualifiers.
_DISCOURSE_OPENING: Final = re.compile(
    r"\W*(?:in|for|at|on|from|with|after|through)\s(?:\w+\s)?(?:conclusion|addition|summary|fact|"
    r"particular|general|total|contrast|brief|short|turn|example|instance|paper|study|article|work|"
    r"section|chapter|average|other words|the one hand|the other hand|this end|this purpose|"
    r"this reason|this regard|all)\b[^,;:]*,",
    re.IGNORECASE,
)
_LONGEST: Final = 60


def dropped_qualifiers(evidence: str, start: int, end: int) -> Iterator[str]:
    """Qualifiers of ``evidence`` before ``start`` and after ``end``, the part that another
    sentence restates."""
    head, tail = evidence[:start], evidence[end:]
    if (found := _LEADING.match(head)) and not _DISCOURSE_OPENING.match(head):
        yield _shortened(found[0])
    if _TRAILING.match(tail):
        yield _shortened(tail)


def _shortened(phrase: str) -> str:
    text = " ".join(phrase.split()).strip(" ,.;")
    return shortened(text, _LONGEST)


def unclear_numbers(claim: ParsedSentence, source: ParsedSentence) -> Iterator[bool]:
    """For a quantity of the claim between other words than in the source, which has several of its
    unit and kind: whether another one is between these words there."""
    keys = Counter(one.key for one in content_tokens(source))
    claim_tokens, source_tokens = (  # *takes* of each number tells none apart
        [one for one in content_tokens(sentence) if keys[one.key] < 2]
        for sentence in (claim, source)
    )
    kinds = Counter((one.unit, one.kind) for one in source.quantities)
    several = [
        one
        for one in claim.quantities
        if kinds[one.unit, one.kind] > 1 and one.text.casefold() != "one"  # mostly a pronoun
    ]
    around_source = [(one, _words_around(source_tokens, one.start)) for one in source.quantities]
    for quantity in several:
        mine = _words_around(claim_tokens, quantity.start)
        alike = [
            same_value(quantity, one)
            for one, theirs in around_source
            if any(a is not None and a == b for a, b in zip(mine, theirs, strict=True))
        ]
        if not any(alike) and any(same_value(quantity, one) for one, _ in around_source):
            yield bool(alike)


def _words_around(tokens: Sequence[Token], start: int) -> tuple[str | None, str | None]:
    """The keys of the content words before and after a quantity."""
    before = [token.key for token in tokens if token.start < start]
    after = [token.key for token in tokens if token.start > start]
    return before[-1] if before else None, after[0] if after else None


_CONCEDES: Final = re.compile(r"\b(?:although|though|while|whereas)\b", re.I)
_PARTS: Final = re.compile(r"[;:]\s|,\s(?:and|or)\s|,?\s(?:while|whereas|but)\s", re.I)


def mixes_clauses(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether two clauses of the claim are both made from two clauses of the source: *A is first; B
    is second*, *B is first; A is second*."""
    stated = content_tokens(source)
    keys = [one.key for one in stated]
    place = {one.key: _clause(source.text, one.start) for one in stated if keys.count(one.key) == 1}
    drawn: dict[int, set[int]] = {}
    for one in content_tokens(claim):
        if one.key in place:
            drawn.setdefault(_clause(claim.text, one.start), set()).add(place[one.key])
    mixed = [found for found in drawn.values() if len(found) > 1]
    is_one = len(drawn) == 1 and not _CONCEDES.search(claim.text)
    if is_one and _draws_from_parallels(claim, source):
        return True
    return any(len(one & other) > 1 for one, other in combinations(mixed, 2))


def _draws_from_parallels(claim: ParsedSentence, source: ParsedSentence) -> bool:
    """Whether a claim has in one place what only one, in another place what only the other of two
    clauses has that say the like: *A is best if low, and B is best if high*, *A is best if high*.
    Not if a clause has all of it, nor *A and B are best*, which has both in one place."""
    claimed = {one.key for one in content_tokens(claim)}
    tokens = content_tokens(source)
    shared = claimed & {one.key for one in tokens}
    for pattern in (_WHOLE_CLAUSES, _PIECES):
        ends = [one.span() for one in pattern.finditer(source.text)][:_MOST_CLAUSES]
        spans = zip(
            [0, *(b for _, b in ends)], [*(a for a, _ in ends), len(source.text)], strict=True
        )
        clauses = [
            [one.key for one in tokens if start <= one.start < stop]
            for start, stop in spans
            if pattern is _WHOLE_CLAUSES or _VERB.search(source.text, start, stop)
        ]
        if any(shared <= set(one) for one in clauses):
            continue
        if any(_mixes(claimed, *pair) for pair in combinations(clauses, 2)):
            return True
    return False


def _mixes(claimed: AbstractSet[str], one: list[str], other: list[str]) -> bool:
    """Whether a claim has, of two alike clauses, words of one where they differ in one place, and
    of the other, or of both, in another place."""
    codes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    same = sum(b - a for code, a, b, _, _ in codes if code == "equal")
    places = [(one[a:b], other[c:d]) for code, a, b, c, d in codes if code != "equal"]
    is_like = same > 1 or (same and all(len(here) == len(there) for here, there in places))
    if not is_like or not all(here and there for here, there in places):
        return False
    drawn = {tuple(not claimed.isdisjoint(part) for part in place) for place in places}
    return len(drawn - {(False, False)}) > 1


_WHOLE_CLAUSES: Final = re.compile(r"[;:]\s|,?\s(?:while|whereas|but)\s", re.I)
# In a list, not each has a verb.
_PIECES: Final = re.compile(r"[;:,.]\s|\s(?:and|or|while|whereas|but)\s", re.I)
_VERB: Final = re.compile(r"\b(?:am|is|are|was|were|can|has|have|had|do|does|did)\b", re.I)
_MOST_CLAUSES: Final = 12


def _clause(text: str, at: int) -> int:
    return len(_PARTS.findall(text, 0, at))


_CONCEDED: Final = re.compile(r"\A(?:although|though|while|whereas)\b[^,;:]*(?=,\s)", re.I)


def bearing_clause(claim: ParsedSentence, source: ParsedSentence) -> str | None:
    """The clause of the source with all words that both have; None if none, or another one, has
    them."""
    first = _CONCEDED.match(source.text)
    ends = [one.span() for one in _PARTS.finditer(source.text, first.end() + 2 if first else 0)]
    ends = [(first.end(), first.end() + 2), *ends] if first else ends
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(source.text)]
    claimed = {one.key for one in content_tokens(claim)}
    shared = [one for one in content_tokens(source) if one.key in claimed]
    found = [
        source.text[start:stop]
        for start, stop in zip(starts, stops, strict=True)
        if {t.key for t in shared if start <= t.start < stop} == {t.key for t in shared}
    ]
    return found[0] if ends and len(found) == 1 else None


# Not *the same metrics*, which may be several.
_ONE_OF: Final = re.compile(
    r"\b(?:a single|one and the same|the same) (?!\w*[^\Wisu]s\b)(\w+)", re.IGNORECASE
)
_SEVERAL_OF: Final = re.compile(
    r"\b(?:several|multiple|many|various|different) (\w+)", re.IGNORECASE
)


def several_for_one(claim: str, source: str) -> Iterator[str]:
    """*Several* and the like of the claim before what the source has once only: *several scopes*
    for *a single scope*; and *a single scope* for *several scopes*."""
    for mine, theirs in ((_SEVERAL_OF, _ONE_OF), (_ONE_OF, _SEVERAL_OF)):
        same, other = ({stem(one.casefold()) for one in p.findall(source)} for p in (mine, theirs))
        for found in mine.finditer(claim):
            if stem(found[1].casefold()) in other - same:
                yield found[0]


# Not one of several: *of Stasis and Berkeley DB*, *Kolmogorov and Gödel's*.
_OWNED: Final = re.compile(r"(?<!and )\b(?P<who>[A-Z]\w+)['’]s (?P<what>\w+)")
_OF: Final = re.compile(r"\b(?P<what>\w+) of (?P<who>[A-Z]\w+)\b(?! (?:\w+ )?and\b)")


def other_owners(claim: str, source: str) -> Iterator[tuple[str, str, bool]]:
    """Whose something is in the claim, and in the source: *supervision of Turing*, *Church's
    supervision*; both are surely other ones."""
    mine, theirs = _owners(claim), _owners(source)
    for noun in mine.keys() & theirs.keys():
        if mine[noun].isdisjoint(theirs[noun]):
            yield min(mine[noun]), min(theirs[noun]), True


def _owners(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pattern in (_OWNED, _OF):
        for one in pattern.finditer(text):
            found.setdefault(stem(one["what"].casefold()), set()).add(one["who"])
    return found
