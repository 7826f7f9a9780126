"""Several reference files as one: an entry of a work that an earlier file has is passed over."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from citeloom.domain.citation.metadata import CitationMeta

from .identifiers import letters_and_digits
from .provisional import free_key
from .work_versions import identifiers_of, is_corrected, is_same_publication


class MergedEntries(NamedTuple):
    """``items`` of all files, each work once, each under a key of its own. ``keys`` are, for each
    file, those of ``items`` by the keys of its entries. ``passed_over`` counts its entries of works
    that an earlier file has, ``renamed`` are its entries whose key another work has: old, new."""

    items: tuple[CitationMeta, ...]
    keys: tuple[dict[str, str], ...]
    passed_over: tuple[int, ...]
    renamed: tuple[tuple[tuple[str, str], ...], ...]


def merge_entries(files: Sequence[Sequence[CitationMeta]]) -> MergedEntries:
    """The first file wins: ``files`` are in the order of precedence."""
    items: dict[str, CitationMeta] = {}
    by_name: dict[str, list[CitationMeta]] = defaultdict(list)
    keys: list[dict[str, str]] = []
    passed_over, renamed = list[int](), list[tuple[tuple[str, str], ...]]()
    for entries in files:
        earlier = dict(items)
        of_file: dict[str, str] = {}
        for entry in entries:
            same = _same(entry, by_name, earlier)
            key = same.citekey if same else free_key(entry.citekey, items.__contains__)
            of_file[entry.citekey] = key
            if same is None:
                kept = entry if key == entry.citekey else entry.model_copy(update={"citekey": key})
                items[key] = kept
                for name in _names(kept):
                    by_name[name].append(kept)
        keys.append(of_file)
        passed_over.append(sum(key in earlier for key in of_file.values()))
        renamed.append(
            tuple((old, new) for old, new in of_file.items() if old != new and new not in earlier)
        )
    return MergedEntries(tuple(items.values()), tuple(keys), tuple(passed_over), tuple(renamed))


def _same(
    entry: CitationMeta,
    by_name: Mapping[str, Sequence[CitationMeta]],
    earlier: Mapping[str, CitationMeta],
) -> CitationMeta | None:
    of_key = earlier.get(entry.citekey)
    if of_key is not None and is_corrected(entry, of_key):
        return of_key
    found = (one for name in _names(entry) for one in by_name.get(name, ()))
    return next(
        (one for one in found if one.citekey in earlier and is_same_publication(entry, one)), None
    )


def _names(entry: CitationMeta) -> Iterator[str]:
    yield from identifiers_of(entry)
    yield letters_and_digits(entry.title)
