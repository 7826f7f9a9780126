"""Changes of all kinds, at random: a project that followed them is as one that is new."""

import random
from pathlib import Path
from typing import Any

import pytest
from support.world import World
from support.zotero.library import annotation, key, note, work
from support.zotero.shelves import Reader

TITLES = ("Reeds in winter and how to count them", "Ice is thin where the reeds stand", "Eels")
TEXTS = tuple(f"# Part {n}\n\nPond {n} freezes in November.\n" for n in range(4))


def change(reader: Reader, draw: random.Random) -> None:
    """One thing that people do in their libraries."""
    number = draw.randrange(5)
    item, file = key(number, "W"), key(number, "F")
    fields: dict[str, Any] = {
        "title": draw.choice(TITLES),
        "DOI": draw.choice(("", "10.5555/a", "10.48550/arXiv.2401.00001")),
        "itemType": draw.choice(("journalArticle", "preprint")),
        "citationKey": draw.choice(("", f"own{number}", f"other{number}")),
        "date": draw.choice(("2020", "2021")),
        "creators": [{"creatorType": "author", "name": draw.choice(("Smith", "Weir"))}],
        "abstractNote": draw.choice(("", "Of ice.")),
    }
    deed = draw.randrange(7)
    if item not in reader.raw or deed == 0:
        reader.add(work(number, **fields))
    elif deed == 1:
        reader.change(item, deleted=1 - reader.raw[item].get("deleted", 0))
    elif deed == 2:
        reader.change(item, **dict(draw.sample(sorted(fields.items()), 2)))
    elif deed in (3, 4):
        reader.attach(number, number, draw.choice(TEXTS))
    elif deed == 5 and file in reader.raw:
        reader.change(file, deleted=1 - reader.raw[file].get("deleted", 0))
        reader.add(annotation(number, file, annotationPosition="{}", annotationText="Pond"))
    else:
        reader.add(note(number, item, f"<p>{draw.choice(TITLES)}</p>"))


def seen(reader: Reader) -> dict[str, object]:
    """All that a project holds, but for keys that were, and in what order paths came."""
    documents = {
        document.document_id: (
            sorted(source.path for source in document.sources),
            document.citation,
            document.held and document.held.model_copy(update={"former_keys": ()}),
            document.chunks,
            document.mime_type,
        )
        for document in reader.stored()
    }
    shown = {
        item.document_id: item.source_path for item in reader.world.query("pond", top_k=50).items
    }
    paths = {document.document_id: document.sources[0].path for document in reader.stored()}
    assert shown.items() <= paths.items()
    return {"documents": documents, "chunks": sorted(reader.world.chunk_ids())}


@pytest.mark.parametrize("seed", range(12))
def test_a_project_that_followed_all_changes_is_as_a_new_one(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    data = tmp_path / "Zotero"
    followed = Reader(World(tmp_path / "a"), data)
    for _ in range(6):
        for _ in range(draw.randrange(1, 5)):
            change(followed, draw)
        followed.sync()
        new = Reader(World(tmp_path / "b"), data, raw=followed.raw)
        new.sync()
        assert seen(followed) == seen(new)
        assert followed.sync().library.unchanged  # type: ignore[union-attr]
