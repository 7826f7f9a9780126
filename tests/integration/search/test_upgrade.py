"""An index of the first format is still opened, and takes sentence vectors from then on."""

import json

import pytest
import qdrant_edge
from support.stores.passages import DIMENSION, EVERYTHING, embedded, with_sentences

from citeloom.infrastructure.search.edge.index import EdgeIndex
from citeloom.infrastructure.search.edge.shard import FORMAT
from citeloom.infrastructure.search.payload import DENSE, SPARSE, to_payload


@pytest.fixture
def first_format(tmp_path):
    folder = tmp_path / "proj-local-old"
    (folder / "shard").mkdir(parents=True)
    config = qdrant_edge.EdgeConfig(
        vectors={DENSE: qdrant_edge.EdgeVectorParams(DIMENSION, qdrant_edge.Distance.Cosine)},
        sparse_vectors={
            SPARSE: qdrant_edge.EdgeSparseVectorParams(modifier=qdrant_edge.Modifier.Idf)
        },
    )
    shard = qdrant_edge.EdgeShard.create(str(folder / "shard"), config)
    old = embedded("old", 0)
    sparse = qdrant_edge.SparseVector([7], [1.0])
    payload = {k: v for k, v in to_payload(old.passage).items() if k != "sentences"}
    point = qdrant_edge.Point(
        old.passage.chunk.id, {DENSE: [1.0, 0, 0, 0], SPARSE: sparse}, payload
    )
    shard.update(qdrant_edge.UpdateOperation.upsert_points([point]))
    shard.flush()
    shard.close()
    named = {"version": 1, "collection": folder.name, "dimension": DIMENSION}
    (folder / "format.json").write_text(json.dumps(named))
    return folder


def test_the_first_format_is_upgraded_in_place(first_format):
    for _ in range(2):  # the second time it is opened as what it has become
        index = EdgeIndex(first_format.parent)
        with index.open(first_format.name, dimension=DIMENSION) as collection:
            collection.replace_document("new", [with_sentences("new", 0, [(1.0, 0, 0, 0)])])
            hits = collection.search(dense=(1.0, 0, 0, 0), sparse=None, filter=EVERYTHING, limit=10)
            passages = {p.chunk.id: p for p in collection.fetch([hit.id for hit in hits])}
            told = {passages[hit.id].chunk.doc_id: hit.sentence for hit in hits}
        index.close()
        assert told == {"old": None, "new": pytest.approx(1.0, abs=1e-3)}
    assert json.loads((first_format / "format.json").read_text())["version"] == FORMAT
