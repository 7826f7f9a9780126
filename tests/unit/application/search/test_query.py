"""The verb *query*: what is found, how it is cited, and what is refused."""

import re

import pytest
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.search.query import Query
from citeloom.domain.errors import (
    DocumentNotFound,
    EmbeddingModelMismatch,
    HybridNotSupported,
    IndexUnavailable,
    InvalidRequest,
    ProjectNotFound,
)
from citeloom.domain.jobs import JobProgress, JobStatus, RecordedJob
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.search.answerable import is_doubtful
from citeloom.domain.search.fusion import Mode
from citeloom.domain.search.request import MAX_TEXT, QueryRequest
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.system.locks import new_process_name


@pytest.fixture
def library(world: World) -> World:
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    items = [an_item("szelkuti2022", "10.5555/ponds", 2022), an_item("grids", "10.5555/grids")]
    world.ingest(references=world.cite(*items))
    return world


@pytest.mark.parametrize("mode", Mode)
def test_each_mode_finds_the_passage_that_answers(library: World, mode: Mode) -> None:
    result = library.query("cooling falls with distance", mode=mode)
    assert "falls with distance" in result.items[0].text
    assert (result.mode, result.model, result.project) == (mode, "hashing", "local/thesis")
    assert [item.rank for item in result.items] == list(range(1, result.count + 1))
    scores = [item.score for item in result.items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_who_asks_for_a_single_word_gets_what_has_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("grids.md", "# Grids\n\nThe gene MEIS1 was named once, beside a square grid.\n")
    world.write("ponds.md", "# Ponds\n\nThe cooling falls with distance.\n")
    world.ingest()
    embedder = world.embedder("hashing")
    elsewhere = embedder.embed_query("The cooling falls with distance.")
    monkeypatch.setattr(embedder, "embed_query", lambda *_: elsewhere)
    assert "MEIS1" not in world.query("is MEIS1 there").items[0].text
    assert "MEIS1" in world.query("MEIS1").items[0].text


def test_an_item_can_be_cited_opened_and_checked(library: World) -> None:
    item = library.query("cooling falls with distance").items[0]
    assert item.citekey == "szelkuti2022"
    assert item.citation is not None
    assert item.citation.startswith('[@szelkuti2022, sec. "Results", para. ')
    assert (item.year, item.doi) == (2022, "10.5555/ponds")
    assert item.section_path == ("Ponds cool the street", "Results")
    assert item.address.startswith("virtual://")
    assert item.document_id[:16] in item.knowledge_uri
    document = library.conversion(item.document_id)
    assert item.text in document.plain_text


def test_pages_are_cited_as_those_of_the_file_where_no_labels_are_known(world: World) -> None:
    world.write("paged.txt", "Ponds cool the street.\f\nThe grid is best of all.")
    world.ingest(references=world.cite(an_item("paged", "10.5555/p", title="Paged")))
    (item, *_) = world.query("grid").items
    assert item.page_span is not None
    assert item.page_labels == ()
    assert item.address.startswith("doc://")


def test_never_more_passages_than_asked_for(library: World) -> None:
    assert library.query("the results of ponds and grids", top_k=1).count == 1


def test_an_empty_project_says_how_to_fill_it(world: World) -> None:
    world.projects.opener.create(HERE)
    result = world.query("ponds")
    assert result.items == ()
    assert result.warnings[0].next_step == NextStep(Action.ADD_DOCUMENTS, str(HERE))


def test_a_project_that_was_emptied_says_so_too(library: World) -> None:
    library.projects.remover.documents(
        library.catalogue.project(HERE), [d.document_id for d in library.stored()]
    )
    result = library.query("ponds")
    assert result.items == ()
    assert "holds no passages yet" in result.warnings[0]


def test_an_index_that_is_gone_or_emptied_is_not_taken_for_an_empty_project(
    library: World,
) -> None:
    project = library.catalogue.project(HERE)
    passages = len(library.chunk_ids())
    with library.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        collection.delete_documents([d.document_id for d in library.stored()])
    for _ in ("emptied", "gone"):
        for use in (lambda: library.query("results"), library.ingest):
            with pytest.raises(
                IndexUnavailable, match=f"should hold {passages} passages"
            ) as caught:
                use()
            assert caught.value.next_step == NextStep(Action.REPAIR, str(HERE))
        library.index.drop(project.collection)
    [listed] = library.projects.projects.list()
    assert "its index is gone" in str(listed.warning)
    with pytest.raises(IndexUnavailable):
        library.projects.inspect(HERE)


def test_passages_that_the_index_lacks_are_told_with_the_answer(library: World) -> None:
    project = library.catalogue.project(HERE)
    with library.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        collection.delete_documents([library.stored()[0].document_id])
    [warning] = library.query("results").warnings
    assert warning.next_step == NextStep(Action.REPAIR, str(HERE))
    assert "passages are in its index" in warning
    assert any("passages are in its index" in one for one in library.ingest().warnings)


def test_no_match_is_an_empty_answer_without_a_warning(library: World) -> None:
    result = library.query("zebra", mode=Mode.SPARSE)
    assert (result.count, result.warnings) == (0, ())


def test_hybrid_search_is_refused_where_it_is_switched_off(world: World) -> None:
    world.projects.opener.create(HERE, hybrid=False)
    with pytest.raises(HybridNotSupported) as refused:
        world.query("ponds")
    assert refused.value.next_step == NextStep(Action.SEARCH_BY_MEANING)
    assert world.query("ponds", mode=Mode.DENSE).count == 0


def test_an_unknown_project_is_refused(library: World) -> None:
    with pytest.raises(ProjectNotFound, match="local/thesis"):
        library.query("ponds", project_id=ProjectId.parse("other"))


def test_a_model_that_changed_under_its_name_is_refused(library: World) -> None:
    project = library.catalogue.project(HERE)
    changed = project.embedding_model.model_copy(update={"digest": "f" * 64})
    library.catalogue.update_project(project.model_copy(update={"embedding_model": changed}))
    with pytest.raises(EmbeddingModelMismatch):
        library.query("ponds")
    # Words alone need no model.
    assert library.query("ponds", mode=Mode.SPARSE).count > 0


def test_the_same_passage_in_two_documents_is_shown_once(world: World) -> None:
    world.write("a.md", PONDS)
    world.write("b.md", PONDS + "\n## Note\n\nPrinted again.")
    world.ingest()
    texts = [" ".join(item.text.split()) for item in world.query("falls with distance").items]
    assert len(texts) == len(set(texts))
    assert sum("falls with distance" in text for text in texts) == 1


@pytest.mark.parametrize(
    ("clause", "files"),
    [
        ("year=2021..2023", {"ponds.md"}),
        ("year!=2022", {"grids.md"}),
        ("citekey=grids", {"grids.md"}),
        ("citekey=szelk", {"ponds.md"}),
        ("citekey!=@SZELK", {"grids.md"}),
        ("citekey=szelk,gri", {"ponds.md", "grids.md"}),
        ("citekey=sz", set()),
        ("author=szelkuti2022", {"ponds.md"}),
        ("section=results", {"ponds.md", "grids.md"}),
        ("section=methods", {"ponds.md"}),
        ("doc=szelkuti2022", {"ponds.md"}),
        ("doc=10.5555/grids", {"grids.md"}),
        ("doc=szelkuti2022,grids", {"ponds.md", "grids.md"}),
        ("kind=table", set()),
    ],
)
def test_filters_are_applied_in_the_index(library: World, clause: str, files: set[str]) -> None:
    found = library.query("results of ponds and grids", clause).items
    assert {item.source_path.rsplit("/", 1)[-1] for item in found} == files


def test_a_filter_for_an_unknown_document_is_refused_with_what_there_is(library: World) -> None:
    with pytest.raises(
        DocumentNotFound, match=r"nobody1999: no such document in .*; the nearest are "
    ):
        library.query("ponds", "doc=nobody1999")


def test_an_ambiguous_beginning_of_a_key_is_refused_and_an_exact_key_wins(world: World) -> None:
    world.write("lake.md", f"doi:10.5555/a\n\n{PONDS}")
    world.write("lakes.md", f"doi:10.5555/b\n\n{GRIDS}")
    items = [an_item("lake", "10.5555/a"), an_item("lakes", "10.5555/b")]
    world.ingest(references=world.cite(*items))

    def found(clause: str) -> set[str | None]:
        return {item.citekey for item in world.query("ponds and grids", clause).items}

    assert found("citekey=lake") == found("citekey=Lake") == {"lake"}
    assert found("citekey!=lake") == {"lakes"}
    for clause in ("citekey=lak", "citekey!=lak", "citekey=lakes,lak"):
        with pytest.raises(DocumentNotFound, match=r"lak: means 2 documents of .*lake.*lakes"):
            found(clause)
    (told,) = [one for one in world.query("ponds", "citekey=lakez").warnings if "nearest" in one]
    assert "lakes" in told


def test_a_long_passage_is_shown_up_to_1800_characters_cut_at_a_sentence(world: World) -> None:
    # 400 words are more than the standard window holds.
    world.embedders["hashing"] = type(world.embedder("x"))("hashing", max_tokens=900)
    world.chunker = StructuralChunker(max_tokens=800)
    sentence = "Ponds cool the street on summer evenings in town. "
    world.write("long.md", "# Long\n\n" + sentence * 60)
    world.ingest()
    (item, *_) = world.query("ponds").items
    assert MAX_TEXT - len(sentence) < len(item.text) <= MAX_TEXT
    assert item.text.endswith("town.")


def test_a_question_longer_than_the_window_is_answered_with_a_warning(library: World) -> None:
    result = library.query("ponds " * 300)
    assert result.count > 0
    assert "longer than the model's window" in result.warnings[0]


@pytest.mark.parametrize("mode", Mode)
def test_a_phrase_must_stand_in_every_passage(library: World, mode: Mode) -> None:
    result = library.query('temperature "four ponds"', mode=mode)
    assert [item.text.count("four ponds") for item in result.items] == [1]
    assert result.query == 'temperature "four ponds"'
    nothing = library.query('temperature "ponds four"', mode=mode)
    assert nothing.items == ()
    assert any('no passage has "ponds four"' in warning for warning in nothing.warnings)


def test_a_phrase_that_was_not_looked_for_everywhere_is_told(
    library: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(question: str) -> list[str]:
        return [w for w in library.query(question).warnings if "only common words" in w]

    assert told('"of the"') == []
    monkeypatch.setattr("citeloom.application.search.searcher.MOST_READ", 1)
    assert len(told('"of the"')) == 1
    assert told('"of the ponds"') == []


@pytest.mark.parametrize("mode", Mode)
def test_what_is_excluded_is_in_no_passage(library: World, mode: Mode) -> None:
    everything = library.query("ponds error distance", mode=mode)
    assert any("error" in item.text for item in everything.items)
    result = library.query("ponds error distance -error", mode=mode)
    assert result.items
    assert not any("error" in item.text for item in result.items)


def test_a_question_of_exclusions_alone_is_refused(library: World) -> None:
    with pytest.raises(InvalidRequest, match="what to look for"):
        library.query('-ponds -"square grid"')


@pytest.mark.parametrize("mode", Mode)
def test_the_words_that_match_are_told_as_they_stand(library: World, mode: Mode) -> None:
    item = library.query("Does the cooling fall with distances?", mode=mode, top_k=1).items[0]
    assert "cooling falls with distance" in item.text
    assert item.matched == ("cooling", "falls", "distance")
    assert library.query("the of", mode=Mode.DENSE).items[0].matched == ()


def test_a_filter_that_leaves_nothing_is_named_with_what_fits_without_it(library: World) -> None:
    result = library.query("cooling falls with distance", "year=2022", "year!=2022")
    assert result.count == 0
    (warning,) = result.warnings
    assert re.fullmatch(
        r"the filter year!=2022 leaves nothing: \d passages? fits? without it", warning
    )


@pytest.mark.parametrize("mode", Mode)
def test_a_filter_that_matches_nothing_is_named_with_the_nearest_values(
    library: World, mode: Mode
) -> None:
    question = "volcanic eruption" if mode is Mode.DENSE else "cooling falls with distance"
    result = library.query(question, "year=1999", "section=resuts", mode=mode)
    assert result.warnings == (
        "the filter year=1999 matches nothing; the nearest here: 2020, 2022",
        "the filter section=resuts matches nothing; the nearest here: Results",
    )


NEAREST = [  # clause, what is said of it
    ("author=szekuti", "the nearest here: A. Szelkuti2022"),
    ("citekey=szelkuty2022", "the nearest here: szelkuti2022"),
    ("citekey=nope", "here are, for example, grids, szelkuti2022"),
    ("tag=x", "no document has a value for it"),
]


@pytest.mark.parametrize(("clause", "said"), NEAREST)
def test_nearest_values_are_those_of_the_documents(library: World, clause: str, said: str) -> None:
    (warning,) = library.query("cooling", clause).warnings
    assert warning.endswith(said)


def test_a_question_that_nothing_fits_is_told_so(library: World) -> None:
    assert library.query("cooling falls with distance").warnings == ()
    result = library.query("volcanic eruption prediction")
    (warning,) = result.warnings
    assert warning.startswith("probably not answered in these papers (probability of an answer 0.")
    assert warning.endswith('passages has "volcanic" or "eruption" or "prediction"')
    assert is_doubtful(result.probability)


def test_a_table_that_has_the_asked_number_comes_first(world: World) -> None:
    table = (
        "| Ranking | Recall | Time |\n|---|---|---|\n| BM25 | 0.70 | 12 |\n| Dense | 0.78 | 31 |"
    )
    prose = "The recall of BM25 is what most papers report, and recall of BM25 is low, they say."
    world.write("results.md", f"# Rankings\n\n## Talk\n\n{prose}\n\n## Results\n\n{table}\n")
    world.ingest()
    first, *_ = world.query("recall of BM25").items
    assert first.best_sentence == "| BM25 | 0.70 | 12 |"
    assert prose in world.query("why is recall of BM25 low").items[0].text


FOREIGN = {
    "de": """# Teiche und Abendluft

## 1

Die Messungen wurden an zwölf Sommerabenden am Ufer der Teiche durchgeführt, und die Geräte wurden
vorher im Labor geeicht, damit die Werte mit denen der Wetterwarte verglichen werden können.

## 2

Die Bewohner der angrenzenden Häuser wurden nach ihrem Schlaf befragt, und die meisten von ihnen
schliefen bei offenen Fenstern besser als die Bewohner der entfernten Straßen.
""",
    "fr": """# Les étangs et l'air du soir

## 1

Les mesures ont été réalisées pendant douze soirées d'été sur la rive des étangs, et les appareils
ont été étalonnés dans le laboratoire pour que les valeurs soient comparables.

## 2

Les habitants des maisons voisines ont été interrogés sur leur sommeil, et la plupart d'entre eux
dormaient mieux avec les fenêtres ouvertes que les habitants des rues éloignées.
""",
    "es": """# Los estanques y el aire de la tarde

## 1

Las mediciones se realizaron durante doce tardes de verano en la orilla de los estanques, y los
aparatos se calibraron antes en el laboratorio para que los valores se pudieran comparar.

## 2

Los vecinos de las casas cercanas fueron preguntados por su sueño, y la mayoría de ellos dormía
mejor con las ventanas abiertas que los vecinos de las calles lejanas.
""",
    "zh": """# 池塘与傍晚的空气

## 1

测量在十二个夏天的傍晚进行,仪器事先在实验室里校准过,因此数值可以与气象站的数值比较。

## 2

附近房屋的居民被问到他们的睡眠,其中大多数人开着窗户睡得更好,比远处街道的居民好。
""",
    "ko": """# 연못과 저녁 공기

## 1

측정은 열두 번의 여름 저녁에 연못가에서 했으며, 장비는 미리 실험실에서 교정했다.

## 2

가까운 집의 주민에게 수면을 물었는데, 대부분은 창문을 열고 더 잘 잤다고 답했다.
""",
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wo ist das Gerät geeicht worden?", "Geräte wurden"),
        ("Wie schläft der Bewohner bei offenem Fenster?", "schliefen bei offenen Fenstern"),
        ("Où a-t-on étalonné l'appareil ?", "les appareils"),
        ("Comment dort l'habitant d'une maison voisine ?", "maisons voisines"),
        ("¿Dónde se calibró el aparato?", "aparatos se calibraron"),
        ("¿Cómo duerme el vecino con la ventana abierta?", "ventanas abiertas"),
        ("仪器在哪里校准?", "实验室里校准"),
        ("开窗户睡眠好吗", "开着窗户"),
        ("장비를 어디에서 교정했는가?", "실험실에서 교정"),
        ("창문과 수면", "창문을 열고"),
    ],
)
def test_words_are_found_in_the_language_of_their_paper(
    world: World, question: str, answer: str
) -> None:
    for code, text in FOREIGN.items():
        world.write(f"{code}.md", text)
    world.ingest()
    result = world.query(question, mode=Mode.SPARSE)
    assert answer in result.items[0].text
    assert result.probability is None


def test_a_question_that_the_model_does_not_read_is_told_so(library: World) -> None:
    query = Query(
        catalogue=library.catalogue,
        searcher=library.searcher,
        readable=library.application.search.readable,
        english={library.catalogue.project(HERE).embedding_model.name: "of/many"},
        ingests=lambda _: None,
    )
    request = QueryRequest(query_text="¿Cuánto enfría el estanque por la tarde?", project_id=HERE)
    (warning,) = query(request).warnings
    assert "reads English, and the question seems to be in another language" in warning
    assert isinstance(warning, UserMessage)
    assert warning.next_step == NextStep(Action.FETCH_MODEL, model="of/many")
    assert query(request.model_copy(update={"mode": Mode.SPARSE})).warnings == ()
    assert library.query("¿Cuánto enfría el estanque por la tarde?").warnings != (warning,)


def test_a_hit_that_has_the_words_asked_for_fits(library: World) -> None:
    assert library.query("ponds").warnings == ()
    assert library.query("ponds").probability is None
    assert library.query("temperature", mode=Mode.SPARSE).warnings == ()
    assert library.query('"summer evenings" volcanic eruption').warnings == ()


def test_it_is_said_how_much_is_searched_while_an_ingest_runs(library: World) -> None:
    stores = library.application.stores
    counts = {"documents_done": 13, "documents_failed": 1, "documents_total": 40}
    job = RecordedJob(
        id="one",
        kind="ingest",
        project="local/thesis",
        digest="d",
        progress=JobProgress(status=JobStatus.RUNNING, counts=counts),
        worker=new_process_name(),
        heard_at=stores.clock.now(),
        created_at=stores.clock.now(),
    )
    stores.job_record.enter(job, "{}")
    result = library.query("cooling")
    assert result.ingest is not None
    assert result.ingest.model_dump() == {"documents_done": 12, "documents_total": 39}
    assert result.warnings[0] == ("an ingest is running: 12 of 39 papers are searched so far")
    dead = job.model_copy(
        update={"id": "two", "worker": f"{job.worker.rsplit(':', 2)[0]}:{2**22 + 1}:a"}
    )
    stores.job_record.enter(dead.model_copy(update={"digest": "e"}), "{}")
    assert library.query("cooling").ingest == result.ingest
    ended = job.progress.model_copy(update={"status": JobStatus.DONE})
    end = {"progress": ended, "ended_at": stores.clock.now()}
    stores.job_record.finish(job.model_copy(update=end), None)
    done = library.query("cooling")
    assert done.ingest is None
    assert done.warnings == result.warnings[1:]
