"""The names of a stored document, by which the catalogue finds it."""

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.naming.names import (
    Name,
    NameKind,
    citation_key,
    identifiers_in,
    label,
    nfc,
    source_names,
)


def names_of(document: StoredDocument) -> frozenset[Name]:
    """The names of ``document``, besides its id."""
    texts = list(document.identifiers)
    names: set[Name] = set(source_names(source.path for source in document.sources))
    if citation := document.citation:
        texts += [text for text in (citation.doi, citation.url) if text]
        names |= {citation_key(citation.citekey), label(citation.citekey)}
        if citation.item_key:
            names.add((NameKind.ITEM, citation.item_key))
    if record := document.held:
        keys = [*record.former_keys, *(alternative.citekey for alternative in record.alternatives)]
        names.update(label(key) for key in keys)
        names.update((NameKind.ITEM, alternative.item_key) for alternative in record.alternatives)
    for text in texts:
        names.update(_of_works(text))
    return frozenset(names)


def own_identifiers(document: StoredDocument) -> frozenset[Name]:
    """Those of its citation and the first one of its file; the others it may only mention."""
    citation = document.citation
    given = [citation.doi, citation.url] if citation else []
    texts = [text for text in (*given, *document.identifiers[:1]) if text]
    return frozenset(name for text in texts for name in _of_works(text))


def _of_works(text: str) -> set[Name]:
    return {name for name in identifiers_in(nfc(text)) if name[0] is not NameKind.ITEM}
