"""Published papers, through the installed command: keys, pages, sections."""

import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.command_line import inside
from support.files.real_papers import JOSE, Ingested, jose_truth

from citeloom.domain.references.entries.reference_list import cited_works
from citeloom.domain.references.works import LinkTarget, ReferenceLinker
from citeloom.infrastructure.ingest.bundles import FileBundleStore
from citeloom.infrastructure.storage.blobs import FolderBlobs

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not JOSE.is_dir(), reason=f"the papers are not at {JOSE}"),
]


@pytest.fixture(scope="module")
def workspace(jose: Ingested) -> Path:
    return jose.workspace


@pytest.fixture(scope="module")
def ingested(jose: Ingested) -> dict[str, Any]:
    return jose.result


@pytest.fixture(scope="module")
def passages(workspace: Path, ingested: dict[str, Any]) -> list[dict[str, Any]]:
    done = inside("inspect", "-p", "jose", "--sample", "all", "--json", workspace=workspace)
    found: list[dict[str, Any]] = done.json["samples"]
    return found


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]{3,}", unicodedata.normalize("NFKD", text).lower())


@cache
def page_words(pdf: str, page: int) -> Counter[str]:
    """Words of a page by an independent reader, hyphens at line ends joined either way."""
    document = pypdfium2.PdfDocument(pdf)
    text = document[page - 1].get_textpage().get_text_bounded()
    joined = re.sub(r"[-­￾‐]\s*\r?\n\s*", "", text)
    return Counter(words(text)) | Counter(words(joined))


def test_every_paper_has_its_own_key(ingested: dict[str, Any]) -> None:
    truth = jose_truth()
    got = {Path(d["source"]).name: d["citekey"] for d in ingested["documents"]}
    assert got == {name: entry["citekey"] for name, entry in truth.items()}
    assert {d["status"] for d in ingested["documents"]} == {"added"}


def test_the_words_of_a_passage_are_on_the_pages_it_names(passages: list[dict[str, Any]]) -> None:
    total = found = 0
    for item in passages:
        first, last = item["page_span"]
        there: Counter[str] = Counter()
        for page in range(first, last + 1):
            there += page_words(item["source_path"], page)
        wanted = Counter(words(item["text"]))
        total += wanted.total()
        found += sum(min(count, there[word]) for word, count in wanted.items())
    assert found >= 0.99 * total


def test_passages_name_few_pages_and_their_section(passages: list[dict[str, Any]]) -> None:
    spans = [item["page_span"] for item in passages]
    assert sum(last - first + 1 for first, last in spans) <= 1.5 * len(spans)
    assert sum(bool(item["section_path"]) for item in passages) >= 0.95 * len(passages)


def test_of_the_cited_dois_that_a_library_has_all_are_found_and_no_others(
    workspace: Path, ingested: dict[str, Any]
) -> None:
    truth = jose_truth()
    cited = {
        name: {doi.lower() for doi in paper["cited_dois"] or ()} for name, paper in truth.items()
    }
    # As if the library had all works that any of the papers cites.
    linker = ReferenceLinker(
        LinkTarget(uri=doi, identifiers=(doi,)) for doi in sorted(set().union(*cited.values()))
    )
    files = workspace / ".citeloom"
    store = FileBundleStore(FolderBlobs(files / "bundles"), FolderBlobs(files / "maps"))
    found = {}
    for one in ingested["documents"]:
        name = Path(one["source"]).name
        if truth[name]["cited_dois"] is not None:
            document = store.load(one["document_id"])
            assert document is not None
            links = map(linker.link, cited_works(document))
            found[name] = {link.uri for link in links if link}
    assert found == {name: cited[name] for name in found}
    assert sum(map(len, found.values())) > 30


def test_papers_that_cite_each_other_are_related(workspace: Path, ingested: dict[str, Any]) -> None:
    graph = inside(
        "relations", "ndk://file/proj-local-jose/-", "--kind", "link", "--json", workspace=workspace
    ).json
    names = {node["uri"]: node["name"] for node in graph["nodes"]}
    links = [tuple(names[end] for end in one["ends"]) for one in graph["relations"]]
    assert links == [("lechtenborgerEmacs2019", "roOrg2019")]
