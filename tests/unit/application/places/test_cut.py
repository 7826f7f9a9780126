"""The verb *cut*: what is meant, what is cut, what is refused, what is told."""

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.builders import A_DAY, Part, a_citation, a_document, heading, paragraph
from support.page_drawing import no_characters
from support.paged import PagedConverter
from support.paths import cases
from support.world import HERE, CountingConverter, World

from citeloom.application.documents.stores import SourceState
from citeloom.application.maps.marks import WordMarks
from citeloom.application.places.cut import Cut, Resolution, ResolveRequest
from citeloom.application.places.observe import Observe
from citeloom.application.ports.catalogue import SourceStamp, StoredDocument
from citeloom.application.ports.maps import Bookmark, CutRequest
from citeloom.domain.documents.conversion import Figure
from citeloom.domain.documents.fidelity import DocumentFidelity, compare_page
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import (
    DocumentNotFound,
    InvalidAddress,
    InvalidRequest,
    InvalidSource,
    NodeNotFound,
    SourceChanged,
    UnsupportedFormat,
)
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Location, Node, ResolvedEvidence, ResourceMap
from citeloom.domain.resources.observations import ObsChunk
from citeloom.infrastructure.ingest.source_files import DigestCachingFiles
from citeloom.infrastructure.maps.evidence.cutters import cutters
from citeloom.infrastructure.maps.evidence.store import FileEvidenceStore
from citeloom.infrastructure.mcp.handlers.maps import resolved
from citeloom.infrastructure.storage.small_files import ALONE, NoCopies

PAPER: Sequence[Part] = (
    heading("1 Ponds", 1, 1),
    paragraph("We measured ponds.", 1),
    heading("1.1 Results", 2, 2),
    paragraph("They cool\nthe street.", 2),
    heading("2 Ends", 1, 3),
    paragraph("It ends.", 3),
)
THIRTY = " ".join(f"word{n}" for n in range(30))


class WritingCutter:
    """Writes down what it is asked to cut."""

    version = "test-1"

    def __init__(self) -> None:
        self.cuts: list[CutRequest] = []
        self.passwords: list[str | None] = []
        self.warnings: list[str] = []

    def suffix(self, _source: Path, cut: CutRequest) -> str:
        return ".txt" if cut.texts else ".pdf"

    def write(
        self, source: Path, cut: CutRequest, password: str | None, target: Path
    ) -> Sequence[str]:
        self.cuts.append(cut)
        self.passwords.append(password)
        target.write_bytes(source.read_bytes())
        return self.warnings


class Desk:
    """A world with one paper, and the verb over it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.cutter = WritingCutter()
        self.converter = PagedConverter()
        self.files = DigestCachingFiles()
        self.evidence = world.folder / "library" / ".citeloom" / "evidence"
        self.paper = world.write("paper.v2.pdf", "as if this were a PDF")
        world.ingest(world.write("note.md", "# A note\n"))
        self.id = self.put(self.paper, a_document(PAPER, title="On ponds"))

    def put(self, path: Path, document: Any, **changes: Any) -> str:
        """Store the file as a document; its short id."""
        digest = sha256(path.read_bytes()).hexdigest()
        (template, *_) = self.world.stored()
        converted = document.model_copy(update={"doc_id": digest})
        size = path.stat().st_size
        self.world.bundles.save(converted, "converter")
        self.world.bundles.save_map(
            digest,
            map_document(converted, source_path=str(path), source_size=size, created_at=A_DAY),
        )
        values = {
            "document_id": digest,
            "mime_type": document.mime_type,
            "pages": document.page_count,
            "sources": (SourceStamp(path=str(path), size=size, mtime_ns=path.stat().st_mtime_ns),),
            "citation": a_citation("smith2020"),
        }
        stored: StoredDocument = template.model_copy(update=values | changes)
        self.world.catalogue.put_document(stored)
        return digest[:16]

    def put_map(self, resource: ResourceMap) -> None:
        """Replace the map of the paper."""
        (digest,) = (d.document_id for d in self.world.stored() if d.document_id[:16] == self.id)
        self.world.bundles.save_map(digest, resource)

    def resolve(self, name: str, node_id: str | None = None, **more: Any) -> Resolution:
        evidence = FileEvidenceStore(self.evidence)
        cut = Cut(
            places=self.world.application.resources.places,
            state=SourceState(self.files, NoCopies(ALONE)),
            evidence=evidence,
            copies=lambda: evidence,
            cutters={
                **{name: cutters()[name] for name in ("text", "virtual")},
                "document": self.cutter,
            },
            converter=lambda: self.converter,
            passwords={"paper*": "open"},
            marks=WordMarks(no_characters),
        )
        values = {"project_id": HERE, "name": name, "node_id": node_id} | more
        return cut.resolve(ResolveRequest.model_validate(values))


def part(location: Location) -> Node:
    return Node(id="f", type="part", location=location)


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


def test_evidence_has_the_fields_of_citekit(desk: Desk) -> None:
    evidence = desk.resolve("smith2020", "ponds.results").evidence
    assert list(ResolvedEvidence.model_fields) == [
        "output_path", "modality", "address", "node", "resource_id",
    ]  # fmt: skip
    assert (evidence.modality, evidence.resource_id) == ("document", desk.id)
    assert evidence.address == f"doc://{desk.id}#pages=2"
    assert evidence.node.title == "1.1 Results"
    assert evidence.output_path is not None
    path = Path(evidence.output_path)
    assert path.parent == desk.evidence
    assert path.name.startswith("paper.v2-")
    assert path.name.endswith("-pages-2.pdf")


def test_evidence_from_an_uncertain_page_has_a_mark(desk: Desk) -> None:
    compared = [compare_page(1, "It ends.", ["It ends."]), compare_page(2, THIRTY, ["other words"])]
    desk.put(
        desk.paper,
        a_document(PAPER, title="On ponds"),
        fidelity=DocumentFidelity.of(compared, [1, 2, 3]),
    )
    marks = {n: desk.resolve(f"doc://{desk.id}#pages={n}") for n in (1, 2, 3)}
    assert {n: found.text_uncertain for n, found in marks.items()} == {1: False, 2: True, 3: None}
    assert resolved(marks[2])["text_uncertain"] is True
    assert "text_uncertain" not in resolved(marks[1])


@pytest.mark.parametrize(
    ("name", "node_id"),
    [
        ("smith2020", "ponds.results"),
        ("smith2020 ponds.results", None),
        ("smith2020.ponds.results", None),
        ("paper.v2.pdf.ponds.results", None),
        ("paper.v2.pdf  ponds.results", None),
        ("10.5555/ponds ponds.results", None),
        ("ID.ponds.results", None),
        (" ID  ponds.results ", None),
        ("doc://ID#pages=2", None),
        ("doc://ID#pages=2-2", None),
        ("doc://smith2020#pages=2", None),
    ],
)
def test_a_node_is_named_in_many_ways(desk: Desk, name: str, node_id: str | None) -> None:
    found = desk.resolve(name.replace("ID", desk.id), node_id)
    assert found.evidence.node.id == "ponds.results"
    assert found == desk.resolve(desk.id, "ponds.results")
    assert len(desk.cutter.cuts) == 1


def test_a_place_that_is_no_one_node_gets_a_node_of_its_own(desk: Desk) -> None:
    found = desk.resolve(f"doc://{desk.id}#pages=2-3").evidence
    assert (found.node.id, found.node.type) == ("pages-2-3", "pages")
    (cut,) = desk.cutter.cuts
    assert cut.bookmarks == (
        Bookmark(title="1.1 Results", page=2),
        Bookmark(title="2 Ends", page=3),
    )


def test_pages_are_cut_in_the_order_listed_but_addressed_in_one_form(desk: Desk) -> None:
    found = desk.resolve(f"doc://{desk.id}#pages=3,1").evidence
    assert found.address == f"doc://{desk.id}#pages=1,3"
    assert desk.cutter.cuts[0].location.pages == (3, 1)


def test_a_node_is_cut_with_the_bookmarks_below_it(desk: Desk) -> None:
    desk.resolve("smith2020", "ponds")
    assert desk.cutter.cuts[0].bookmarks == (
        Bookmark(title="1 Ponds", page=1, children=(Bookmark(title="1.1 Results", page=2),)),
    )
    assert desk.cutter.cuts[0].title == "On ponds: 1 Ponds"
    assert desk.cutter.passwords == ["open"]


@pytest.mark.parametrize("virtual", [False, True])
@pytest.mark.parametrize(
    ("name", "node_id", "error", "message"),
    [
        ("nobody", "x", DocumentNotFound, "nobody: no such document in local/thesis; the nearest "
         "are "),
        ("nobody.x", None, DocumentNotFound, "nobody.x: no such document in local/thesis"),
        ("nobody", None, DocumentNotFound, "nobody: no such document in local/thesis"),
        ("doc://nobody#pages=1", None, DocumentNotFound, "doc://nobody#pages=1: no such document"),
        ("../../x", "y", DocumentNotFound, "../../x: no such document"),
        ("/etc/passwd", "y", DocumentNotFound, "/etc/passwd: no such document"),
        ("a\0b", "y", DocumentNotFound, "a\\x00b: no such document"),
        ("smith2020", "nope", NodeNotFound, "Node 'nope' not found in resource 'ID'. "
         "Available nodes: "),
        ("smith2020", "../x", NodeNotFound, "Node '../x' not found"),
        ("smith2020.nope", None, NodeNotFound, "Node 'nope' not found in resource 'ID'."),
        ("doc://../etc#pages=1", None, InvalidAddress, "doc://../etc#pages=1: no address: "),
        ("doc:///etc/passwd#pages=1", None, InvalidAddress, "absolute path"),
        ("doc://ID#pages=3-1", None, InvalidAddress, "reversed"),
        ("doc://ID#pages=2&t=1-2", None, InvalidAddress, "and that alone"),
        ("video://ID#t=1-2", None, InvalidRequest, "no places of type video"),
        ("nix://ID", None, InvalidAddress, "Unknown scheme 'nix'"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    desk: Desk,
    name: str,
    node_id: str | None,
    error: type[Exception],
    message: str,
    virtual: bool,
) -> None:
    with pytest.raises(error) as caught:
        desk.resolve(name.replace("ID", desk.id), node_id, virtual=virtual)
    assert message.replace("ID", desk.id) in str(caught.value)
    assert not desk.evidence.exists()


def test_a_virtual_place_needs_no_file(desk: Desk) -> None:
    found = desk.resolve("smith2020", "ponds.results", virtual=True)
    assert found.evidence.output_path is None
    assert found.evidence.address == f"doc://{desk.id}#pages=2"
    assert found.evidence.modality == "document"
    assert found.warnings == ()
    desk.paper.unlink()
    (warning,) = desk.resolve("smith2020", "ponds.results", virtual=True).warnings
    assert warning.endswith("paper.v2.pdf: the file is gone; put it back, or ingest it from its "
                            "new place")  # fmt: skip
    assert desk.cutter.cuts == []
    assert not desk.evidence.exists()


def test_of_a_document_without_pages_the_words_are_cut(desk: Desk, world: World) -> None:
    note = world.write(
        "notes.md", "# One\n\nOn ponds.\n\n## Two\n\nOn\nlooms.\n\n# Three\n\nEnd.\n"
    )
    world.ingest(note)
    found = desk.resolve("notes.md", "one")
    assert found.warnings == ()
    resource, path = found.evidence.resource_id, Path(str(found.evidence.output_path))
    assert found.evidence.address == f"virtual://{resource}#one"
    assert path.name.startswith("notes-")
    assert path.name.endswith("-one.txt")
    whole = desk.resolve(f"virtual://{resource}").evidence
    stored = next(d for d in world.stored() if d.document_id.startswith(resource))
    converted = world.bundles.load(stored.document_id)
    assert converted is not None
    text = converted.plain_text
    assert path.read_text("utf-8") == f"{text[: text.index('Three')].rstrip()}\n"
    assert Path(str(whole.output_path)).read_text("utf-8") == f"{text.rstrip()}\n"
    content = path.read_bytes()
    path.unlink()
    assert desk.resolve("virtual://notes.md#one") == found
    assert path.read_bytes() == content
    assert desk.resolve("notes.md", "one", virtual=True).evidence.output_path is None


def test_both_addresses_of_a_hit_open_the_same_words(desk: Desk, world: World) -> None:
    paragraphs = "\n\n".join(f"## Part {n}\n\n{f'The pond {n} is deep. ' * 60}" for n in range(4))
    note = world.write("ponds.md", f"# Ponds\n\n{paragraphs}\n")
    world.ingest(note)
    observe = Observe(catalogue=world.catalogue, bundles=world.bundles)
    hits = [one for one in world.query("deep pond", top_k=9).items if "pond" in one.text]
    assert len(hits) > 3
    for hit in hits:
        assert "#chunk=" in hit.address
        seen = observe(hit.knowledge_uri).observation
        assert isinstance(seen, ObsChunk)
        for project in (HERE, None):
            found = desk.resolve(hit.address, project_id=project)
            assert found.warnings == ()
            path = Path(str(found.evidence.output_path))
            assert path.read_text("utf-8") == f"{seen.text.rstrip()}\n"
        assert found.evidence.address == hit.address
        assert desk.resolve(hit.address, virtual=True).evidence.output_path is None
    with pytest.raises(NodeNotFound, match="no passage 999, it has "):
        desk.resolve(hits[0].address.partition("=")[0] + "=999")
    with pytest.raises(InvalidRequest, match="only pages of PDFs are marked"):
        desk.resolve(hits[0].address, quote="deep")
    note.write_text("other", encoding="utf-8")
    with pytest.raises(SourceChanged):
        desk.resolve(hits[0].address)
    with pytest.raises(InvalidRequest, match="of the file as it was"):
        desk.resolve(hits[0].address, allow_stale=True)


def test_words_of_a_changed_document_are_refused_or_read_anew(desk: Desk, world: World) -> None:
    note = world.write("notes.md", "# One\n\nOn ponds.\n")
    world.ingest(note)
    old = desk.resolve("notes.md", "one").evidence.output_path
    desk.converter = CountingConverter()  # type: ignore[assignment]
    note.write_text("# One\n\nOn looms.\n", encoding="utf-8")
    with pytest.raises(SourceChanged, match="changed since it was mapped"):
        desk.resolve("notes.md", "one")
    found = desk.resolve("notes.md", "one", allow_stale=True)
    assert found.evidence.output_path not in (None, old)
    assert "On looms." in Path(str(found.evidence.output_path)).read_text("utf-8")
    note.unlink()
    with pytest.raises(InvalidSource, match="the file is gone"):
        desk.resolve("notes.md", "one")


def test_virtual_places_of_no_file_are_never_cut(desk: Desk) -> None:
    (note,) = (d.document_id[:16] for d in desk.world.stored() if d.document_id[:16] != desk.id)
    for fragment in ("chunk=00", "nothing"):
        found = desk.resolve(f"virtual://{note}#{fragment}").evidence
        assert (found.node.type, found.output_path) == ("virtual", None)
    place = Location(modality="virtual", virtual_address="graph://7")
    desk.put_map(
        ResourceMap(
            resource_id=desk.id,
            type="virtual",
            title="A graph",
            source_path=str(desk.paper),
            nodes=(part(place),),
            metadata={"source_hash": sha256(desk.paper.read_bytes()).hexdigest()},
        )
    )
    assert desk.resolve(desk.id, "f").evidence.output_path is None


def test_the_whole_of_a_document_is_a_place_but_nothing_to_cut(desk: Desk) -> None:
    found = desk.resolve(f"doc://{desk.id}", virtual=True).evidence
    assert (found.node.id, found.address) == ("whole", f"doc://{desk.id}")


def test_pages_beyond_the_end_are_told_virtually_too(desk: Desk) -> None:
    (warning,) = desk.resolve(f"doc://{desk.id}#pages=2,99", virtual=True).warnings
    assert warning == "On ponds: no page 99, it has 3; left out"
    with pytest.raises(InvalidRequest, match="no page 99; it has 3"):
        desk.resolve(f"doc://{desk.id}#pages=99", virtual=True)


def test_a_modality_without_cutter_is_told(desk: Desk) -> None:
    desk.put_map(
        ResourceMap(
            resource_id=desk.id,
            type="image",
            title="A picture",
            source_path=str(desk.paper),
            nodes=(part(Location(modality="image", bbox=(0, 0, 1, 1))),),
        )
    )
    with pytest.raises(UnsupportedFormat, match="No resolver for modality: image"):
        desk.resolve(desk.id, "f")
    assert desk.resolve(desk.id, "f", virtual=True).evidence.modality == "image"


def test_a_changed_source_never_gives_an_old_slice(desk: Desk) -> None:
    old = desk.resolve("smith2020", "ponds").evidence.output_path
    stat = desk.paper.stat()
    desk.paper.write_bytes(desk.paper.read_bytes()[::-1])
    os.utime(desk.paper, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(SourceChanged, match="changed since it was mapped; ingest it again"):
        desk.resolve("smith2020", "ponds")
    found = desk.resolve("smith2020", "ponds", allow_stale=True)
    assert found.evidence.output_path not in (None, old)
    assert Path(str(found.evidence.output_path)).read_bytes() == desk.paper.read_bytes()
    assert [w.partition(": ")[2] for w in found.warnings] == [
        "changed since it was mapped: what was cut may be something else"
    ]


def test_a_changed_source_is_told_virtually(desk: Desk) -> None:
    desk.paper.write_text("longer than it was before", encoding="utf-8")
    (warning,) = desk.resolve("smith2020", "ponds", virtual=True).warnings
    assert warning.endswith("changed since it was mapped; ingest it again")


def test_a_source_with_another_time_but_the_same_content_is_no_other(desk: Desk) -> None:
    os.utime(desk.paper, (1, 1))
    assert desk.resolve("smith2020", "ponds", virtual=True).warnings == ()
    assert desk.resolve("smith2020", "ponds").warnings == ()


def test_a_deleted_source_is_named_with_what_to_do(desk: Desk) -> None:
    desk.paper.unlink()
    with pytest.raises(InvalidSource, match=r"paper\.v2\.pdf: the file is gone; put it back"):
        desk.resolve("smith2020", "ponds")
    assert not desk.evidence.exists()


def test_a_source_that_changes_while_it_is_cut_gives_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = desk.cutter.write

    def meddle(source: Path, cut: CutRequest, password: str | None, target: Path) -> Sequence[str]:
        said = write(source, cut, password, target)
        source.write_text("other", encoding="utf-8")
        return said

    monkeypatch.setattr(desk.cutter, "write", meddle)
    with pytest.raises(SourceChanged, match="changed while it was cut"):
        desk.resolve("smith2020", "ponds")
    assert list(desk.evidence.iterdir()) == []


def test_a_copy_elsewhere_serves_when_the_first_is_gone(desk: Desk, world: World) -> None:
    copy = world.write("copy.pdf", "as if this were a PDF")
    stored = next(d for d in world.stored() if d.document_id[:16] == desk.id)
    stamp = SourceStamp(path=str(copy), size=copy.stat().st_size, mtime_ns=1)
    world.catalogue.put_document(stored.model_copy(update={"sources": (*stored.sources, stamp)}))
    desk.paper.unlink()
    found = desk.resolve("smith2020", "ponds")
    assert "/copy-" in str(found.evidence.output_path)
    assert found.warnings == ()


def test_a_second_time_nothing_is_cut_but_warnings_are_told_again(desk: Desk) -> None:
    desk.cutter.warnings = ["page 99 was left out"]
    first = desk.resolve("smith2020", "ponds")
    assert desk.resolve("smith2020", "ponds") == first
    assert first.warnings == ("page 99 was left out",)
    assert len(desk.cutter.cuts) == 1


def test_marks_are_those_of_the_section_or_of_the_words(desk: Desk) -> None:
    desk.resolve("smith2020", "ponds.results", highlight=True)
    desk.resolve(f"doc://{desk.id}#pages=1-3", quote="They   cool the street.")
    section, words = desk.cutter.cuts
    assert [one.page for one in section.highlights] == [2, 2]
    assert words.highlights == section.highlights[1:]


def test_a_figure_is_marked_by_its_box(desk: Desk, world: World) -> None:
    boxes = [(100.0, 100.0, 200.0, 200.0), (100.0, 300.0, 200.0, 400.0)]
    captions = ["Figure 1: Ponds", "Figure 2: Streets"]
    figures = tuple(
        Figure(page=2, bbox=bbox, caption=caption)
        for bbox, caption in zip(boxes, captions, strict=True)
    )
    paper = a_document(PAPER).model_copy(update={"figures": figures})
    resource = desk.put(world.write("figures.pdf", "another"), paper, citation=None)
    node = Node(id="fig", title="Figure 2", type="figure", location=Location(
        modality="document", pages=(2,)))  # fmt: skip
    digest = next(d.document_id for d in world.stored() if d.document_id.startswith(resource))
    known = world.bundles.load_map(digest)
    assert known is not None
    world.bundles.save_map(digest, known.model_copy(update={"nodes": (*known.nodes, node)}))
    desk.resolve(resource, "fig", highlight=True)
    assert desk.cutter.cuts[-1].highlights == (Region(page=2, bbox=boxes[1]),)


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("doc://ID#pages=1-3", {"highlight": True}, "quote what to mark"),
        ("doc://ID#pages=1-3", {"quote": "no such words"}, "is not on these pages;"),
        ("doc://ID#pages=1", {"quote": "It ends."}, "they are on other pages"),
        ("doc://ID#pages=1", {"quote": " \n"}, "holds no words"),
        ("ID ends", {"highlight": True, "allow_stale": True}, "leave out highlight and quote"),
    ],
)
def test_marks_that_cannot_be_made_are_refused(
    desk: Desk, name: str, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        desk.resolve(name.replace("ID", desk.id), **more)
    assert message in str(caught.value)


def test_slides_are_cut_as_text_and_not_marked(desk: Desk, world: World) -> None:
    talk = world.write("talk.pptx", "as if these were slides")
    slides = a_document([heading("One", 1, 1), paragraph("Two.", 2)])
    structure = slides.structure
    entries = tuple(
        entry.model_copy(update={"spans": (block.span,)})
        for entry, block in zip(structure.page_map, slides.blocks, strict=True)
    )
    slides = slides.model_copy(
        update={
            "structure": structure.model_copy(update={"page_map": entries}),
            "mime_type": "application/vnd.ms-powerpoint",
        }
    )
    resource = desk.put(talk, slides, citation=None)
    path = desk.resolve(f"doc://{resource}#pages=2").evidence.output_path
    assert path is not None
    assert path.endswith("-pages-2.txt")
    assert [(one.page, one.text) for one in desk.cutter.cuts[0].texts] == [(1, "One"), (2, "Two.")]
    with pytest.raises(InvalidRequest, match="only pages of PDFs are marked"):
        desk.resolve(resource, "one", highlight=True)


def test_slides_that_no_project_holds_are_read_anew(desk: Desk, world: World) -> None:
    talk = world.write("talk.txt", "as if these were slides")
    world.bundles.save_map(
        "talk",
        ResourceMap(
            resource_id="talk",
            type="document",
            title="A talk",
            source_path=str(talk),
            nodes=(part(Location(modality="document", pages=(2,))),),
            metadata={"source_hash": sha256(talk.read_bytes()).hexdigest()},
        ),
    )
    path = desk.resolve("talk.f", project_id=None).evidence.output_path
    assert str(path).endswith("-pages-2.txt")
    assert [one.page for one in desk.cutter.cuts[0].texts] == [1, 2, 3]
    assert desk.converter.seen == ["talk.txt"]
    talk.rename(talk.with_suffix(".strange"))
    found = world.bundles.load_map("talk")
    assert found is not None
    world.bundles.save_map(
        "talk", found.model_copy(update={"source_path": str(talk.with_suffix(".strange"))})
    )
    with pytest.raises(UnsupportedFormat, match="not a document that can be read"):
        desk.resolve("talk.f", project_id=None)


def test_lines_of_a_text_are_cut(desk: Desk, world: World) -> None:
    code = world.write("a b.py", "one\ntwo\nthree\n")
    digest = sha256(code.read_bytes()).hexdigest()
    desk.put_map(
        ResourceMap(
            resource_id="code",
            type="text",
            title="Code",
            source_path=str(code),
            nodes=(part(Location(modality="text", lines=(2, 3))),),
            metadata={"source_hash": digest},
        )
    )
    evidence = desk.resolve(desk.id, "f").evidence
    assert evidence.output_path is not None
    assert Path(evidence.output_path).read_text("utf-8") == "two\nthree\n"
    assert evidence.address == "text://code#lines=2-3"


def test_without_a_project_all_are_looked_in_and_what_is_in_none(desk: Desk, world: World) -> None:
    assert desk.resolve("smith2020", "ends", project_id=None) == desk.resolve("smith2020", "ends")
    script = world.write("script.py", "one\ntwo\n")
    world.bundles.save_map(
        "script",
        ResourceMap(
            resource_id="script",
            type="text",
            title="script.py",
            source_path=str(script),
            nodes=(part(Location(modality="text", lines=(2, 2))),),
            metadata={"source_hash": sha256(script.read_bytes()).hexdigest(), "source_size": 8},
        ),
    )
    for name in ("script.f", "script f", "text://script#lines=2"):
        found = desk.resolve(name, project_id=None)
        assert found.warnings == ()
        assert Path(str(found.evidence.output_path)).read_text("utf-8") == "two\n"
    with pytest.raises(DocumentNotFound):
        desk.resolve("script.f")
    script.write_text("three\n", encoding="utf-8")
    (warning,) = desk.resolve("script.f", project_id=None, virtual=True).warnings
    assert "changed since it was mapped" in warning


def test_a_name_that_means_two_documents_is_refused_with_both(desk: Desk, world: World) -> None:
    other = world.write("other/paper.v2.pdf", "another paper of this name")
    desk.put(other, a_document(PAPER), citation=None)
    for name in ("paper.v2.pdf ends", "paper.v2.pdf.ends", "doc://paper.v2.pdf#pages=1"):
        for project in (HERE, None):
            with pytest.raises(DocumentNotFound, match="means 2 documents"):
                desk.resolve(name, project_id=project)


def test_a_map_that_names_no_content_is_doubted(desk: Desk) -> None:
    desk.put_map(
        ResourceMap(
            resource_id="other",
            type="text",
            title="Other",
            source_path=str(desk.paper),
            nodes=(part(Location(modality="text", lines=(1, 1))),),
        )
    )
    (warning,) = desk.resolve(desk.id, "f").warnings
    assert warning.endswith("its map does not say which content it was made of")


@pytest.mark.parametrize("path", ["", "relative.pdf", "/", "/dev/null", "/nowhere/x.pdf"])
def test_a_map_that_names_no_file_is_refused(desk: Desk, path: str) -> None:
    desk.put_map(
        ResourceMap(
            resource_id="other",
            type="text",
            title="Other",
            source_path=path,
            nodes=(part(Location(modality="text", lines=(1, 1))),),
        )
    )
    with pytest.raises(InvalidSource):
        desk.resolve(desk.id, "f")
    assert not desk.evidence.exists()


@pytest.mark.parametrize("row", cases("citekit_resource_map")["resolve"], ids=str)
def test_each_row_of_the_contract_resolves_or_is_refused(desk: Desk, row: dict[str, Any]) -> None:
    if "error" not in row:
        found = desk.resolve("smith2020", "ends", virtual=True).evidence
        assert (found.output_path, found.address) == (None, f"doc://{desk.id}#pages=3")
        return
    if row["when"] == "no resolver for modality":  # a test of its own above
        return
    if row["when"] == "unknown resource":  # the one message of all commands
        with pytest.raises(DocumentNotFound, match="r: no such document"):
            desk.resolve("r", "n")
        return
    with pytest.raises(NodeNotFound) as caught:
        desk.resolve("smith2020", "n")
    wanted = row["error"].replace("<n>", "n").replace("[...]", "").replace("<r>", desk.id)
    assert str(caught.value).startswith(wanted)
