"""Unit costs of an installation, as measured on the product (benchmarks/RESULTS.md)."""

from typing import Final

#: 3,450 passages on 742 pages of papers of many publishers ("Ingest and query"); 493 on 115 pages
#: of one publisher are 4.3.
PASSAGES_PER_PAGE: Final = 4.6
#: Vectors of sentences a passage: 1,639 of 493 passages; tables and reference lists have none.
SENTENCES_PER_PASSAGE: Final = 3.3
#: Numbers of a vector of the bundled model, each of four bytes.
DIMENSION: Final = 384
FLOAT_BYTES: Final = 4
#: Index on disk without a graph and without vectors of sentences, bytes a passage: 1,058 MB for
#: 100,000 passages of 8 sentences ("Scale"), less these. A third of it are the passage's vectors.
PASSAGE_BYTES: Final = 4_450
#: Vector of a sentence on disk: two bytes a number.
SENTENCE_BYTES: Final = 2 * DIMENSION
#: The graph (HNSW, m = 16), bytes a passage: 1,150 - 1,058 MB for 100,000 ("Scale").
GRAPH_BYTES: Final = 920
#: Memory of a server without passages, and for each of them: 180 MB at 20,000 and 282 MB at 50,000
#: once it is started, 301 and 409 MB after 200 questions, all mapped files included ("A real
#: server"). With one byte a number, and the rest on its disk, 175 MB at 50,000 and 855 at 600,120.
SERVER_BYTES: Final = 112_000_000
SERVER_PASSAGE_BYTES: Final = 3_500
SERVER_PASSAGE_BYTES_ON_DISK: Final = 1_300
#: Memory of a process with an embedded index, and the share of the index that it maps while it
#: answers: 580 MB at 10,000 passages, 3,363 MB at 300,000 ("Scale", exact).
PROCESS_BYTES: Final = 480_000_000
MAPPED_SHARE: Final = 0.85
#: Bundle and map on disk, bytes a passage: 432 kB and 120 kB for 559 passages.
CONVERSION_BYTES: Final = 990
#: Rows of the catalogue, bytes a paper: 447 kB for 31 papers.
CATALOGUE_BYTES: Final = 14_400
#: Processor time of an ingest (conversion, vectors, writing), seconds a passage: 246.9 s for 3,450
#: ("Ingest and query"; 2 cores of an AMD EPYC with AVX-512-VNNI).
INGEST_SECONDS: Final = 0.072
#: Processor time of the graph, seconds a passage: 1,392 s for 300,000 ("Scale"); 0.0028 at 100,000.
GRAPH_SECONDS: Final = 0.0046
#: The same from vectors of one byte a number: 918 s for 600,120 ("A real server").
GRAPH_SECONDS_INT8: Final = 0.0015
#: The most passages that any figure above was measured at.
MEASURED_PASSAGES: Final = 300_000
