"""Another process that uses an index: told what to do on stdin, answers on stdout.

Commands, one a line: ``enter``, ``leave``, ``counts``, ``write DOC N VERSION``,
``ingest FIRST`` (documents without end, each acknowledged after its flush),
``stream SECONDS`` (queries, answers with their number), ``ask N`` (as many queries).
"""

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from citeloom.application.ports.index import EmbeddedPassage, Passage, SparseVector
from citeloom.domain.documents.spans import CharSpan, Chunk, chunk_id
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.search.edge.index import EdgeIndex

COLLECTION = "proj-local-shared"
DIMENSION = 8
PASSAGES = 40


def embedded(doc, idx, version="v1"):
    text = f"{doc} {idx} {version}"
    chunk = Chunk(
        id=chunk_id(doc, None, (version,), "model", idx),
        doc_id=doc,
        chunk_idx=idx,
        text=text,
        char_span=CharSpan(start=0, end=len(text)),
        section_path=(version,),
    )
    dense = [1.0, *(float((idx >> bit) & 1) for bit in range(DIMENSION - 1))]
    passage = Passage(chunk=chunk, title=None, source_path=f"/{doc}")
    return EmbeddedPassage(passage, dense, SparseVector([1, 10 + idx], [1.0, 2.0]))


def document(doc, passages=PASSAGES, version="v1"):
    return [embedded(doc, idx, version) for idx in range(passages)]


def answer(**values):
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def ingest(index, first):
    """Write documents for ever, and every third one again in a second version."""
    number = first
    while True:
        with index.open(COLLECTION, dimension=DIMENSION) as opened:
            doc = f"d{number}"
            opened.replace_document(doc, document(doc))
            opened.flush()
        answer(stored=doc, version="v1")
        if number % 3 == 0:
            with index.open(COLLECTION, dimension=DIMENSION) as opened:
                opened.replace_document(doc, document(doc, version="v2"))
                opened.flush()
            answer(stored=doc, version="v2")
        number += 1


def query(index):
    with index.open(COLLECTION, dimension=DIMENSION) as opened:
        words = SparseVector([1], [1.0])
        opened.search(dense=[1.0] * DIMENSION, sparse=words, filter=Filter(), limit=5)


def stream(index, seconds):
    queries, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        query(index)
        queries += 1
    answer(queries=queries)


def main():
    index = EdgeIndex(Path(sys.argv[1]), owner=sys.argv[2])
    inside = ExitStack()
    for line in sys.stdin:
        command, *words = line.split()
        if command == "enter":
            inside.enter_context(index.open(COLLECTION, dimension=DIMENSION))
        elif command == "leave":
            inside.close()
        elif command == "write":
            with index.open(COLLECTION, dimension=DIMENSION) as opened:
                opened.replace_document(words[0], document(words[0], int(words[1]), words[2]))
                opened.flush()
        elif command == "ingest":
            ingest(index, int(words[0]))
        elif command == "ask":
            for _ in range(int(words[0])):
                query(index)
        elif command == "stream":
            stream(index, float(words[0]))
            continue
        counts = {}
        if command == "counts":
            with index.open(COLLECTION, dimension=DIMENSION) as opened:
                counts = dict(opened.counts())
        answer(done=command, counts=counts)


if __name__ == "__main__":
    main()
