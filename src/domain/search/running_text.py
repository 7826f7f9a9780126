"""Running text, as opposed to reference lists, captions, the text in figures, and title blocks.

What is no running text seldom answers a question, and has its words nevertheless: a title has
those of the topic, a reference list those of every topic around it. It is told by its kind, and
by its share of function words, as pages are told from their navigation (Pomikálek 2011, "Removing
Boilerplate and Duplicate Content from Web Corpora"). In 53 papers of computer science and education
prose has 0.24 and more, and blocks of authors and addresses, mastheads, forms and program text
mostly less than 0.2; so have 0.6 % of SciFact's passages.
"""

import re
from typing import Final

from citeloom.domain.documents.chunk import Chunk, ChunkKind
from citeloom.domain.text.folding import fold
from citeloom.domain.text.language import STOP_WORDS

# Text with a smaller share of function words is no prose.
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
    """The kinds of passages that are no running text and that a question names; TEXT stands for
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
