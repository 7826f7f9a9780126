"""Ranking after fusion: neighbours, near-duplicates, reranking, running text.

Score smoothing over adjacent passages of a document. Chunking separates text that belongs together:
the answering sentence may be in one passage and the words of the question in the next. Each signal
of a passage is therefore interpolated with the maximum over the passage and its direct neighbours.

That ranks documents. For a reader, the passages of each document then share out its ranks by their
own scores (``by_own_scores``), for else the passages around an answer come in front of it: with 66
questions over papers hit@3 rises from 0.818 to 0.879, nDCG@10 from 0.779 to 0.781
(benchmarks/RESULTS.md), and no document changes its rank.

Measured on SciFact's training claims through the product (11,371 passages of 5,183 abstracts,
nDCG@10, default weights): 0.7470 without, 0.7509 with a share of 0.8, 0.7524 with 0.9, 0.7518 with
1.0; the same to 0.0013 whether 20, 40 or all candidates are smoothed.

Input text of the reranker, and the blending of its scores with the first stage's. The cost of a
cross-encoder grows with the text, and the answer to a query is rarely spread over a whole passage.
The reranker therefore reads the title and the few sentences most similar to the query, the most
similar first, so that truncation drops the least similar.

Running text, as opposed to reference lists, captions, the text in figures, and title blocks. What
is not running text seldom answers a question, and has its words nevertheless: a title has those of
the topic, a reference list those of every topic around it. Its kind shows it, and its share of
function words, as it separates pages from their navigation (Pomikálek 2011, "Removing Boilerplate
and Duplicate Content from Web Corpora"). In 53 papers of computer science and education prose has
0.24 and more, and blocks of authors and addresses, mastheads, forms and program text mostly less
than 0.2; so have 0.6 % of SciFact's passages.
"""

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from citeloom.domain.documents.spans import Chunk, ChunkKind, ChunkPosition
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import RERANK_WEIGHT
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.text.words import STOP_WORDS, is_foreign_to_english

from .fusion import Ranked, Scored, min_max, monotone

#: Share of the neighbourhood's maximum in a smoothed score.
SHARE = 0.9
#: Number of top candidates that are smoothed.
DEPTH = 40


def smoothed_by_neighbours(
    candidates: Sequence[Scored], positions: Mapping[str, ChunkPosition], share: float = SHARE
) -> list[Scored]:
    """The candidates with smoothed scores, in the same order.

    Candidates without a position keep their scores and smooth no others.
    """
    by_position = {
        positions[candidate.id]: candidate for candidate in candidates if candidate.id in positions
    }

    def smoothed(candidate: Scored) -> Scored:
        if candidate.id not in positions:
            return candidate
        adjacent = (by_position.get(position) for position in _adjacent(positions[candidate.id]))
        group = [candidate, *(other for other in adjacent if other is not None)]
        if len(group) == 1:
            return candidate
        return candidate._replace(
            dense=_interpolated(candidate.dense, [other.dense for other in group], share),
            sparse=_interpolated(candidate.sparse, [other.sparse for other in group], share),
            sentence=_interpolated(
                _sentence_score(candidate), [_sentence_score(other) for other in group], share
            ),
        )

    return [smoothed(candidate) for candidate in candidates]


def by_own_scores(
    ranked: Sequence[Ranked],
    own_order: Sequence[str],
    positions: Mapping[str, ChunkPosition],
) -> list[Ranked]:
    """The ranking with the ranks of each document given to its passages in ``own_order``; scores
    stay with the ranks. Candidates without a position keep theirs."""
    of_document: dict[str, list[str]] = {}
    for id in own_order:
        if id in positions:
            of_document.setdefault(positions[id].document_id, []).append(id)
    waiting = {document: iter(ids) for document, ids in of_document.items()}
    return [
        hit._replace(id=next(waiting[positions[hit.id].document_id]))
        if hit.id in positions
        else hit
        for hit in ranked
    ]


def group_adjacent(
    ids: Sequence[str], positions: Mapping[str, ChunkPosition], limit: int
) -> list[list[str]]:
    """A prefix of ``ids`` in at most ``limit`` groups of adjacent passages, each in text order.

    A group is a passage with its direct neighbours that come later in ``ids``. The prefix ends
    where one more group would be needed.
    """
    groups: list[list[str]] = []
    group_at: dict[ChunkPosition, list[str]] = {}
    for id in ids:
        position = positions.get(id)
        group = group_at.get(position) if position else None
        if group is None:
            if len(groups) == limit:
                break
            groups.append(group := [])
            for neighbour in _adjacent(position) if position else ():
                group_at.setdefault(neighbour, group)
        group.append(id)
    for group in groups:
        if len(group) > 1:
            group.sort(key=lambda id: positions[id].place)
    return groups


def _adjacent(position: ChunkPosition) -> tuple[ChunkPosition, ChunkPosition]:
    document, place = position
    return ChunkPosition(document, place - 1), ChunkPosition(document, place + 1)


def _sentence_score(candidate: Scored) -> float | None:
    """A passage without sentences counts as one sentence, as in the fusion."""
    return candidate.dense if candidate.sentence is None else candidate.sentence


def _interpolated(
    score: float | None, neighbours: Sequence[float | None], share: float
) -> float | None:
    """No BM25 score counts as 0; a signal that no neighbour has stays None."""
    known = [neighbour for neighbour in neighbours if neighbour is not None]
    if not known:
        return None
    base = score or 0.0
    return base + share * (max(base, *known) - base)


# Near-duplicates share three fifths of the shorter one's shingles: a preprint and its article
# differ by less, two passages on one subject by far more.
SAME_SHARE: float = 0.6
_SHINGLE_WORDS = 3
# Records of two works of one author in one journal share most of their few words.
LEAST_SHINGLES = 15
_SHINGLE_WORD = re.compile(r"\w+")

Shingles = frozenset[tuple[str, ...]]


# Some 25 KB each.
@lru_cache(maxsize=256)
def shingles(text: str) -> Shingles:
    """All 3-word shingles, ignoring case, accents and punctuation; of a shorter text one
    shingle of all its words."""
    words = _SHINGLE_WORD.findall(fold(text))
    if len(words) <= _SHINGLE_WORDS:
        return frozenset({tuple(words)})
    return frozenset(zip(*(words[n:] for n in range(_SHINGLE_WORDS)), strict=False))


def are_near_duplicates(one: Shingles, other: Shingles, least: int = 0) -> bool:
    """Whether two texts have nearly the same words in the same order; with fewer than ``least``
    shingles, all of them."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < least:
        return one == other
    if len(shorter) < len(longer) / 3:
        return False
    return len(shorter & longer) >= SAME_SHARE * len(shorter)


def max_marginal_selection(
    ids: Sequence[str],
    scores: Mapping[str, float],
    vectors: Mapping[str, Sequence[float]],
    count: int,
    *,
    relevance_weight: float = 0.7,
) -> list[str]:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): repeatedly the id with the
    highest ``relevance_weight`` × score − (1 − ``relevance_weight``) × cosine to the nearest
    selected one.

    Scores are in 0..1 and vectors of length 1; an id without vector is similar to none. Ties
    keep their order.
    """
    remaining, chosen = list(ids), list[str]()
    nearest = dict.fromkeys(ids, 0.0)
    while remaining and len(chosen) < count:
        best = max(
            remaining,
            key=lambda id: relevance_weight * scores[id] - (1 - relevance_weight) * nearest[id],
        )
        remaining.remove(best)
        chosen.append(best)
        for id in remaining:
            if id in vectors and best in vectors:
                cosine = sum(a * b for a, b in zip(vectors[id], vectors[best], strict=True))
                nearest[id] = max(nearest[id], cosine)
    return chosen


#: Sentences of a passage, or of adjacent ones, that are reranked: two for a reader, to whom more
#: of them gained nothing (118 questions to papers) and cost half as much time again.
SENTENCES, FOR_READER = 4, 2
CANDIDATES = 20
#: Passages that are read again without being asked, and how many of them to the end, where the
#: model can stop early: the first passage with an answer is among 20 for 93 % of the questions.
UNASKED, TO_THE_END = 20, 5
#: An English question of a reader counts the reranker by so many times the weight, which is set for
#: claims; questions in German lost by it.
ASKED: Final = 3.0
#: So many are read again even where the first order is sure, to know whether they answer.
JUDGED: Final = 4
# The best hit of a first order is sure if it is so far ahead of the next: of 116 questions to
# papers the others, five in six, gained.
_SURE: Final = 0.04
# The reranker's share of the relevance.
RELEVANCE_SHARE = 0.2
# Characters: a shorter title may begin any sentence ("Methods").
_DISTINCTIVE_TITLE = 16
# Scores nearer to 0 or 1 than this are clipped before the log-odds.
_CLIP = 1e-6


@dataclass(frozen=True, slots=True)
class RerankerScores:
    """Reranker scores in 0..1, by id, of the first ``depth`` hits; none for a passage that was
    deleted meanwhile. ``are_probabilities``: of those that the bundled model was calibrated to.
    The hits ``in_part`` were not read to the end."""

    by_id: Mapping[str, float]
    depth: int
    are_probabilities: bool = False
    in_part: Set[str] = frozenset()


def asks_in_english(text: str) -> bool:
    """Whether a text has no full stop at its end, also in quotation marks, as statements have, and
    is not foreign."""
    is_statement = text.rstrip().rstrip("\"'”’»").endswith(".")
    return not is_statement and not is_foreign_to_english(text)


def going_on(first_stage: Sequence[float], looked: Sequence[float], weight: float) -> list[int]:
    """The places of the best after a first look, by both scores as ``reordered`` has them."""
    scores = blend(first_stage, looked, weight)
    return sorted(range(len(scores)), key=lambda place: -scores[place])[:TO_THE_END]


def is_sure(ranked: Sequence[Ranked]) -> bool:
    """Whether a first order is clear about its best hit."""
    return len(ranked) < 2 or ranked[0].score - ranked[1].score >= _SURE


def reordered(
    ranked: Sequence[Ranked], reranker_scores: RerankerScores, weight: float = RERANK_WEIGHT
) -> list[Ranked]:
    """The reranked hits in their new order, those read in part behind the others, with new scores
    and relevances, then the rest as it was. Relevance never rises down the list."""
    depth, by_id = reranker_scores.depth, reranker_scores.by_id
    head = [hit for hit in ranked[:depth] if hit.id in by_id]
    order = [(hit.id, hit.score, hit.relevance) for hit in ranked[depth:]]
    scores = blend([hit.score for hit in head], [by_id[hit.id] for hit in head], weight)
    for in_part in (True, False):
        part = sorted(
            (-score, hit.id, hit)
            for hit, score in zip(head, scores, strict=True)
            if (hit.id in reranker_scores.in_part) is in_part
        )
        # The lowest gets the highest score of those behind.
        floor = max((score for _, score, _ in order), default=0.0)
        order[:0] = [
            (id, floor + (part[-1][0] - worse), _relevance(hit, by_id[id]))
            for worse, id, hit in part
        ]
    return monotone(order)


def _relevance(hit: Ranked, reranker_score: float) -> float:
    return (1 - RELEVANCE_SHARE) * hit.relevance + RELEVANCE_SHARE * reranker_score


def evidence_text(
    title: str, sentences: Sequence[str], similarities: Sequence[float], limit: int = SENTENCES
) -> str:
    """The text to rerank: the title (may be empty), then the best sentences, best first.

    ``similarities`` are the cosines of the sentences to the query. The title is removed from
    the start of a sentence, and a sentence that only repeats it is left out. Raises ValueError
    if the two lists differ in length.
    """
    if len(sentences) != len(similarities):
        raise ValueError(f"{len(sentences)} sentences with {len(similarities)} similarities")
    heading = title.strip()
    texts = {n: _without(heading, sentence) for n, sentence in enumerate(sentences)}
    best = sorted((n for n in texts if texts[n]), key=lambda n: -similarities[n])[:limit]
    if heading and heading[-1] not in ".?!":
        heading += "."
    return " ".join(part for part in (heading, *(texts[n] for n in best)) if part)


def _without(heading: str, sentence: str) -> str:
    sentence = sentence.strip()
    if len(heading) < _DISTINCTIVE_TITLE or not sentence.startswith(heading):
        return sentence
    return sentence[len(heading) :].lstrip(" .")


def blend(
    first_stage: Sequence[float], reranked: Sequence[float], weight: float = RERANK_WEIGHT
) -> list[float]:
    """First-stage and reranker scores of the same candidates, blended; they only order these.

    The first-stage scores are min-max normalised over these candidates; the reranker's (0..1)
    are added as log-odds times ``weight``: independent evidence adds up as log-odds, and a
    constant reranker changes nothing. Raises ValueError for lists of different length.
    """
    if len(first_stage) != len(reranked):
        raise ValueError(f"{len(first_stage)} first scores with {len(reranked)} reranked")
    first = min_max(first_stage)
    return [a + weight * log_odds(b) for a, b in zip(first, reranked, strict=True)]


def log_odds(score: float) -> float:
    """The log-odds of a score in 0..1."""
    inner = min(1 - _CLIP, max(_CLIP, score))
    return math.log(inner / (1 - inner))


# Text with a smaller share of function words is not prose.
_LEAST_FUNCTION_WORDS: Final = 0.2
_WORD: Final = re.compile(r"[^\W\d_]+")
# What a question calls these parts of a paper.
_REFERENCES: Final = """
    reference references bibliography bibliographies cite cites cited citing citation citations
    literatur literaturverzeichnis zitiert zitieren référence références bibliographie cité cités
    referencia referencias bibliografía citado riferimenti bibliografia citato referência
    referências
    literatuur geciteerd referens referenser citerad литература
"""
_CAPTIONS: Final = """
    figure figures fig caption captions diagram diagrams chart plot abbildung abbildungen abb
    schaubild légende figura figuras figure didascalia afbeelding figur figurer рисунок
"""
_FRONT: Final = """
    author authors affiliation affiliations address title autor autoren autorin titel auteur auteurs
    titre autores título autore autori titolo författare автор авторы
"""


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())


_NAMES: Final = {
    ChunkKind.REFERENCE: _folded(_REFERENCES),
    ChunkKind.CAPTION: _folded(_CAPTIONS),
    ChunkKind.FIGURE: _folded(_CAPTIONS),
    ChunkKind.TEXT: _folded(_FRONT),
}


def named_kinds(question: str) -> frozenset[ChunkKind]:
    """The kinds of passages that are not running text and that a question names; TEXT stands for
    titles, authors and their addresses."""
    words = {fold(word) for word in _WORD.findall(question)}
    return frozenset(kind for kind, names in _NAMES.items() if not words.isdisjoint(names))


def is_running_text(chunk: Chunk, language: str | None) -> bool:
    """Tables and annotations count as running text: they are answers of their own."""
    if chunk.kind in (ChunkKind.REFERENCE, ChunkKind.CAPTION, ChunkKind.FIGURE):
        return False
    listed = STOP_WORDS.get(language or "")
    if chunk.kind is not ChunkKind.TEXT or listed is None:
        return True
    words = _WORD.findall(chunk.text.casefold())
    function_words = sum(word in listed for word in words)
    return function_words >= _LEAST_FUNCTION_WORDS * len(words) and bool(words)


#: Least relevance of a passage that fits.
FITTING: Final = 0.35


def reads_english(model: str, other: str) -> UserMessage:
    """The warning that the question is not in the language of the embedding model ``model``;
    ``other`` is a model of many languages."""
    return UserMessage(
        f"{model} reads English, and the question seems to be in another language: only its words, "
        f"names and numbers were searched well; {other} reads many languages",
        NextStep(Action.FETCH_MODEL, model=other),
    )
