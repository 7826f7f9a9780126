"""What is kept of the passages of the latest questions."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.search.edge.latest import Latest

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=6)


@given(st.lists(IDS, max_size=12), st.integers(0, 4))
def test_values_are_those_of_the_store_and_no_more_than_so_many_are_kept(questions, most):
    store = {id: object() for id in "abcdef"}
    latest = Latest(most)
    for ids in questions:
        found = latest.of(ids, lambda new: {id: store[id] for id in new if id in store})
        assert list(found) == [id for id in dict.fromkeys(ids) if id in store]
        assert all(found[id] is store[id] for id in found)
        assert len(latest) <= most


def test_the_longest_unused_goes_first_and_what_is_kept_is_not_read():
    latest, read = Latest(2), []

    def reading(ids):
        read.extend(ids)
        return dict.fromkeys(ids, 1)

    for ids in (["a"], ["b"], ["a"], ["c"], ["a", "b"]):
        latest.of(ids, reading)
    assert read == ["a", "b", "c", "b"]
    latest.clear()
    latest.of(["a"], reading)
    assert read[-1] == "a"
