"""A sync that was stopped anywhere and is run again ends as an undisturbed one, and so does one
during which the library changed."""

import dataclasses
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.stores.stopping import Stopped, Stopper, StoppingIndex, StoppingStore
from support.world import World
from support.zotero.library import annotation, key, note, work
from support.zotero.shelves import Reader

TEXTS = tuple(
    f"# Part {n}\n\nPond {n} freezes in November.\n\nIce lies on the reeds.\n" for n in range(3)
)
QUOTES = ("freezes", "Ice lies", "on the reeds")


def change(reader: Reader, draw: random.Random) -> None:
    """One thing that people do in their libraries."""
    number = draw.randrange(3)
    item, file, mark = key(number, "W"), key(number, "F"), key(number, "A")
    deed = draw.randrange(7)
    if item not in reader.raw or deed == 0:
        reader.add(work(number, title=draw.choice(("Reeds", "Ice", "Eels"))))
        reader.attach(number, number, draw.choice(TEXTS))
        reader.add(annotation(number, file, annotationText=draw.choice(QUOTES)))
    elif deed == 1:
        reader.change(item, deleted=1 - reader.raw[item].get("deleted", 0))
    elif deed == 2:
        reader.change(item, citationKey=draw.choice(("", f"own{number}", f"other{number}")))
    elif deed == 3:
        reader.attach(number, number, draw.choice(TEXTS))
    elif deed == 4:
        reader.add(note(number, item, f"<p>{draw.choice(QUOTES)}</p>"))
    elif mark in reader.raw and deed == 5:
        reader.change(mark, annotationComment=draw.choice(("When?", "Where?")))
    else:
        reader.raw.pop(mark, None)


def held(reader: Reader) -> dict[str, object]:
    """All that a project holds, but for keys that were, and in what order paths came."""
    project = reader.project()
    documents = {
        one.document_id: (
            sorted(source.path for source in one.sources),
            one.citation,
            one.held and one.held.model_copy(update={"former_keys": ()}),
            one.chunks,
            sorted(mark.key for mark in reader.world.annotations.annotations(
                project.id, one.document_id
            )),
        )
        for one in reader.stored()
    }  # fmt: skip
    with reader.world.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        passages = [
            (one.chunk.id, one.citation, one.marks, one.annotation) for one in collection.passages()
        ]
    return {"documents": documents, "passages": passages}


def stopped(reader: Reader, stopper: Stopper) -> Reader:
    """The reader over the same stores, whose writes the stopper counts."""
    world = reader.world
    assert isinstance(world.index, StoppingIndex)
    world.index.stopper = stopper
    counted: dict[str, Any] = {
        name: StoppingStore(getattr(world, name), stopper)
        for name in ("catalogue", "bundles", "annotations", "followed")
    }
    other = dataclasses.replace(reader)
    other.world = dataclasses.replace(world, **counted)
    return other


def sync_until(reader: Reader, stopper: Stopper) -> None:
    try:
        stopped(reader, stopper).sync()
    except Stopped:
        assert isinstance(reader.world.index, StoppingIndex)
        reader.world.index.stop()
    assert isinstance(reader.world.index, StoppingIndex)
    reader.world.index.stopper = Stopper(0)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    runs=st.lists(
        st.tuples(st.integers(1, 60), st.booleans(), st.booleans()), min_size=1, max_size=4
    ),
    forgets=st.booleans(),
)
@example(seed=80829, runs=[(1, False, False), (8, True, False), (1, False, False)], forgets=False)
def test_a_stopped_sync_and_its_rerun_are_as_one_undisturbed(
    seed: int, runs: list[tuple[int, bool, bool]], forgets: bool
) -> None:
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        data, index = Path(folder) / "Zotero", StoppingIndex()
        index.forgets = forgets
        followed = Reader(World(Path(folder) / "a", index=index), data)
        for at, stops, changes in runs:
            for _ in range(draw.randrange(1, 4)):
                change(followed, draw)
            meanwhile = (lambda: change(followed, draw)) if changes and not stops else None
            sync_until(followed, Stopper(at, stops=stops, then=meanwhile))
        followed.sync()
        new = Reader(World(Path(folder) / "b"), data, raw=followed.raw)
        new.sync()
        assert held(followed) == held(new)
        again = followed.sync().library
        assert again is not None
        assert again.unchanged


@pytest.mark.parametrize("name", ["0.md", "other.md"])
@pytest.mark.parametrize("text", TEXTS[::2])
@pytest.mark.parametrize("at", range(1, 16))
def test_a_file_changed_before_a_stop_leaves_with_its_item(
    tmp_path: Path, at: int, text: str, name: str
) -> None:
    """Its new content or name is with a document before its entry knows of it."""
    followed = Reader(World(tmp_path / "a", index=StoppingIndex()), tmp_path / "Zotero")
    for number in (0, 1):
        followed.paper(number, TEXTS[number])
    followed.sync()
    followed.attach(0, 0, text, filename=name)
    sync_until(followed, Stopper(at))
    followed.change(key(0, "W"), deleted=1)
    followed.sync()
    assert [[Path(source.path).name for source in one.sources] for one in followed.stored()] == [
        ["1.md"]
    ]


@pytest.mark.parametrize("at", range(1, 12))
def test_a_name_that_a_stopped_sync_saw_is_forgotten_if_the_file_has_its_old_one_again(
    tmp_path: Path, at: int
) -> None:
    followed = Reader(World(tmp_path / "a", index=StoppingIndex()), tmp_path / "Zotero")
    followed.paper(0, TEXTS[0])
    followed.sync()
    followed.attach(0, 0, TEXTS[0], filename="other.md")
    sync_until(followed, Stopper(at))
    followed.attach(0, 0, TEXTS[0])
    followed.sync()
    (document,) = followed.stored()
    assert [Path(source.path).name for source in document.sources] == ["0.md"]
    following = followed.followed.following(followed.project().id)
    assert following is not None
    assert not following.begun


@pytest.mark.parametrize("at", range(1, 21))
def test_a_text_that_comes_back_after_a_stop_while_it_was_removed_has_its_passages(
    tmp_path: Path, at: int
) -> None:
    followed = Reader(World(tmp_path / "a", index=StoppingIndex()), tmp_path / "Zotero")
    followed.paper(0, TEXTS[0])
    followed.sync()
    before = held(followed)["passages"]
    followed.attach(0, 0, TEXTS[1])
    sync_until(followed, Stopper(at))
    followed.attach(0, 0, TEXTS[0], filename="other.md")
    followed.sync()
    assert held(followed)["passages"] == before


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("at", range(1, 12))
def test_an_item_restored_after_a_stop_while_it_was_removed_has_its_passages(
    tmp_path: Path, at: int, forgets: bool
) -> None:
    index = StoppingIndex()
    index.forgets = forgets
    followed = Reader(World(tmp_path / "a", index=index), tmp_path / "Zotero")
    for number in (0, 1):
        followed.paper(number, TEXTS[number])
    followed.sync()
    before = held(followed)["passages"]
    followed.change(key(0, "W"), deleted=1)
    sync_until(followed, Stopper(at))
    followed.change(key(0, "W"), deleted=0)
    followed.sync()
    assert held(followed)["passages"] == before


@pytest.mark.parametrize("at", range(1, 5))
def test_a_sync_of_an_unchanged_library_restores_what_a_stopped_removal_began_to_remove(
    tmp_path: Path, at: int
) -> None:
    followed = Reader(World(tmp_path / "a", index=StoppingIndex()), tmp_path / "Zotero")
    followed.paper(0, TEXTS[0])
    followed.sync()
    before = held(followed)["passages"]
    remove = stopped(followed, Stopper(at)).world.projects.remove
    removal = remove.plan(followed.project().id, ["0.md"])
    with pytest.raises(Stopped):
        remove(removal, removal.name)
    assert isinstance(followed.world.index, StoppingIndex)
    followed.world.index.stopper = Stopper(0)
    followed.sync()
    assert held(followed)["passages"] == before
