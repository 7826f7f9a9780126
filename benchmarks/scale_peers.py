"""The stores that the scale benchmark compares, CiteLoom's peers: each by a class of the same form.

``fill`` takes (number, year, text, vector) and returns when all can be searched; ``dense``,
``sparse`` and ``hybrid`` return the numbers of the best ten, their texts fetched. Hybrid takes
a hundred of each side; where a store has none of its own, the two sides' scores are added
after min-max normalisation, as CiteLoom does. ``nearest`` is the vectors' side of hybrid.
A store with ``filled_by`` asks what another has filled.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DEPTH, POOL = 10, 100
Row = tuple[int, int, str, Sequence[float]]
Years = tuple[int, int] | None


def match(text: str) -> str:
    """An FTS5 query: any of the words."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text.lower())))


def fuse(*sides: Mapping[int, float]) -> list[int]:
    """Min-max each side, larger is better; add with equal weights."""
    total: dict[int, float] = {}
    for side in sides:
        low, high = min(side.values(), default=0.0), max(side.values(), default=0.0)
        for number, score in side.items():
            total[number] = total.get(number, 0.0) + (score - low) / ((high - low) or 1.0)
    return sorted(total, key=lambda number: -total[number])[:DEPTH]


class Words:
    """SQLite's FTS5, for stores that search by meaning only."""

    def __init__(self, path: Path) -> None:
        import apsw

        self.database = apsw.Connection(str(path))
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS passages (number INTEGER PRIMARY KEY, year INT, text TEXT)"
        )
        self.database.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5"
            "(text, content=passages, content_rowid=number, tokenize='porter unicode61')"
        )

    def fill(self, rows: Sequence[Row]) -> None:
        with self.database:
            self.database.executemany(
                "INSERT INTO passages VALUES (?, ?, ?)", [row[:3] for row in rows]
            )
            self.database.executemany(
                "INSERT INTO words(rowid, text) VALUES (?, ?)", [(r[0], r[2]) for r in rows]
            )

    def search(self, text: str, limit: int, years: Years = None) -> dict[int, float]:
        join, where, values = "", "", [match(text)]
        if years:  # CROSS: words first, else each passage of these years is matched by itself
            join = "CROSS JOIN passages ON passages.number = words.rowid"
            where, values = "AND year BETWEEN ? AND ?", [*values, *years]
        found = self.database.execute(
            f"SELECT words.rowid, -rank FROM words {join} WHERE words MATCH ? {where} "
            f"ORDER BY rank LIMIT {limit}",
            values,
        )
        return dict(found)

    def texts(self, numbers: Sequence[int]) -> list[str]:
        marks = ",".join("?" * len(numbers))
        found = self.database.execute(
            f"SELECT number, text FROM passages WHERE number IN ({marks})", numbers
        )
        texts = dict(found)
        return [texts[number] for number in numbers]


class SqliteVec:
    """sqlite-vec with FTS5, in one file. It compares every vector, at any size."""

    packages = ("sqlite-vec", "apsw")

    def __init__(self, folder: Path) -> None:
        import sqlite_vec

        self.words = Words(folder / "passages.db")
        self.database = self.words.database
        self.database.enable_load_extension(True)
        self.database.load_extension(sqlite_vec.loadable_path())

    def fill(self, rows: Sequence[Row]) -> None:
        import numpy as np

        size = len(rows[0][3])
        self.database.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0(number INTEGER PRIMARY KEY, "
            f"year INT, vector float[{size}] distance_metric=cosine)"
        )
        self.words.fill(rows)
        with self.database:
            self.database.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?)",
                [(r[0], r[1], np.asarray(r[3], dtype=np.float32).tobytes()) for r in rows],
            )

    def finish(self) -> None:
        pass

    def _nearest(self, vector: Any, limit: int, years: Years = None) -> dict[int, float]:
        where, values = "", [vector.tobytes()]
        if years:
            where, values = "AND year BETWEEN ? AND ?", [*values, *years]
        found = self.database.execute(
            f"SELECT number, -distance FROM vectors WHERE vector MATCH ? AND k = {limit} {where}",
            values,
        )
        return dict(sorted(found, key=lambda pair: -pair[1]))

    def dense(self, vector: Any) -> list[int]:
        found = list(self._nearest(vector, DEPTH))
        self.words.texts(found)
        return found

    def nearest(self, vector: Any) -> list[int]:
        return list(self._nearest(vector, POOL))[:DEPTH]

    def sparse(self, text: str) -> list[int]:
        found = list(self.words.search(text, DEPTH))
        self.words.texts(found)
        return found

    def hybrid(self, vector: Any, text: str, years: Years = None) -> list[int]:
        found = fuse(self._nearest(vector, POOL, years), self.words.search(text, POOL, years))
        self.words.texts(found)
        return found


class Chroma:
    """Chroma, which has a graph at any size and no words of its own: FTS5 beside it."""

    packages = ("chromadb", "apsw")

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(
            str(folder / "chroma"), Settings(anonymized_telemetry=False)
        )
        self.collection = client.get_or_create_collection(
            "passages", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self.words = Words(folder / "words.db")

    def fill(self, rows: Sequence[Row]) -> None:
        self.words.fill(rows)
        self.collection.add(
            ids=[str(r[0]) for r in rows],
            embeddings=[r[3] for r in rows],
            metadatas=[{"year": r[1]} for r in rows],
            documents=[r[2] for r in rows],
        )

    def finish(self) -> None:
        pass

    def _nearest(self, vector: Any, limit: int, years: Years, *what: str) -> dict[int, float]:
        where = None
        if years:
            where = {"$and": [{"year": {"$gte": years[0]}}, {"year": {"$lte": years[1]}}]}
        found = self.collection.query(
            query_embeddings=[vector], n_results=limit, where=where, include=["distances", *what]
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return {int(id): -distance for id, distance in pairs}

    def dense(self, vector: Any) -> list[int]:
        return list(self._nearest(vector, DEPTH, None, "documents"))

    def nearest(self, vector: Any) -> list[int]:
        return list(self._nearest(vector, POOL, None))[:DEPTH]

    def sparse(self, text: str) -> list[int]:
        found = list(self.words.search(text, DEPTH))
        self.words.texts(found)
        return found

    def hybrid(self, vector: Any, text: str, years: Years = None) -> list[int]:
        found = fuse(self._nearest(vector, POOL, years), self.words.search(text, POOL, years))
        self.words.texts(found)
        return found


class Lance:
    """LanceDB with its own full-text index and hybrid query (reciprocal ranks)."""

    packages = ("lancedb",)
    graph = False
    refine = 0

    def __init__(self, folder: Path) -> None:
        import lancedb

        self.database = lancedb.connect(str(folder / "lance"))
        names = self.database.table_names()
        self.table = self.database.open_table("passages") if "passages" in names else None

    def fill(self, rows: Sequence[Row]) -> None:
        import numpy as np
        import pyarrow as pa

        flat = np.array([r[3] for r in rows], dtype=np.float32)
        columns = {
            "number": pa.array([r[0] for r in rows]),
            "year": pa.array([r[1] for r in rows]),
            "text": pa.array([r[2] for r in rows]),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1]),
        }
        table = pa.table(columns)
        if self.table is None:
            self.table = self.database.create_table("passages", table)
        else:
            self.table.add(table)

    def finish(self) -> None:
        assert self.table is not None
        self.table.create_scalar_index("year")
        self.table.create_fts_index("text")
        if self.graph:
            self.table.create_index(metric="cosine", index_type="IVF_HNSW_SQ")
        self.table.optimize()

    def _ask(self, query: Any, limit: int, years: Years) -> list[int]:
        if self.refine and hasattr(query, "refine_factor"):  # not of words alone
            query = query.refine_factor(self.refine)
        if years:
            query = query.where(f"year BETWEEN {years[0]} AND {years[1]}", prefilter=True)
        found = query.select(["number", "text"]).limit(limit).to_arrow()
        return [int(number) for number in found["number"].to_pylist()[:DEPTH]]

    def dense(self, vector: Any) -> list[int]:
        return self._ask(self.table.search(vector).distance_type("cosine"), DEPTH, None)

    def nearest(self, vector: Any) -> list[int]:
        return self._ask(self.table.search(vector).distance_type("cosine"), POOL, None)

    def sparse(self, text: str) -> list[int]:
        return self._ask(self.table.search(text, query_type="fts"), DEPTH, None)

    def hybrid(self, vector: Any, text: str, years: Years = None) -> list[int]:
        query = self.table.search(query_type="hybrid").vector(vector).text(text)
        return self._ask(query.distance_type("cosine"), POOL, years)


class LanceGraph(Lance):
    """The same with an approximate index (IVF_HNSW_SQ)."""

    graph = True


class LanceRefined(LanceGraph):
    """The same, twice as many taken from the index and compared by their whole vectors."""

    filled_by = "lancedb, graph"
    refine = 2


PEERS = {
    "lancedb": Lance,
    "lancedb, graph": LanceGraph,
    "lancedb, graph, refined": LanceRefined,
    "chroma + fts5": Chroma,
    "sqlite-vec + fts5": SqliteVec,
}
