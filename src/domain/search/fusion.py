"""Score fusion of dense, sentence and BM25 scores, and the exact phrases of a question.

``"square grid" error -transect`` searches for *square grid error* in passages that contain
*square grid* and do not contain *transect*. Letter case, accents, kinds of quotation marks,
hyphens and line breaks are ignored; anything else is plain text.

Each candidate has three signals: the cosine of the passage, the cosine of its best sentence, its
BM25 score. The default is the convex combination of min-max normalised scores (Bruch, Gai & Ingber
2023, "An Analysis of Fusion Functions for Hybrid Retrieval"); reciprocal rank fusion (Cormack,
Clarke & Büttcher 2009) and distribution-based score fusion are alternatives. Ranks discard score
differences: on all of SciFact (nDCG@10, the default model) reciprocal ranks reach 0.716 where
scores reach 0.738, and with sentences 0.750. The default weights lie on a plateau (±0.05 changes no
figure by more than 0.002), on SciFact's training claims as on those of Citation-Integrity.

Every candidate of a pool must have been scored on every signal.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple

from citeloom.domain.choices import Mode as Mode
from citeloom.domain.projects.project import DEFAULT_POLICY, FusionMethod, FusionPolicy, Project
from citeloom.domain.text.words import normalized_spelling, without_accents
from citeloom.domain.value import Value

# At the start or after a space or bracket: 5" and well-known are not operators. A minus before
# a number is a sign.
_OPERATOR: Final = re.compile(
    "(?:(?<=[\\s(\\[])|^)"
    '(?:(?P<minus>-?)(?:"(?P<a>[^"]*)"|\u201c(?P<b>[^\u201c\u201d]*)\u201d'
    "|\u201e(?P<c>[^\u201c\u201d\u201e]*)[\u201c\u201d]|\u00ab(?P<d>[^\u00ab\u00bb]*)\u00bb)"
    "(?!\\w)"
    '|-(?P<word>[^\\W\\d_][^\\s"\u201c\u201d\u201e\u00ab\u00bb]*))'
)
_AFTER_WORD: Final = re.compile(r"[^\w+#]+$")
_SIGNS: Final = re.compile(r"[+#]+$")
_SCRIPTS: Final = "\u0e01-\u0e4e\u0e81-\u0ecd\u1780-\u17d3\u3041-\u30ff\u3400-\u9fff"
_UNSPACED: Final = re.compile(f"[{_SCRIPTS}]")
# A letter or digit of the other scripts: a word of theirs ends beside one without spaces.
_SPACED: Final = rf"[^\W_{_SCRIPTS}]"
_PIECE: Final = re.compile(f"{_SPACED}+|[{_SCRIPTS}]+")


class ParsedQuestion(Value):
    """``text`` is the query without operators (words of ``phrases`` included); passages must
    contain all ``phrases`` and none of ``without``."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        return not self.phrases and not self.without

    def accepts(self, text: str) -> bool:
        """Whether a passage contains all phrases and nothing excluded."""
        if self.is_plain:
            return True
        normalized = _normalized(text)
        return all(_contains(normalized, phrase) for phrase in self.phrases) and not self.excludes(
            text
        )

    def excludes(self, text: str) -> bool:
        """Whether a passage contains an excluded word or phrase."""
        normalized = _normalized(text) if self.without else ""
        return any(_contains(normalized, phrase) for phrase in self.without)


def is_one_word(text: str) -> bool:
    """Whether ``text`` is a single word; scripts without spaces never are."""
    return len(text.split()) == 1 and not _UNSPACED.search(text)


def parse_question(text: str) -> ParsedQuestion:
    """Parse the operators of a question. ``text`` of the result is empty if all was exclusions."""
    phrases: list[str] = []
    without: list[str] = []

    def collect(match: re.Match[str]) -> str:
        if match["word"] is not None:
            without.append(_AFTER_WORD.sub("", match["word"]))
            return ""
        phrase = " ".join(next(match[q] for q in "abcd" if match[q] is not None).split())
        if not _PIECE.search(phrase):
            return match[0]
        if match["minus"]:
            without.append(phrase)
            return ""
        phrases.append(phrase)
        return phrase

    remainder = _OPERATOR.sub(collect, text)
    if not phrases and not without:
        return ParsedQuestion(text=text)
    return ParsedQuestion(
        text=" ".join(remainder.split()) if _PIECE.search(remainder) else "",
        phrases=tuple(dict.fromkeys(phrases)),
        without=tuple(dict.fromkeys(without)),
    )


def _contains(normalized: str, phrase: str) -> bool:
    pattern = _pattern(phrase)
    return pattern is not None and pattern.search(normalized) is not None


def _normalized(text: str) -> str:
    return without_accents(normalized_spelling(text))


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> re.Pattern[str] | None:
    """None for a phrase without letters and digits."""
    normalized = _normalized(phrase).strip()
    pieces = list(_PIECE.finditer(normalized))
    if not pieces:
        return None
    pattern = "" if _UNSPACED.match(pieces[0][0]) else f"(?<!{_SPACED})"
    pattern += _piece_pattern(pieces[0][0])
    for before, piece in itertools.pairwise(pieces):
        separator = normalized[before.end() : piece.start()]
        pattern += _separator_pattern(separator, before[0][-1], piece[0][0])
        pattern += _piece_pattern(piece[0])
    if signs := _SIGNS.search(normalized):
        return re.compile(pattern + re.escape(signs[0]))
    return re.compile(pattern + ("" if _UNSPACED.match(pieces[-1][0][-1]) else f"(?!{_SPACED})"))


def _separator_pattern(separator: str, before: str, after: str) -> str:
    if not separator.strip() and bool(_UNSPACED.match(before)) != bool(_UNSPACED.match(after)):
        return r"\s*"
    if set(separator) <= {"-", "'", "/", "_"}:
        numbers = before.isdigit() and after.isdigit()
        return r"[\W_]+" if numbers else r"[\W_]*"
    return "".join(
        r"[\s-]+" if match[0][0].isspace() or match[0][0] == "-" else re.escape(match[0])
        for match in re.finditer(r"[\s-]+|[^\s-]", separator)
    )


def _piece_pattern(piece: str) -> str:
    """Optional hyphens between letters of a word, none between digits of a number."""
    pattern = piece[0]
    for before, char in itertools.pairwise(piece):
        pattern += char if before.isdigit() and char.isdigit() else f"-*{char}"
    return pattern


def no_exact_match(question: ParsedQuestion, *, filtered: bool) -> str:
    """Warning for a search in which no passage contains the phrases."""
    quoted = " and ".join(f'"{phrase}"' for phrase in question.phrases)
    condition = " and passes filters and exclusions" if filtered or question.without else ""
    return (
        f"no passage has {quoted} word for word{condition}; "
        "leave out the quotation marks to search wider"
    )


def default_mode(projects: Iterable[Project]) -> Mode:
    """Hybrid, unless a project was made without sparse vectors."""
    return Mode.HYBRID if all(project.hybrid_enabled for project in projects) else Mode.DENSE


# Sparse weight of a one-word question, relative to the dense and sentence weights together.
# Such a question is mostly a name, which vectors represent badly. For 200 rare names in
# SciFact's abstracts nDCG@10 is 0.856 with the usual weights, 0.937 with 2 and 0.944 with 3,
# 0.950 with BM25 alone, which finds no synonyms.
ONE_WORD_FACTOR = 2.0


class Scored(NamedTuple):
    """A candidate, by its chunk id, with the cosines of its passage and best sentence, and its BM25
    score; None where not scored."""

    id: str
    dense: float | None
    sparse: float | None
    sentence: float | None = None


class Ranked(NamedTuple):
    """A ranked candidate: ``score`` orders it within one search; ``relevance`` in 0..1 is
    comparable across searches and never rises down the list."""

    id: str
    score: float
    relevance: float


_Scores = list[float]

# Share of the score range added to a boosted candidate: it wins ties, and an irrelevant one
# stays behind.
BOOST = 0.1
# Share of the score range taken from a demoted candidate. On the questions for development of
# benchmarks/RESULTS.md 0.1, 0.2 and 0.3 differ by 0.0002 in nDCG@10.
DEMOTION = 0.2
# The BM25 score of relevance 0.5.
_HALF_RELEVANCE_BM25 = 10.0


def policy_for(question: str, policy: FusionPolicy = DEFAULT_POLICY) -> FusionPolicy:
    """The fusion policy for a question. For a single word the sparse weight is at least
    ``ONE_WORD_FACTOR`` times the dense and sentence weights together."""
    if not is_one_word(question):
        return policy
    sparse = ONE_WORD_FACTOR * (policy.dense_weight + policy.sentence_weight)
    return policy.model_copy(update={"sparse_weight": max(sparse, policy.sparse_weight)})


def rank(
    candidates: Iterable[Scored], mode: Mode, policy: FusionPolicy = DEFAULT_POLICY
) -> list[Ranked]:
    """The candidates of a search, best first, ties by id.

    Dense mode takes the weighted mean of passage and sentence cosine, sparse mode the BM25
    score; candidates without that score are left out.
    """
    pool = list(candidates)
    if mode is Mode.HYBRID:
        return fuse(pool, policy)
    if mode is Mode.SPARSE:
        with_sparse = [(c, c.sparse) for c in pool if c.sparse is not None]
        return _ranked((c, score, relevance(c, mode, policy)) for c, score in with_sparse)
    with_dense = [c for c in pool if c.dense is not None]
    return _ranked((c, _dense_score(c, policy), relevance(c, mode, policy)) for c in with_dense)


def fuse(candidates: Sequence[Scored], policy: FusionPolicy = DEFAULT_POLICY) -> list[Ranked]:
    """The candidates by all signals, best first, ties by id.

    A passage without sentences counts as one sentence. No BM25 score means no common term
    and counts as 0; no dense score counts as the lowest of the pool. A signal that no
    candidate has, or that is constant, does not affect the order.
    """
    return _ranked(
        (c, score, relevance(c, Mode.HYBRID, policy))
        for c, score in zip(candidates, _fused(candidates, policy), strict=True)
    )


def top_ids(candidates: Sequence[Scored], count: int, policy: FusionPolicy) -> list[str]:
    """The ids of the first ``count`` of ``fuse``."""
    scores = _fused(candidates, policy)
    order = sorted(zip(candidates, scores, strict=True), key=lambda one: (-one[1], one[0].id))
    return [candidate.id for candidate, _ in order[:count]]


def _fused(candidates: Sequence[Scored], policy: FusionPolicy) -> list[float]:
    signals = [signal for signal in _weighted_scores(candidates, policy) if signal[0] > 0]
    normalize = _NORMALIZATIONS[policy.method]
    fused = [0.0] * len(candidates)
    total = sum(weight for weight, _ in signals) or 1.0
    for weight, scores in signals:
        share = weight / total
        for n, value in enumerate(normalize(scores, policy)):
            fused[n] += share * value
    return fused


def boosted(ranked: Sequence[Ranked], ids: AbstractSet[str]) -> list[Ranked]:
    """The ranking with these candidates moved up by ``BOOST`` of the score range. Relevance
    changes only as far as it must not rise down the list."""
    return _moved(ranked, ids, BOOST)


def demoted(ranked: Sequence[Ranked], ids: AbstractSet[str]) -> list[Ranked]:
    """The ranking with these candidates moved down by ``DEMOTION`` of the score range. Relevance
    changes only as far as it must not rise down the list."""
    return _moved(ranked, ids, -DEMOTION)


def placed_first(ranked: Sequence[Ranked], ids: Sequence[str]) -> list[Ranked]:
    """The ranking with these of its candidates first, in their order, with the score and at least
    the relevance of the best."""
    by_id = {one.id: one for one in ranked}
    first = [by_id[id] for id in ids if id in by_id]
    if not first:
        return list(ranked)
    score = ranked[0].score
    relevance = max(ranked[0].relevance, *(one.relevance for one in first))
    rest = ((one.id, one.score, one.relevance) for one in ranked if one not in first)
    return monotone([*((one.id, score, relevance) for one in first), *rest])


def _moved(ranked: Sequence[Ranked], ids: AbstractSet[str], share: float) -> list[Ranked]:
    """Among equal scores those moved up come first, those moved down last; then by id."""
    scores = [hit.score for hit in ranked]
    step = share * (max(scores) - min(scores)) if scores else 0.0
    candidates = [(hit, hit.score + step * (hit.id in ids)) for hit in ranked]
    last = share > 0
    order = sorted(candidates, key=lambda one: (-one[1], (one[0].id in ids) != last, one[0].id))
    return monotone((hit.id, score, hit.relevance) for hit, score in order)


def relevance(candidate: Scored, mode: Mode, policy: FusionPolicy = DEFAULT_POLICY) -> float:
    """Absolute relevance of a candidate in 0..1, independent of the pool.

    The weighted mean of the cosines, cut to 0..1 (unrelated texts lie near 0), and of the
    BM25 score s as s / (s + 10) (a passage with two or three rare terms of the question has
    0.5).
    """
    dense = 0.0 if candidate.dense is None else min(1.0, max(0.0, _dense_score(candidate, policy)))
    bm25 = max(0.0, candidate.sparse or 0.0)
    sparse = bm25 / (bm25 + _HALF_RELEVANCE_BM25)
    if mode is not Mode.HYBRID:
        return dense if mode is Mode.DENSE else sparse
    weight = policy.dense_weight + policy.sentence_weight
    return (weight * dense + policy.sparse_weight * sparse) / (weight + policy.sparse_weight)


def _weighted_scores(
    candidates: Sequence[Scored], policy: FusionPolicy
) -> list[tuple[float, _Scores]]:
    signals: list[tuple[float, _Scores]] = []
    cosines = [c.dense for c in candidates if c.dense is not None]
    if cosines:
        lowest = min(cosines)
        dense = [lowest if c.dense is None else c.dense for c in candidates]
        sentence = [
            passage if c.sentence is None else c.sentence
            for c, passage in zip(candidates, dense, strict=True)
        ]
        signals += [(policy.dense_weight, dense), (policy.sentence_weight, sentence)]
    if any(c.sparse is not None for c in candidates):
        signals.append((policy.sparse_weight, [c.sparse or 0.0 for c in candidates]))
    return signals


def _dense_score(candidate: Scored, policy: FusionPolicy) -> float:
    assert candidate.dense is not None
    if candidate.sentence is None:
        return candidate.dense
    total = policy.dense_weight + policy.sentence_weight
    share = policy.sentence_weight / total
    return candidate.dense + share * (candidate.sentence - candidate.dense)


def min_max(scores: Sequence[float]) -> _Scores:
    """Min-max normalisation to 0..1; all 0 if the values are equal."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]


def _reciprocal_ranks(scores: _Scores, policy: FusionPolicy) -> _Scores:
    """1 / (k + rank), equal scores with equal ranks; scaled so that the first is 1."""
    ranks = {value: n for n, value in enumerate(sorted(set(scores), reverse=True), start=1)}
    return [(policy.rrf_k + 1) / (policy.rrf_k + ranks[value]) for value in scores]


def _distribution_based(scores: _Scores) -> _Scores:
    """Mean ± 3 standard deviations to 0..1, clipped."""
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in scores) / max(1, len(scores) - 1))
    if not deviation > 0:
        return [0.0] * len(scores)
    return [min(1.0, max(0.0, 0.5 + (value - mean) / (6 * deviation))) for value in scores]


_NORMALIZATIONS: dict[FusionMethod, Callable[[_Scores, FusionPolicy], _Scores]] = {
    FusionMethod.CONVEX: lambda scores, _: min_max(scores),
    FusionMethod.RRF: _reciprocal_ranks,
    FusionMethod.DBSF: lambda scores, _: _distribution_based(scores),
}


def _ranked(scores: Iterable[tuple[Scored, float, float]]) -> list[Ranked]:
    order = sorted(scores, key=lambda s: (-s[1], s[0].id))
    return monotone((candidate.id, score, absolute) for candidate, score, absolute in order)


def monotone(order: Iterable[tuple[str, float, float]]) -> list[Ranked]:
    """Id, score and relevance of each, with relevances that never rise down the list."""
    ranked, ceiling = [], 1.0
    for id, score, absolute in order:
        ceiling = min(ceiling, absolute)
        ranked.append(Ranked(id, score, ceiling))
    return ranked
