"""Fingerprints of models, and a project's collections: one a model, shared with none."""

from datetime import UTC, datetime

from hypothesis import assume, given
from hypothesis import strategies as st

from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId

MODELS = st.builds(
    EmbeddingModel,
    name=st.text(min_size=1, max_size=8),
    dimension=st.integers(1, 2000),
    digest=st.text("0123456789abcdef", min_size=1, max_size=64),
    max_tokens=st.integers(8, 9000),
)
WORDS = st.text("aé~mf0.-_", min_size=1, max_size=8).map(lambda t: f"a{t.replace('~', '')}a")
IDS = st.tuples(WORDS, WORDS).map(lambda parts: ProjectId.parse("/".join(parts)))


def a_project(id: ProjectId, model: EmbeddingModel) -> Project:
    return Project(
        id=id,
        collection=id.collection,
        embedding_model=model,
        sparse_model="bm25",
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


@given(IDS, IDS, MODELS, MODELS, MODELS)
def test_no_two_projects_or_models_share_a_collection(
    one: ProjectId, two: ProjectId, first: EmbeddingModel, a: EmbeddingModel, b: EmbeddingModel
) -> None:
    assume(len({first, a, b}) == 3)
    mine = a_project(one, first)
    assert len({mine.index_of(model).collection for model in (first, a, b)}) == 3
    if one != two:
        theirs = a_project(two, first)
        assert mine.index_of(a).collection not in (theirs.collection, theirs.index_of(a).collection)
        assert mine.collection != theirs.index_of(a).collection


@given(IDS, MODELS, MODELS)
def test_switching_there_and_back_gives_the_same_project(
    id: ProjectId, a: EmbeddingModel, b: EmbeddingModel
) -> None:
    assume(a != b)
    project = a_project(id, a)
    there = project.switched_to(project.index_of(b))
    assert (there.embedding_model, [o.model for o in there.others]) == (b, [a])
    assert there.index_of(a).collection == project.collection
    back = there.switched_to(there.index_of(a))
    assert back.model_copy(update={"others": ()}) == project
    assert back.index_of(b).collection == there.collection
    assert set(back.collections) == set(there.collections)


def test_models_with_other_weights_have_other_fingerprints() -> None:
    one = EmbeddingModel(name="m", dimension=3, digest="a" * 64, max_tokens=256)
    other = one.model_copy(update={"digest": "b" * 64})
    assert one.fingerprint == "m@3:" + "a" * 16
    assert one.fingerprint != other.fingerprint
