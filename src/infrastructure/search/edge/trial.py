"""Trial opening of a shard, in a process of its own: damage can make the engine end its process.

``python -m citeloom.infrastructure.search.edge.trial SHARD`` reads a sample of the points, with
payloads and vectors.
"""

import os
import sys
from pathlib import Path
from typing import Final

from citeloom.infrastructure.system.processes import limit_address_space

_SAMPLE: Final = 256
# Damaged lengths make the engine ask for any amount of memory.
_SPARE_MEMORY: Final = 8 * 2**30


def read_sample(shard: Path) -> None:
    """Open the shard, read a sample and close it. Raises what the engine raises."""
    import qdrant_edge

    opened = qdrant_edge.EdgeShard.load(str(shard))
    points: int = opened.count(qdrant_edge.CountRequest(exact=True))
    request = qdrant_edge.ScrollRequest(limit=_SAMPLE, with_payload=True, with_vector=True)
    records, _ = opened.scroll(request)
    opened.close()
    if len(records) < min(points, _SAMPLE):
        raise RuntimeError(f"{len(records)} of {points} passages can be read")


def main() -> None:
    shard = Path(sys.argv[1])
    os.write(1, b"begun")  # what fails before says nothing of the shard
    # The files are mapped.
    files = sum(path.stat().st_size for path in shard.rglob("*") if path.is_file())
    limit_address_space(_SPARE_MEMORY + 4 * files)
    read_sample(shard)


if __name__ == "__main__":
    main()
