"""Nandam's model, row by row; ``specs/decisions/0014`` and ``0020`` say what is done otherwise
here, and why. Its URIs are in ``test_knowledge_uris.py``."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from support.builders import A_DAY
from support.cases import each
from support.documents import PAPER
from support.in_memory.stores import InMemoryLabelStore
from support.paths import cases
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.places.observe import Observe, Observed, ResourceLabels
from citeloom.application.places.relations import Relations
from citeloom.domain.documents.conversion import ConversionResult, Figure
from citeloom.domain.errors import CiteLoomError, DocumentFailed, Refused, Unavailable, UsageError
from citeloom.domain.resources.metadata import (
    DESCRIPTION,
    PLACEHOLDER,
    LoadMode,
    Refresh,
    Relation,
    RelationKind,
    RelationMisc,
    ResourceAttrs,
    ResourceLabel,
    snake_name,
    stale,
)
from citeloom.domain.resources.observations import (
    ObsBody,
    ObsChunk,
    ObsCollection,
    ObsFile,
    ObsMedia,
    ObsPlain,
    render_body,
    render_info,
)
from citeloom.domain.resources.reading_chunks import READING_TOKENS, cut_for_reading
from citeloom.domain.resources.uris import (
    AFFORDANCES,
    SuffixKind,
    chunk,
    document_uri,
    parse_suffix,
)

CASES: dict[str, Any] = cases("nandam_model")
CITING = (
    "\n\n## References\n\nSzelkuti, O. (2020). Ponds cool the street. Journal of Ponds, 3, 1-9. "
    "https://doi.org/10.5555/ponds\n"
)
# Sections of which nothing is taken over: no model makes labels here, nothing is stored twice,
# and there is no HTTP interface yet.
NOT_OURS = {"http"}


def test_every_section_of_the_table_has_its_tests() -> None:
    assert set(CASES) - NOT_OURS == {
        "affordances", "observations", "chunking_defaults", "chunking_algorithm_facts",
        "chunk_tree_fixture", "render", "relations", "relation_rules", "attrs", "staleness",
        "load_mode", "labels", "label_name_normalize_derived", "update_merge", "error_kinds",
    }  # fmt: skip


@each("row", CASES["affordances"], ids=lambda row: row["suffix"])
def test_affordances_and_what_is_seen_within_them(row: dict[str, Any]) -> None:
    suffix = parse_suffix(row["suffix"])
    assert suffix.is_affordance
    assert len(CASES["affordances"]) == len(AFFORDANCES)
    examples = {"$chunk/*": "$chunk/01", "$media/*": "$media/a.png", "$file/{path}": "$file/a.tex"}
    within = {text for text in examples.values() if suffix.holds(parse_suffix(text))}
    assert within == {examples[child] for child in row["children"]}


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS + CITING)
    world.ingest(references=world.cite(an_item("szelkuti2020", "10.5555/ponds", keyword="Heat")))
    return world


def uri_of(world: World, name: str = "ponds.md") -> str:
    document = world.document(name)
    return str(document_uri(HERE, document.document_id))


def converted(world: World, name: str = "ponds.md") -> ConversionResult:
    document = world.document(name)
    return world.conversion(document.document_id)


def observe(world: World, uri: str) -> Observed:
    return Observe(catalogue=world.catalogue, bundles=world.bundles)(uri)


@pytest.mark.parametrize("suffix", CASES["observations"])
def test_each_observable_has_its_observation(library: World, suffix: str) -> None:
    figure = Figure(page=1, bbox=(0, 0, 1, 1), caption="Figure 1: A pond.")
    made = converted(library).model_copy(update={"figures": (figure,)})
    library.bundles.save(made, "converter")
    kind = SuffixKind(suffix.strip("$*/"))
    name = {
        SuffixKind.CHUNK: "$chunk",
        SuffixKind.MEDIA: "$media/figure-1.png",
        SuffixKind.FILE: "$file",
    }
    resource = uri_of(library)
    if kind is SuffixKind.COLLECTION:
        resource = f"{resource.rpartition('/')[0]}/-"
    seen = observe(library, f"{resource}/{name.get(kind, suffix)}").observation
    if kind is SuffixKind.BODY:
        assert isinstance(seen, ObsBody)
        assert seen.chunk is not None
    elif kind is SuffixKind.CHUNK:
        assert isinstance(seen, ObsChunk)
        assert "## Results" in seen.text
    elif kind is SuffixKind.MEDIA:
        assert isinstance(seen, ObsMedia)
        assert seen.placeholder == "Figure 1: A pond."
    elif kind is SuffixKind.COLLECTION:
        assert isinstance(seen, ObsCollection)
        assert uri_of(library) in [one.uri for one in seen.resources]
    elif kind is SuffixKind.FILE:  # on this machine, so that its path is what a download URL is
        assert isinstance(seen, ObsFile)
        assert Path(seen.path).name == "ponds.md"
    else:
        assert isinstance(seen, ObsPlain)
        assert (seen.text, seen.mime_type) == (made.plain_text, "text/plain")


def test_the_budget_is_the_one_that_the_document_says() -> None:
    defaults = CASES["chunking_defaults"]
    assert defaults["seed_doc_says_tokens"] == READING_TOKENS


@each("row", CASES["chunk_tree_fixture"]["cases"], ids=lambda r: r["max_tokens"])
def test_a_paper_of_the_fixtures_proportions_is_cut_like_it(row: dict[str, Any]) -> None:
    cut = cut_for_reading(PAPER, row["max_tokens"])
    assert [str(chunk(*one.indexes)) for one in cut.chunks] == row["uris"]
    assert [[list(one.indexes), one.title] for one in cut.sections] == row["sections"]


def test_a_paragraph_that_is_too_large_is_cut_here() -> None:
    """The last of the facts is an open point of the original; the others are in
    ``test_cutting.py``."""
    assert "NOT split" in CASES["chunking_algorithm_facts"][-1]
    cut = cut_for_reading(PAPER, 500)
    assert max(one.tokens for one in cut.chunks) <= 500


def test_observations_render_in_the_shapes_of_the_contract() -> None:
    part = ObsChunk(uri="URI/$chunk/NN", document="URI", text="It says.")
    body = ObsBody(uri="URI/$body", document="URI", description="...", chunk=part)
    plain = ObsPlain(uri="URI/$plain", mime_type="text/markdown", text="...")
    media = ObsMedia(uri="...", mime_type="image/png", placeholder="placeholder")
    rendered = {
        "info": render_info(body),
        "body": render_body(body),
        "plain": render_body(plain),
        "media_unsupported": render_body(media),
    }
    assert rendered.keys() == CASES["render"].keys()
    for name, shape in CASES["render"].items():
        pattern = r"\s*".join(".*" if one == "..." else re.escape(one) for one in _pieces(shape))
        assert re.fullmatch(pattern, rendered[name], re.DOTALL), name


def _pieces(shape: str) -> list[str]:
    """Tags, fences and words of a shape; ``...`` is anything."""
    return re.findall(r"<[^>]+>|```(?:markdown)?|\.\.\.|\w+", shape)


@each("row", CASES["relations"], ids=lambda row: row["kind"])
def test_relations_have_the_fields_and_ends(row: dict[str, Any]) -> None:
    kinds = {one.model_fields["kind"].default: one for one in get_args(get_args(Relation)[0])}
    assert set(kinds) == {one["kind"] for one in CASES["relations"]} == set(RelationKind)
    model = kinds[row["kind"]]
    assert [name for name in model.model_fields if name != "kind"] == row["fields"]
    given = {name: f"ndk://file/p/{name}" for name in row["fields"]} | {"subkind": "a"}
    made = model(**{name: given[name] for name in row["fields"]})
    assert len(made.ends) == 2
    shown = {**given, "source": given.get("source", ""), "target": given.get("target", "")}
    if "targets" in row:
        assert made.ends == (shown[row["source"]], shown[row["targets"][0]])
    with_suffix = given | {row["fields"][-1]: "ndk://file/p/a/$body"}
    if row["node_type"] == "any knowledge URI":
        assert model(**{name: with_suffix[name] for name in row["fields"]})
    else:
        with pytest.raises(ValueError, match="is not a resource"):
            model(**{name: with_suffix[name] for name in row["fields"]})


def test_relations_obey_the_three_rules_of_the_contract(library: World) -> None:
    assert len(CASES["relation_rules"]) == 3
    a, b = "ndk://file/p/a", "ndk://file/p/b"
    one, same = (RelationMisc(subkind=kind, source=a, target=b) for kind in ("Is Part!", "is_part"))
    assert one.id == same.id
    assert re.fullmatch(r"misc-[0-9a-f]{32}", one.id)
    relations = Relations(documents=library.documents, bundles=library.bundles)
    ends = [uri_of(library, name) for name in ("grids.md", "ponds.md")]
    found = [relations(end, RelationKind.LINK).relations for end in ends]
    assert found[0] == found[1] != ()


def test_attributes_and_when_they_are_stale() -> None:
    assert list(ResourceAttrs.model_fields) == CASES["attrs"]
    known = ResourceAttrs(name="A", revision_data="1", revision_meta="1", updated_at=A_DAY)
    actions = {"re-fetch content": Refresh.CONTENT, "refresh metadata": Refresh.METADATA}
    for row in CASES["staleness"]:
        changed = next((key for key in row if row[key] == "changed"), None)
        if changed:
            now = known.model_copy(update={changed: "2"})
            assert stale(known, now) == {actions[row["action"]]}
        else:
            assert row == {"both": "absent", "action": "compare updated_at"}
            bare = ResourceAttrs(name="A", updated_at=A_DAY)
            assert not stale(bare, bare)
            assert stale(bare, bare.model_copy(update={"updated_at": None}))
    assert set(CASES["load_mode"]) == set(LoadMode)


def test_labels_have_the_fields_and_names_of_the_contract() -> None:
    row = CASES["labels"]
    assert [one.split()[0] for one in row["defaults"]] == [DESCRIPTION, PLACEHOLDER]
    fields = row["storage"].strip("()").replace("target observable", "target").split(", ")
    assert set(ResourceLabel.model_fields) == set(fields)
    for one in CASES["label_name_normalize_derived"]:
        assert snake_name(one["in"]) == one["out"]


@pytest.mark.parametrize(("what", "rule"), CASES["update_merge"].items())
def test_what_becomes_of_an_update(library: World, what: str, rule: str) -> None:
    """Nothing is merged, for nothing is stored but labels; what follows from an update is what
    the rule says."""
    uri = uri_of(library)
    labelling = ResourceLabels(
        catalogue=library.catalogue,
        labels=InMemoryLabelStore(),
        observe=Observe(catalogue=library.catalogue, bundles=library.bundles),
    )
    labelling.put(uri, "mood", "good")
    before = observe(library, uri)
    if what == "attributes":
        assert rule == "replace affected fields"
        item = an_item("szelkuti2020", "10.5555/ponds", title="Ponds, anew")
        library.ingest(references=library.cite(item))
        now = observe(library, uri).attributes
        assert now.name == "Ponds, anew"
        kept = {"mime_type", "description", "citation_url", "revision_data"}
        assert now.model_dump(include=kept) == before.attributes.model_dump(include=kept)
        assert now.revision_meta != before.attributes.revision_meta
        return
    if what == "aliases":
        assert rule == "union"
        copy = library.write("copy/ponds.md", PONDS)
        library.ingest(copy)
        assert set(observe(library, uri).aliases) == {*before.aliases, str(copy)}
        return
    if what == "labels":
        assert rule == "union"
        library.ingest(force=True)
        names = {(one.target.removeprefix(uri), one.name) for one in labelling(uri)}
        assert names >= {("/$body", "mood"), ("/$body", "description"), ("/$chunk", "description")}
        return
    assert rule == "replace"
    anew = converted(library, "grids.md")
    text = anew.plain_text
    blocks = tuple(one for one in anew.blocks if "doi.org" not in anew.text_of(one.span))
    masked = text.replace("https://doi.org/10.5555/ponds", "x" * 29)
    masked = masked.replace("Ponds cool the street", "x" * 21)
    relations = Relations(documents=library.documents, bundles=library.bundles)
    assert relations(uri, RelationKind.LINK).relations
    update = {"plain_text": masked, "blocks": blocks}
    library.bundles.save(anew.model_copy(update=update), "converter")
    if what == "relations":
        assert relations(uri, RelationKind.LINK).relations == ()
    else:
        assert what == "affordances"
        seen = observe(library, f"{uri_of(library, 'grids.md')}/$plain").observation
        assert isinstance(seen, ObsPlain)
        assert seen.text == masked != text


def test_each_kind_of_error_is_a_branch_of_the_tree() -> None:
    """``action`` is not an error here; each other kind is a branch of the tree, which says what to
    do next."""
    branches: dict[str, tuple[type[CiteLoomError], ...]] = {
        "normal": (UsageError, Refused, DocumentFailed),
        "retryable": (Unavailable,),
        "runtime": (CiteLoomError,),
    }
    assert {*branches, "action"} == set(CASES["error_kinds"])
    below = [one for kind in ("normal", "retryable") for one in branches[kind]]
    assert {one.__mro__[1] for one in below} == {CiteLoomError}
    assert len({one.exit_code for one in below}) == len(below)
