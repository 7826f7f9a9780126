"""Every catalogue does the same: in memory, on SQLite, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.in_memory.stores import InMemoryCatalogue
from support.stores.catalogues import (
    HERE,
    ID_A,
    ID_B,
    ID_C,
    STORES,
    THERE,
    a_citation,
    a_document,
    a_project,
    stamp,
)

from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import (
    UNFINISHED,
    Catalogue,
    CatalogueAmounts,
    IndexedDocument,
    ProjectState,
    SourceStamp,
)
from citeloom.domain.documents.fidelity import DocumentFidelity, PageFidelity
from citeloom.domain.errors import (
    DocumentNotFound,
    InvalidRequest,
    ProjectChanged,
    ProjectExists,
    ProjectNotFound,
)
from citeloom.domain.library import AlternativeCitation, DocumentRole, KeySource, LibraryRecord
from citeloom.domain.naming import citation_key, file_name, label, path_name
from citeloom.domain.projects.project import (
    EmbeddingModel,
    IndexLayout,
    IndexPlace,
    ModelIndex,
    ProjectId,
    RetrievalSettings,
)
from citeloom.infrastructure.storage.catalogue import SqlCatalogue


@pytest.fixture(params=STORES)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Catalogue]]:
    """Opens the same catalogue, as another process would where there can be one."""
    if request.param == "memory":
        memory = InMemoryCatalogue()
        yield lambda: memory
        return
    url = f"sqlite:///{tmp_path / '.citeloom' / 'catalogue.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    opened: list[SqlCatalogue] = []

    def open_it() -> Catalogue:
        opened.append(SqlCatalogue(url))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()


@pytest.fixture
def catalogue(reopen: Callable[[], Catalogue]) -> Catalogue:
    return reopen()


def ids(documents: object) -> list[str]:
    return [one.document_id for one in documents]  # type: ignore[attr-defined]


def named(catalogue: Catalogue, name: str, project_id: ProjectId = HERE) -> list[str]:
    """Ids of the documents that a name means, by both lookups of the catalogue."""
    try:
        return ids(DocumentFinder(catalogue).among(name, [project_id]))
    except DocumentNotFound as error:
        return list(error.details.get("options", ()))
    except InvalidRequest:
        return []


class TestProjects:
    def test_nothing_was_written_yet(self, catalogue: Catalogue) -> None:
        assert list(catalogue.projects()) == []
        assert list(catalogue.documents(HERE)) == []
        assert catalogue.document(HERE, ID_A) is None
        assert named(catalogue, "key") == []
        assert not catalogue.used_elsewhere(HERE, ID_A)
        with pytest.raises(ProjectNotFound, match="no projects yet"):
            catalogue.project(HERE)

    def test_every_field_survives_storing(self, reopen: Callable[[], Catalogue]) -> None:
        project = a_project(
            references_json=Path("refs/library.json"),
            folders=(Path("/papers"), Path("/more, of them")),
            hybrid_enabled=False,
        )
        reopen().add_project(project)
        assert reopen().project(HERE) == project
        assert list(reopen().projects()) == [project]

    def test_projects_are_listed_by_id(self, catalogue: Catalogue) -> None:
        for one in (THERE, HERE):
            catalogue.add_project(a_project(one))
        assert [one.id for one in catalogue.projects()] == [HERE, THERE]

    @pytest.mark.parametrize("again", ["thesis", "THESIS", "Local/Thesis"])
    def test_a_name_is_taken_in_any_case(self, catalogue: Catalogue, again: str) -> None:
        catalogue.add_project(a_project())
        with pytest.raises(ProjectExists, match="local/thesis"):
            catalogue.add_project(a_project(ProjectId.parse(again)))
        assert len(catalogue.projects()) == 1

    def test_an_unknown_project_is_told_which_there_are(self, catalogue: Catalogue) -> None:
        catalogue.add_project(a_project(THERE))
        with pytest.raises(ProjectNotFound) as raised:
            catalogue.project(HERE)
        assert raised.value.details["available_projects"] == ["other/thesis"]

    def test_an_updated_project_keeps_its_documents_and_an_unknown_one_is_refused(
        self, catalogue: Catalogue
    ) -> None:
        catalogue.add_project(a_project())
        catalogue.put_document(a_document())
        catalogue.update_project(changed := a_project(sparse_model="bm25-v2"))
        assert catalogue.project(HERE) == changed
        assert ids(catalogue.documents(HERE)) == [ID_A]
        with pytest.raises(ProjectNotFound):
            catalogue.update_project(a_project(THERE))

    def test_delete_takes_the_documents_along(self, catalogue: Catalogue) -> None:
        catalogue.add_project(a_project())
        catalogue.put_document(a_document(citation=a_citation()))
        catalogue.delete_project(HERE)
        with pytest.raises(ProjectNotFound):
            catalogue.delete_project(HERE)
        catalogue.add_project(a_project())
        assert list(catalogue.documents(HERE)) == []
        assert named(catalogue, "Ångström:2020") == []


class TestDocuments:
    @pytest.fixture(autouse=True)
    def _projects(self, catalogue: Catalogue) -> None:
        catalogue.add_project(a_project(HERE))
        catalogue.add_project(a_project(THERE))

    def test_every_field_survives_storing(self, reopen: Callable[[], Catalogue]) -> None:
        document = a_document(
            citation=a_citation(item_key="ABCD2345"),
            citation_how="doi",
            warnings=("page 3 has no text", "“odd”"),
            sources=(stamp("/z/b.pdf"), stamp("/a/ç.pdf", size=0)),
        )
        reopen().put_document(document)
        assert reopen().document(HERE, ID_A) == document
        assert list(reopen().documents(HERE)) == [document]

    def test_a_document_without_title_language_identifiers_and_sources_is_stored(
        self, catalogue: Catalogue
    ) -> None:
        document = a_document(title=None, language=None, identifiers=(), sources=())
        catalogue.put_document(document)
        assert catalogue.document(HERE, ID_A) == document

    def test_documents_are_listed_by_id(self, catalogue: Catalogue) -> None:
        for one in (ID_C, ID_A, ID_B):
            catalogue.put_document(a_document(one))
        assert ids(catalogue.documents(HERE)) == [ID_A, ID_B, ID_C]

    def test_passages_are_those_of_all_documents(self, catalogue: Catalogue) -> None:
        assert catalogue.passages(HERE) == 0
        catalogue.put_document(a_document(ID_A, chunks=3))
        catalogue.put_document(a_document(ID_B, chunks=4))
        assert catalogue.passages(HERE) == 7
        assert catalogue.passages(ProjectId.parse("none")) == 0

    def test_amounts_are_of_one_project_or_of_all(self, catalogue: Catalogue) -> None:
        assert catalogue.amounts() == CatalogueAmounts(projects=2)
        moved = (stamp("/old/a.pdf", 50), stamp("/new/a.pdf", 70))
        catalogue.put_document(a_document(ID_A, chunks=3, sources=moved))
        catalogue.put_document(a_document(ID_B, chunks=4, sources=()))
        there = a_document(ID_A, project_id=THERE, chunks=5, sources=(stamp("/a.pdf", 7),))
        catalogue.put_document(there)
        assert catalogue.amounts(HERE) == CatalogueAmounts(
            projects=1, documents=2, passages=7, file_bytes=70
        )
        assert catalogue.amounts() == CatalogueAmounts(
            projects=2, documents=3, passages=12, file_bytes=77
        )
        assert catalogue.amounts(ProjectId.parse("none")) == CatalogueAmounts()

    @pytest.mark.parametrize("deep", [False, True])
    def test_a_whole_database_is_accepted(self, catalogue: Catalogue, deep: bool) -> None:
        catalogue.put_document(a_document(ID_A))
        catalogue.verify(deep=deep)

    def test_a_project_has_to_exist(self, catalogue: Catalogue) -> None:
        with pytest.raises(ProjectNotFound, match="local/thesis"):
            catalogue.put_document(a_document(project_id=ProjectId.parse("none")))

    def test_putting_again_replaces_all_of_it(self, catalogue: Catalogue) -> None:
        catalogue.put_document(a_document(citation=a_citation("old"), citation_how="doi"))
        catalogue.put_document(replaced := a_document(sources=(stamp("/new.pdf"),), chunks=1))
        assert list(catalogue.documents(HERE)) == [replaced]
        assert not named(catalogue, "old")
        assert not named(catalogue, "/papers/ab12cd.pdf")
        assert named(catalogue, "/new.pdf") == [ID_A]

    def test_a_changed_file_moves_to_its_new_document(self, catalogue: Catalogue) -> None:
        catalogue.put_document(a_document(ID_A, sources=(stamp("/1/p.pdf"), stamp("/2/p.pdf"))))
        catalogue.put_document(a_document(ID_B, sources=(stamp("/1/p.pdf"),)))
        left = catalogue.document(HERE, ID_A)
        assert left is not None
        assert [one.path for one in left.sources] == ["/2/p.pdf"]
        assert named(catalogue, "/1/p.pdf") == [ID_B]
        assert named(catalogue, "p.pdf") == [ID_A, ID_B]
        catalogue.put_document(a_document(ID_C, sources=(stamp("/2/p.pdf"),)))
        left = catalogue.document(HERE, ID_A)
        assert left is not None
        assert left.sources == ()
        assert named(catalogue, "p.pdf") == [ID_B, ID_C]

    def test_projects_do_not_share_files(self, catalogue: Catalogue) -> None:
        catalogue.put_document(a_document(ID_A))
        catalogue.put_document(a_document(ID_A, project_id=THERE))
        found = catalogue.document(HERE, ID_A)
        assert found is not None
        assert len(found.sources) == 1

    def test_a_document_is_used_elsewhere_while_another_project_has_it(
        self, catalogue: Catalogue
    ) -> None:
        catalogue.put_document(a_document(ID_A))
        assert not catalogue.used_elsewhere(HERE, ID_A)
        assert catalogue.used_elsewhere(THERE, ID_A)
        catalogue.put_document(a_document(ID_A, project_id=THERE))
        assert catalogue.used_elsewhere(HERE, ID_A)
        catalogue.delete_project(THERE)
        assert not catalogue.used_elsewhere(HERE, ID_A)

    def test_removed_documents_leave_that_project_alone(self, catalogue: Catalogue) -> None:
        for one in (ID_A, ID_B):
            catalogue.put_document(a_document(one, citation=a_citation(f"k{one}")))
        catalogue.put_document(a_document(ID_A, project_id=THERE))
        catalogue.remove_documents(HERE, iter([ID_A, "unknown"]))
        catalogue.remove_documents(HERE, [])
        assert ids(catalogue.documents(HERE)) == [ID_B]
        assert ids(catalogue.documents(THERE)) == [ID_A]
        assert not named(catalogue, f"k{ID_A}")

    def test_unfinished_documents_have_no_passages_in_any_collection(
        self, catalogue: Catalogue
    ) -> None:
        for one in (ID_A, ID_B):
            catalogue.put_document(a_document(one))
            catalogue.put_indexed(HERE, "x", an_indexed(one))
        catalogue.put_document(a_document(ID_A, project_id=THERE))
        before = catalogue.version(HERE)
        catalogue.unfinish_documents(HERE, iter([ID_A, "unknown"]))
        catalogue.unfinish_documents(HERE, [])
        first, second = catalogue.documents(HERE)
        assert first == a_document(ID_A, chunks=0, embedding=UNFINISHED)
        assert second == a_document(ID_B)
        assert list(catalogue.indexed(HERE, "x")) == [ID_B]
        assert catalogue.documents(THERE) == [a_document(ID_A, project_id=THERE)]
        assert catalogue.version(HERE) != before

    def test_a_closed_catalogue_opens_again_on_use(self, catalogue: Catalogue) -> None:
        catalogue.put_document(a_document())
        catalogue.close()
        assert ids(catalogue.documents(HERE)) == [ID_A]


class TestFinding:
    @pytest.fixture
    def filled(self, catalogue: Catalogue) -> Catalogue:
        catalogue.add_project(a_project(HERE))
        catalogue.add_project(a_project(THERE))
        cited = a_citation(
            "Ångström:2020",
            doi="10.1234/ABC.5",
            url="https://Example.org/paper/?id=7",
            item_key="ABCD2345",
        )
        catalogue.put_document(a_document(ID_A, citation=cited, identifiers=()))
        preprint = a_citation("smith2021", url="https://arxiv.org/abs/2101.00001v2")
        catalogue.put_document(a_document(ID_B, citation=preprint, identifiers=()))
        catalogue.put_document(a_document(ID_C, identifiers=("10.5555/text",)))
        return catalogue

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("Ångström:2020", [ID_A]),
            ("@Ångström:2020", [ID_A]),
            ("A\u030angstro\u0308m:2020", [ID_A]),
            ("ångström:2020", [ID_A]),
            ("SMITH2021", [ID_B]),
            (ID_A, [ID_A]),
            (ID_A.upper(), [ID_A]),
            ("ab12cd", [ID_A]),
            (ID_A[:16], [ID_A]),
            ("ab12", [ID_A, ID_B]),
            ("10.1234/abc.5", [ID_A]),
            ("https://doi.org/10.1234/ABC.5", [ID_A]),
            ("doi:10.1234/ABC.5", [ID_A]),
            ("10.5555/TEXT", [ID_C]),
            ("http://example.org/paper?id=7", [ID_A]),
            ("ABCD2345", [ID_A]),
            ("zotero://select/library/items/ABCD2345", [ID_A]),
            ("zotero://select/groups/42/items/ABCD2345", [ID_A]),
            ("zotero://select/items/0_ABCD2345", [ID_A]),
            ("zotero://select/items/@smith2021", [ID_B]),
            ("2101.00001", [ID_B]),
            ("arXiv:2101.00001v1", [ID_B]),
            ("https://arxiv.org/pdf/2101.00001", [ID_B]),
            ("10.48550/arXiv.2101.00001", [ID_B]),
            ("/papers/ab12cd.pdf", [ID_A]),
            ("AB12CD.pdf", [ID_A]),
            ("", []),
            ("%", []),
            ("no such thing", []),
            ("' OR 1=1 --", []),
        ],
    )
    def test_every_name_finds_its_document(
        self, filled: Catalogue, name: str, expected: list[str]
    ) -> None:
        assert named(filled, name) == expected
        assert named(filled, name, THERE) == []

    def test_documents_are_found_by_names_of_each_kind(self, filled: Catalogue) -> None:
        assert ids(filled.find_documents(HERE, [citation_key("smith2021")])) == [ID_B]
        both = [label("SMITH2021"), path_name("/papers/ab12cd.pdf"), file_name("ab12cd.pdf")]
        assert ids(filled.find_documents(HERE, both)) == [ID_A, ID_B]
        assert not filled.find_documents(HERE, [])
        assert not filled.find_documents(HERE, [citation_key("SMITH2021")])
        assert not filled.find_documents(THERE, both)

    def test_a_prefix_of_several_finds_all_of_them(self, catalogue: Catalogue) -> None:
        catalogue.add_project(a_project())
        one, two = "abcdef1" + "0" * 57, "abcdef2" + "0" * 57
        for document_id in (two, one):
            source = stamp(f"/papers/{document_id[6]}.pdf")
            catalogue.put_document(a_document(document_id, sources=(source,)))
        assert named(catalogue, "abcdef") == [one, two]
        assert named(catalogue, "abcdef2") == [two]
        assert ids(catalogue.documents_beginning(HERE, "abcdef")) == [one, two]
        assert not catalogue.documents_beginning(THERE, "abcdef")

    def test_a_key_goes_before_an_id_that_begins_like_it(self, filled: Catalogue) -> None:
        filled.put_document(a_document(ID_C, citation=a_citation("ab12cd")))
        assert named(filled, "ab12cd") == [ID_C]

    def test_keys_that_differ_in_case_are_told_apart(self, filled: Catalogue) -> None:
        filled.put_document(a_document(ID_C, citation=a_citation("Smith2021")))
        assert named(filled, "Smith2021") == [ID_C]
        assert named(filled, "smith2021") == [ID_B]
        assert named(filled, "SMITH2021") == [ID_B, ID_C]


def test_a_collection_is_found_to_belong_to_its_project(
    catalogue: Catalogue, reopen: Callable[[], Catalogue]
) -> None:
    assert catalogue.holder(HERE.collection) is None
    place = IndexPlace(url="http://qdrant:6333", layout=IndexLayout.SHARED)
    retrieval = RetrievalSettings(place=place, copies=(None, IndexPlace(url="http://old")))
    for project in (a_project(retrieval=retrieval), a_project(THERE)):
        catalogue.add_project(project)
    assert reopen().holder(HERE.collection) == a_project(retrieval=retrieval)
    assert catalogue.holder(THERE.collection) == a_project(THERE)
    assert catalogue.holder("proj-nobody") is None


def test_the_version_of_a_project_changes_with_its_documents(
    catalogue: Catalogue, reopen: Callable[[], Catalogue]
) -> None:
    catalogue.add_project(a_project())
    catalogue.add_project(a_project(THERE))
    seen = [catalogue.version(HERE)]
    elsewhere = catalogue.version(THERE)
    document = a_document(document_id=ID_A)
    for one in (document, document.model_copy(update={"citation": a_citation("other2021")})):
        reopen().put_document(one)
        assert catalogue.version(HERE) == catalogue.version(HERE)
        seen.append(catalogue.version(HERE))
    reopen().remove_documents(HERE, [ID_A])
    assert catalogue.version(HERE) == seen[0]
    assert len(set(seen)) == 3
    assert catalogue.version(THERE) == elsewhere


def test_languages_are_those_of_the_projects_documents(catalogue: Catalogue) -> None:
    assert list(catalogue.languages(HERE)) == []
    catalogue.add_project(a_project())
    for document_id, language in ((ID_A, "ru"), (ID_B, "de"), (ID_C, None)):
        path = f"/papers/{document_id[:4]}.pdf"
        source = SourceStamp(path=path, size=1, mtime_ns=1)
        catalogue.put_document(
            a_document(document_id=document_id, language=language, sources=(source,))
        )
    assert list(catalogue.languages(HERE)) == ["de", "ru"]


class TestOtherModels:
    """Collections beside the one in use, what they hold, and the switch between them."""

    @pytest.fixture(autouse=True)
    def _library(self, catalogue: Catalogue) -> None:
        catalogue.add_project(a_project())
        catalogue.put_document(a_document(ID_A, citation=a_citation()))
        catalogue.put_document(a_document(ID_B))

    def test_others_come_back_in_order_and_are_changed_in_place(
        self, reopen: Callable[[], Catalogue]
    ) -> None:
        first, second = an_index("one"), an_index("two")
        for one in (first, second, first):
            reopen().put_other(HERE, one)
        changed = first.model_copy(update={"unwanted": True})
        reopen().put_other(HERE, changed)
        assert reopen().project(HERE).others == (changed, second)
        reopen().remove_other(HERE, first.collection)
        reopen().remove_other(HERE, "no-such-collection")
        assert reopen().projects()[0].others == (second,)
        for call in (
            lambda: reopen().put_other(THERE, first),
            lambda: reopen().remove_other(THERE, first.collection),
            lambda: reopen().put_indexed(THERE, first.collection, an_indexed(ID_A)),
        ):
            with pytest.raises(ProjectNotFound):
                call()

    def test_settings_are_changed_without_others_and_not_by_whom_a_switch_overtook(
        self, catalogue: Catalogue
    ) -> None:
        stale = catalogue.project(HERE)
        catalogue.put_other(HERE, an_index("one"))
        catalogue.update_project(stale.model_copy(update={"hybrid_enabled": False}))
        now = catalogue.project(HERE)
        assert (now.others, now.hybrid_enabled) == ((an_index("one"),), False)
        overtaken = stale.model_copy(update={"collection": "another"})
        with pytest.raises(ProjectChanged):
            catalogue.update_project(overtaken)
        with pytest.raises(ProjectChanged):
            catalogue.put_document(a_document(ID_C), "another")
        assert catalogue.project(HERE) == now
        assert ids(catalogue.documents(HERE)) == [ID_A, ID_B]
        catalogue.put_document(a_document(ID_C), now.collection)
        assert ids(catalogue.documents(HERE)) == [ID_A, ID_B, ID_C]

    def test_what_collections_hold_is_noted_by_collection(
        self, reopen: Callable[[], Catalogue]
    ) -> None:
        reopen().put_indexed(HERE, "x", an_indexed(ID_A, chunks=1))
        reopen().put_indexed(HERE, "x", an_indexed(ID_A, chunks=2))
        reopen().put_indexed(HERE, "x", an_indexed(ID_B))
        reopen().put_indexed(HERE, "y", an_indexed(ID_A))
        assert reopen().indexed(HERE, "x") == {
            ID_A: an_indexed(ID_A, chunks=2),
            ID_B: an_indexed(ID_B),
        }
        reopen().put_document(a_document(ID_A, chunks=99))
        reopen().forget_indexed(HERE, "x", ID_B)
        reopen().forget_indexed(HERE, "x", ID_C)
        assert list(reopen().indexed(HERE, "x")) == [ID_A]
        reopen().remove_documents(HERE, [ID_A])
        assert reopen().indexed(HERE, "x") == reopen().indexed(HERE, "y") == {}
        assert reopen().indexed(THERE, "x") == {}

    def test_nothing_is_noted_of_what_was_removed(self, catalogue: Catalogue) -> None:
        catalogue.put_other(HERE, an_index("one"))
        catalogue.put_indexed(HERE, an_index("one").collection, an_indexed(ID_A))
        catalogue.remove_other(HERE, an_index("one").collection)
        assert catalogue.indexed(HERE, an_index("one").collection) == {}
        catalogue.put_indexed(HERE, "x", an_indexed(ID_A))
        catalogue.delete_project(HERE)
        catalogue.add_project(a_project())
        assert catalogue.indexed(HERE, "x") == {}

    def test_a_switch_changes_index_and_documents_and_notes_what_is_left(
        self, reopen: Callable[[], Catalogue]
    ) -> None:
        other = an_index("one")
        reopen().put_other(HERE, other)
        reopen().put_indexed(HERE, other.collection, an_indexed(ID_A))
        before = reopen().state(HERE)
        left = [an_indexed(ID_A, chunks=34), an_indexed(ID_B, chunks=34)]
        assert reopen().switch(before, switched(before, other), left)
        after = reopen().state(HERE)
        assert after == switched(before, other)
        assert after.project.collection == other.collection
        assert [o.collection for o in after.project.others] == [before.project.collection]
        assert [d.chunks for d in after.documents] == [7, 7]
        assert after.documents[0].citation == a_citation()
        assert named(reopen(), "Ångström:2020") == [ID_A]
        assert reopen().indexed(HERE, other.collection) == {}
        assert list(reopen().indexed(HERE, before.project.collection).values()) == left

    @pytest.mark.parametrize(
        "meanwhile",
        [
            lambda c: c.put_document(a_document(ID_C)),
            lambda c: c.put_document(a_document(ID_B, chunks=1)),
            lambda c: c.put_document(a_document(ID_B, citation=a_citation("other"))),
            lambda c: c.remove_documents(HERE, [ID_A]),
            lambda c: c.put_other(HERE, an_index("two")),
            lambda c: c.update_project(c.project(HERE).model_copy(update={"sparse_model": "b"})),
        ],
    )
    def test_nothing_is_switched_where_something_changed_meanwhile(
        self, reopen: Callable[[], Catalogue], meanwhile: Callable[[Catalogue], None]
    ) -> None:
        other = an_index("one")
        reopen().put_other(HERE, other)
        before = reopen().state(HERE)
        meanwhile(reopen())
        now = reopen().state(HERE)
        assert not reopen().switch(before, switched(before, other), [an_indexed(ID_A)])
        assert reopen().state(HERE) == now
        assert reopen().indexed(HERE, before.project.collection) == {}

    def test_the_holder_of_a_collection_is_told_with_its_model(self, catalogue: Catalogue) -> None:
        other = an_index("one")
        catalogue.put_other(HERE, other)
        found = catalogue.holder(other.collection)
        assert found == catalogue.project(HERE).on(other)
        assert catalogue.holder(HERE.collection) == catalogue.project(HERE)
        assert catalogue.holder("no-such-collection") is None

    def test_an_unknown_project_has_no_state(self, catalogue: Catalogue) -> None:
        with pytest.raises(ProjectNotFound):
            catalogue.state(THERE)


def an_index(name: str) -> ModelIndex:
    model = EmbeddingModel(name=name, dimension=8, digest="1e" * 32, max_tokens=64)
    return ModelIndex(model=model, collection=f"proj-local-thesis~m{name}~")


def an_indexed(document_id: str, chunks: int = 5) -> IndexedDocument:
    return IndexedDocument(
        document_id=document_id,
        chunks=chunks,
        conversion="docling 1",
        chunking="structure 1",
        embedding="one@8",
        cited="ab",
    )


def switched(before: ProjectState, index: ModelIndex) -> ProjectState:
    written = {"chunks": 7, "chunking": "structure 2", "embedding": "one@8"}
    return ProjectState(
        project=before.project.switched_to(index),
        documents=tuple(d.model_copy(update=written) for d in before.documents),
    )


def test_how_a_library_holds_a_document_comes_back_and_finds_it(
    reopen: Callable[[], Catalogue],
) -> None:
    other = AlternativeCitation(
        citekey="Preprint2019",
        item_key="ABCD2345",
        address="zotero://select/library/items/ABCD2345",
        why="the same file",
    )
    held = LibraryRecord(
        role=DocumentRole.SUPPLEMENT,
        key_source=KeySource.EXTRA,
        alternatives=(other,),
        former_keys=("OldKey",),
    )
    catalogue = reopen()
    catalogue.add_project(a_project())
    document = a_document(ID_A, held=held)
    catalogue.put_document(document)
    assert reopen().document(HERE, ID_A) == document
    for name in ("oldkey", "Preprint2019", "ABCD2345", other.address):
        assert named(reopen(), name) == [ID_A]


def test_title_authors_and_year_of_a_document_come_back(reopen: Callable[[], Catalogue]) -> None:
    catalogue = reopen()
    catalogue.add_project(a_project())
    stated = a_document(ID_A, title="Ponds", authors=("Ada Okafor", "Per Lindqvist"), year=1994)
    catalogue.put_document(stated)
    assert reopen().document(HERE, ID_A) == stated


def test_the_fidelity_of_a_document_comes_back_and_is_unknown_without_one(
    reopen: Callable[[], Catalogue],
) -> None:
    page = PageFidelity(
        page=2, words=90, words_kept=0.4, words_true=1.0, pairs_kept=0.3, pairs_true=0.95
    )
    catalogue = reopen()
    catalogue.add_project(a_project())
    compared = a_document(ID_A, fidelity=DocumentFidelity.of([page], [1, 2]))
    catalogue.put_document(compared)
    catalogue.put_document(a_document(ID_B))
    assert reopen().document(HERE, ID_A) == compared
    unknown = reopen().document(HERE, ID_B)
    assert unknown is not None
    assert unknown.fidelity is None
