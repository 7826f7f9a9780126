"""Names and numbers that differ by a letter: words find what meaning confuses."""

import pytest
from support.in_memory.index import InMemoryIndex

from citeloom.application.ports.index import EmbeddedPassage, Passage
from citeloom.application.ports.models import SparseText
from citeloom.domain.documents.spans import CharSpan, Chunk, chunk_id
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode, Scored, rank
from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

# What the names stand among: the vector of a passage is of all that it says.
AROUND = (
    "Blood was drawn in the morning, after a night without food, by two trained nurses.",
    "The patients were told what the study was for and could leave it at any time.",
    "Plasma was parted within an hour and kept frozen until it was sent to the laboratory.",
    "Nobody who read the results knew to which group a patient belonged.",
    "Age, weight and smoking were noted at the first visit and at each later one.",
    "A questionnaire about sleep, diet and exercise was filled in at home.",
    "Those who missed two visits in a row were counted as lost and left out.",
    "Differences between the groups were compared with a mixed model for repeated measures.",
    "The hospital paid for the journey but for nothing else.",
)
NAMES = (
    "IL-6", "IL-8", "IL-10", "IL-17A", "IL-1β", "TNF-α", "TNF-β", "TGF-β1", "p53", "p63",
    "p73", "BRCA1", "BRCA2", "CD4⁺ cells", "CD8⁺ cells", "CO₂", "rs7412", "rs429358",
    "NCT01234567", "NCT01234576", "α-synuclein", "β-catenin", "HLA-B*27", "HLA-B*57",
    "COVID-19", "SARS-CoV-1", "3.5 mg/kg", "5.3 mg/kg", "1,500 IU", "15,000 IU",
)  # fmt: skip
TEXTS = {
    name: " ".join(
        [*(AROUND[(n + k) % 9] for k in (0, 2)), f"This was noted with {name}."]
        + [AROUND[(n + k) % 9] for k in (3, 5, 6)]
    )
    for n, name in enumerate(NAMES)
}
ABOUT = (
    "how were differences between groups tested when looking at {}",
    "was the diet of patients asked about in the study of {}",
    "who drew the blood that was analysed for {}",
    "how many patients were lost to follow-up with {}",
    "was the analysis blinded for {}",
)
WRITTEN = {
    "IL6": "IL-6",
    "IL 10": "IL-10",
    "IL17A": "IL-17A",
    "IL-1beta": "IL-1β",
    "TNFα": "TNF-α",
    "TNF-beta": "TNF-β",
    "TGF-beta1": "TGF-β1",
    "p-53": "p53",
    "p73": "p73",
    "BRCA-2": "BRCA2",
    "CD8+ cells": "CD8⁺ cells",
    "CO2": "CO₂",
    "rs7412": "rs7412",
    "NCT01234576": "NCT01234576",
    "alpha synuclein": "α-synuclein",
    "HLA-B57": "HLA-B*57",
    "COVID19": "COVID-19",
    "5.3 mg/kg": "5.3 mg/kg",
    "3·5 mg / kg": "3.5 mg/kg",
    "1500 IU": "1,500 IU",
}
ASKED = {
    ABOUT[n % len(ABOUT)].format(written): name for n, (written, name) in enumerate(WRITTEN.items())
}


@pytest.fixture(scope="module")
def ranks() -> dict[Mode, dict[str, int]]:
    """Where the passage that is meant stands, by mode and question."""
    dense, words, names = BundledEmbedder(), Bm25Embedder(), list(TEXTS)
    index = InMemoryIndex()
    found: dict[Mode, dict[str, int]] = {Mode.DENSE: {}, Mode.HYBRID: {}}
    with index.open("x", dimension=dense.model.dimension) as collection:
        terms = words.embed(map(SparseText, TEXTS.values()), "en", 40.0)
        vectors = dense.embed(TEXTS.values())
        collection.replace_document(
            "d",
            [
                EmbeddedPassage(_passage(n, text), vector, sparse)
                for n, (text, vector, sparse) in enumerate(
                    zip(TEXTS.values(), vectors, terms, strict=True)
                )
            ],
        )
        for question, meant in ASKED.items():
            candidates = collection.search(
                dense=dense.embed_query(question),
                sparse=words.embed_query(question, ["en"]),
                filter=Filter(),
                limit=100,
            )
            pool = [Scored(c.id, c.dense, c.sparse, c.sentence) for c in candidates]
            wanted = _passage(names.index(meant), TEXTS[meant]).chunk.id
            for mode, of_question in found.items():
                ids = [hit.id for hit in rank(pool, mode)]
                of_question[question] = ids.index(wanted) + 1
    return found


def _passage(n: int, text: str) -> Passage:
    chunk = Chunk(
        id=chunk_id("d", None, (), "m", n),
        doc_id="d",
        chunk_idx=n,
        text=text,
        char_span=CharSpan(start=0, end=len(text)),
    )
    return Passage(chunk=chunk, title=None, source_path="/d", language="en")


def test_with_words_the_passage_that_is_meant_comes_first(ranks) -> None:
    assert {q: r for q, r in ranks[Mode.HYBRID].items() if r > 1} == {}


def test_meaning_alone_confuses_at_least_a_fifth_of_them(ranks) -> None:
    worse = [q for q, r in ranks[Mode.DENSE].items() if r > ranks[Mode.HYBRID][q]]
    assert len(worse) >= len(ASKED) / 5
