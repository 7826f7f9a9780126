"""What is kept of the passages of the latest questions."""

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.search.edge.collection import Latest

IDS = st.tuples(st.sampled_from("xy"), st.lists(st.sampled_from("abcdefgh"), max_size=6))


@given(st.lists(IDS, max_size=12), st.integers(0, 4))
def test_values_are_those_of_the_owner_and_no_more_than_so_many_are_kept(questions, most):
    stores = {owner: {id: object() for id in "abcdef"} for owner in "xy"}
    latest, past = Latest(most), []
    for owner, ids in questions:
        store, read = stores[owner], []

        def reading(new, store=store, read=read):
            read.extend(new)
            return {id: store[id] for id in new if id in store}

        found = latest.of(owner, ids, reading)
        assert list(found) == [id for id in dict.fromkeys(ids) if id in store]
        assert all(found[id] is store[id] for id in found)
        # The latest of both owners together are not read.
        kept = list(dict.fromkeys(reversed(past)))[:most]
        assert set(read) == {id for id in ids if (owner, id) not in kept}
        past += [(owner, id) for id in found]


def test_the_longest_unused_goes_first_and_what_is_kept_is_not_read():
    latest, read = Latest(2), []

    def reading(ids):
        read.extend(ids)
        return dict.fromkeys(ids, 1)

    for ids in (["a"], ["b"], ["a"], ["c"], ["a", "b"]):
        latest.of("x", ids, reading)
    assert read == ["a", "b", "c", "b"]
    latest.of("y", ["a"], reading)
    latest.of("x", ["b", "a"], reading)
    assert read[4:] == ["a", "a"]
