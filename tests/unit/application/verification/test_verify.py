"""*verify* over a library in memory."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.cases import each
from support.in_memory.embedder import HashingEmbedder
from support.world import GRIDS, HERE, PONDS, World, an_item

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.verification.cited_documents import content_words
from citeloom.application.verification.judges import RuleJudge
from citeloom.application.verification.verify import Verify, VerifyRequest
from citeloom.domain.citation.locators import pages_of, parse_locator
from citeloom.domain.documents.conversion import ConversionResult, PageEntry, Structure
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import NoCitations
from citeloom.domain.library import ITEM_TYPE
from citeloom.domain.verification.claims.judgement import Judgement, SourceSentence
from citeloom.domain.verification.drafts.draft import Finding, Verification
from citeloom.domain.verification.report import shown_evidence
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile


class WordsJudge:
    """A claim is supported by the first sentence that has its last three words; one with
    "never" is denied by it. ``asked`` counts."""

    fingerprint = "words"
    sentences = 12

    def __init__(self) -> None:
        self.asked = 0

    def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
        self.asked += 1
        tail = " ".join(claim.strip('.”"').split()[-3:])
        best = next((n for n, one in enumerate(evidence) if tail in one.text), None)
        verdict = "UNSUPPORTED"
        if best is not None:
            verdict = "CONTRADICTED" if "never" in claim else "SUPPORTED"
        return Judgement(verdict=verdict, confidence=0.8, best=best, reasons=("its words",))


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "library")
    world.write("ponds.md", PONDS)
    world.write("grids.md", GRIDS)
    lund, berg = {"family": "Lund"}, {"family": "Berg", "non-dropping-particle": "van den"}
    items = [
        an_item("ponds2020", "10.5555/ponds", author=[lund, berg]),
        an_item("grids2019", "10.5555/grids", author=[{"family": "Quill"}]),
        an_item("unread2018", "10.5555/unread", 2018, author=[{"family": "Moss"}]),
    ]
    library = world.cite(*items)
    world.ingest(references=library)
    return world


class Desk:
    """Verifies texts in one workspace."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder, self.judge = world, folder, WordsJudge()

    def __call__(self, text: str, **request: bool) -> Verification:
        path = self.folder / "draft.md"
        path.write_text(text, encoding="utf-8")
        return self.verify(path, **request)

    def verify(self, draft: Path | DraftText, **request: bool) -> Verification:
        verify = Verify(
            catalogue=self.world.catalogue,
            bundles=self.world.bundles,
            searcher=self.world.searcher,
            references=self.world.references,
            drafts=DraftFiles(),
            judge=self.judge,
            cache=FindingFile(self.folder / "verified" / "findings.jsonl"),
            clock=self.world.clock,
        )
        return verify(VerifyRequest(project_id=HERE, draft=draft, **request))

    def only(self, text: str) -> Finding:
        (found,) = self(text).findings
        return found


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


def test_a_claim_that_the_source_bears_out(desk: Desk):
    found = desk.only("Far from it the cooling is gone at one hundred metres [@ponds2020].")
    assert found.verdict is Verdict.SUPPORTED
    assert found.evidence[0].text == (
        "The cooling falls with distance and is gone at one hundred metres."
    )
    assert found.evidence[0].citekey == "ponds2020"


def test_a_sentence_after_the_number_of_a_reference_is_evidence(desk: Desk):
    text = "# Rain\n\n{} Rain of 2012 fell on nine village halls.\n\ndoi:10.5555/rain{}\n"
    for number, mark in enumerate(("[12]", "[12] Hinton, G. E.")):
        desk.world.write(f"rain{number}.md", text.format(mark, number))
        item = an_item(f"rain{number}", f"10.5555/rain{number}")
        desk.world.ingest(references=desk.world.cite(item))
        found = desk.only(f"Rain fell on nine village halls [@rain{number}].")
        assert (found.verdict is Verdict.SUPPORTED) is (number == 0)


@pytest.mark.parametrize(
    ("around", "verdict"),
    [
        ("{}", Verdict.SUPPORTED),
        ("## 2.1 {}", Verdict.UNSUPPORTED),
        ("## Why rain fell on nine village halls\n\nIt is known. {}", Verdict.SUPPORTED),
        ("It is known. [12] E. coli grew in 1991. {}", Verdict.SUPPORTED),
        ("[HT91] L. Smith. {} Proc. Weather, 1991.", Verdict.UNSUPPORTED),
        ("{} \u25af", Verdict.NOT_ESTABLISHED),
    ],
    ids=["sentence", "heading", "as one", "after a mark", "reference entry", "unread"],
)
def test_what_is_not_a_whole_sentence_bears_nothing_out(
    desk: Desk, around: str, verdict: Verdict
) -> None:
    said = "Rain fell on nine village halls."
    text = around.format(said if "\u25af" not in around else said[:-1]) + "\n\nIt was warm."
    desk.world.write("rain.md", f"# Weather\n\n{text}\n\ndoi:10.5555/rain\n")
    desk.world.ingest(references=desk.world.cite(an_item("rain", "10.5555/rain")))
    found = desk.only(f"{said[:-1]} [@rain].")
    assert found.verdict is verdict
    assert said[:-1] in found.evidence[0].text or verdict is Verdict.UNSUPPORTED


def test_two_sentences_of_which_one_was_not_read_bear_nothing_out(desk: Desk) -> None:
    class TwoJudge(WordsJudge):
        def judge(self, claim: str, evidence: Sequence[SourceSentence]) -> Judgement:
            also = tuple(n for n, one in enumerate(evidence) if "\u25af" in one.text)
            return super().judge(claim, evidence).model_copy(update={"also": also})

    desk.judge = TwoJudge()
    text = "Rain fell on nine village halls. It was \u25af warm in all of them."
    desk.world.write("rain.md", f"# Weather\n\n{text}\n\ndoi:10.5555/rain\n")
    desk.world.ingest(references=desk.world.cite(an_item("rain", "10.5555/rain")))
    found = desk.only("Rain fell on nine village halls [@rain].")
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert not any("together" in one for one in found.reasons)


def test_a_draft_may_be_handed_over_as_text(desk: Desk):
    words = "Far from it the cooling is gone at one hundred metres"
    from_file = desk(f"{words} [@ponds2020].")
    from_text = desk.verify(DraftText(text=f"{words} [@ponds2020]."))
    latex = desk.verify(DraftText(text=rf"{words} \cite{{ponds2020}}.", markup=DraftMarkup.LATEX))
    assert from_text.draft == "text"
    assert from_text.cached == latex.cached == 1
    for found in (from_text, latex):
        assert found.findings[0].evidence == from_file.findings[0].evidence


def test_a_sentence_that_comes_again_is_judged_once(desk: Desk):
    said = "Far from it the cooling is gone at one hundred metres [@ponds2020]."
    first, second = desk(f"{said}\n\n{said}").findings
    assert desk.judge.asked == 1
    assert (first.verdict, first.evidence) == (second.verdict, second.evidence)
    assert (first.claim.begins.line, second.claim.begins.line) == (1, 3)


def test_a_sentence_that_nobody_would_write_is_not_judged(desk: Desk):
    found = desk.only("cool " * 800 + "[@ponds2020].")
    assert desk.judge.asked == 0
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert found.reasons == (
        "The sentence has 4,000 characters; one of more than 3,000 is not checked. "
        "Look for a missing full stop, or split it.",
    )
    assert desk.only("cool " * 800 + "[@nobody].").verdict is Verdict.UNKNOWN_KEY


@pytest.mark.parametrize(
    "text", ["See also [@ponds2020].", "Cf. [@ponds2020].", "(e.g., [@ponds2020])"]
)
def test_a_sentence_that_only_points_to_a_work_is_not_judged(desk: Desk, text: str):
    found = desk.only(text)
    assert desk.judge.asked == 0
    assert found.verdict is Verdict.NOT_ESTABLISHED
    assert found.reasons == ("The sentence makes no claim; only the citation key was checked.",)


def test_a_claim_without_a_full_stop_is_not_embedded_as_a_question(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: dict[str, bool] = {}
    embed = HashingEmbedder.embed_query

    def query(self: HashingEmbedder, text: str, is_claim: bool = False) -> Sequence[float]:
        embedded[text] = is_claim
        return embed(self, text)

    monkeypatch.setattr(HashingEmbedder, "embed_query", query)
    desk("We found:\n\n- ponds cool the air in the street [@ponds2020]\n- it rains [@grids2019]\n")
    assert set(embedded) == {"ponds cool the air in the street", "it rains"}
    assert all(embedded.values())


def test_evidence_is_verbatim_at_its_offsets(desk: Desk):
    found = desk.only("Far from it the cooling is gone at one hundred metres [@ponds2020].")
    for quote in found.evidence:
        text = desk.world.conversion(quote.document_id).plain_text
        assert text[quote.start : quote.end] == quote.text


def test_only_the_cited_document_counts_and_a_better_one_is_named(desk: Desk):
    found = desk.only("A square grid is best at every sample size [@ponds2020].")
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.better is not None
    assert found.better.citekey == "grids2019"


def test_a_claim_that_the_source_denies(desk: Desk):
    found = desk.only("The cooling is never gone at one hundred metres [@ponds2020].")
    assert found.verdict is Verdict.CONTRADICTED


def test_evidence_without_pages_is_cited_by_its_section(desk: Desk):
    found = desk.only("The cooling is gone at one hundred metres [@ponds2020].")
    quote = found.evidence[0]
    assert (quote.page, quote.citation) == (None, f'[@ponds2020, sec. "{quote.section}"]')


def test_an_unknown_key_and_those_close_to_it(desk: Desk):
    found = desk.only("The cooling is gone at one hundred metres [@pond2020].")
    assert found.verdict is Verdict.UNKNOWN_KEY
    assert found.close_keys[0] == "ponds2020"
    assert found.better is not None


GONE = "Far from it the cooling is gone at one hundred metres"


def test_a_typed_citation_has_the_key_of_its_work(desk: Desk):
    found = desk.only(f"{GONE} (Lund & van den Berg, 2020, p. 3).")
    assert found.verdict is Verdict.SUPPORTED
    assert (found.key, found.written) == ("ponds2020", "Lund & van den Berg, 2020")
    assert found.locator == "p. 3"
    assert found.claim.text == f"{GONE}."
    by_key = desk.only(f"{GONE} [@ponds2020, p. 3].")
    assert by_key.evidence == found.evidence
    assert by_key.written is None


def test_a_typed_citation_of_another_year_is_no_match_but_told(desk: Desk):
    found = desk.only(f"{GONE} (Lund & van den Berg, 2013).")
    assert found.verdict is Verdict.UNKNOWN_KEY
    assert found.key == found.written == "Lund & van den Berg, 2013"
    assert found.close_keys == ("ponds2020",)
    assert "ponds2020 (Lund & van den Berg, 2020: another year)" in found.reasons[0]


def test_two_works_that_fit_a_typed_citation_are_told(desk: Desk):
    for document in desk.world.stored():
        assert document.citation is not None
        same = document.citation.model_copy(
            update={"csl": {"author": [{"family": "Lund"}]}, "year": 2020}
        )
        desk.world.catalogue.put_document(document.model_copy(update={"citation": same}))
    found = desk.only(f"{GONE} (Lund, 2020).")
    assert found.verdict is Verdict.UNKNOWN_KEY
    assert "fits 2 works" in found.reasons[0]
    assert set(found.close_keys) == {"ponds2020", "grids2019"}


def test_a_number_means_its_entry_and_a_changed_entry_is_judged_anew(desk: Desk):
    draft = f"{GONE} [1].\n\n# References\n\n[1] "
    found = desk.only(f"{draft}Lund, A. Ponds, in short. doi:10.5555/ponds")
    assert (found.key, found.written) == ("ponds2020", "[1]")
    for words in ("Nothing of ponds", "Nothing of rivers"):
        unknown = desk.only(f"{draft}Lee, A. (2001). {words}. Journal, 1.")
        assert unknown.verdict is Verdict.UNKNOWN_KEY
        assert words in unknown.reasons[0]


def test_a_typed_work_without_text(desk: Desk):
    found = desk.only("Moss (2018) says that ponds cool the air.")
    assert (found.verdict, found.key) == (Verdict.NO_TEXT, "unread2018")


def test_keys_and_typed_citations_in_one_draft(desk: Desk):
    found = desk(
        f"{GONE} [@ponds2020; @grids2019]. {GONE} (Quill, 2020; Lund et al., 2020)."
    ).findings
    assert [one.key for one in found] == ["ponds2020", "grids2019", "grids2019", "ponds2020"]


def test_a_month_is_an_author_only_if_the_project_has_one(desk: Desk):
    text = f"{GONE} (May 2020) [@ponds2020]."
    found = desk.only(text)
    assert found.key == "ponds2020"
    assert found.claim.text == f"{GONE} (May 2020)."
    for document in desk.world.stored():
        if document.citation is not None and document.citation.citekey == "grids2019":
            may = document.citation.model_copy(update={"csl": {"author": [{"family": "May"}]}})
            desk.world.catalogue.put_document(document.model_copy(update={"citation": may}))
    assert [one.key for one in desk(text).findings] == ["grids2019", "ponds2020"]


def test_a_command_that_is_not_listed_cites_a_known_key_and_else_is_named(desk: Desk):
    text = rf"{GONE} \mycite{{ponds2020}}. Grids are \excited{{nobody}} here."
    found = desk.verify(DraftText(text=text, markup=DraftMarkup.LATEX))
    assert [one.key for one in found.findings] == ["ponds2020"]
    assert found.warnings == ("text:1: \\excited was not read as a citation",)


def test_a_draft_whose_citations_are_all_unread_says_where_they_stand(desk: Desk):
    text = "Words.\n\n\\section{On \\cite{ponds2020}}"
    with pytest.raises(NoCitations, match=r"\\cite \(line 3\)"):
        desk.verify(DraftText(text=text, markup=DraftMarkup.LATEX))


def test_an_item_of_a_latex_list_is_found_by_its_entry(desk: Desk):
    text = rf"""{GONE} \cite{{mine}}.
    \begin{{thebibliography}}{{1}}
    \bibitem{{mine}} A. Lund. Ponds. 2020. doi:10.5555/ponds
    \end{{thebibliography}}"""
    (found,) = desk.verify(DraftText(text=text, markup=DraftMarkup.LATEX)).findings
    assert (found.key, found.written) == ("ponds2020", "mine")


def test_a_claim_on_an_item_without_text_has_the_verdict_no_text(desk: Desk):
    assert desk.only("Ponds cool the air [@unread2018].").verdict is Verdict.NO_TEXT


def test_quotation_marks_around_what_the_source_does_not_say(desk: Desk):
    found = desk.only("They saw “the cooling falls with time and is gone” [@ponds2020].")
    assert found.verdict is Verdict.MISQUOTED
    (wrong,) = found.misquoted
    assert wrong.closest is not None
    assert "distance" in wrong.closest
    assert wrong.difference == "quoted “time” for “distance”"
    assert "cooling falls with distance" in found.evidence[0].text
    assert len(found.reasons) == 1


def test_a_page_that_cannot_be_checked_is_named_whatever_else_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    judgement = Judgement(verdict="UNSUPPORTED", best=0, reasons=("one", "two", "three"))
    monkeypatch.setattr(desk.judge, "judge", lambda *_: judgement)
    found = desk.only("Gulls saw “the cooling falls with distance” [@ponds2020, p. 4].")
    assert found.reasons[-1] == "Its printed pages are not known: p. 4 was not checked."


def test_a_quotation_may_be_from_any_of_the_works_cited_for_it(desk: Desk):
    text = "They saw “the cooling falls with distance” [@grids2019; @ponds2020]."
    assert Verdict.MISQUOTED not in {one.verdict for one in desk(text).findings}


def test_each_cited_work_is_checked_and_counted(desk: Desk):
    found = desk("It is gone at one hundred metres [@ponds2020; @grids2019; @nobody2000].")
    assert [one.key for one in found.findings] == ["ponds2020", "grids2019", "nobody2000"]
    assert found.claims == 1
    assert found.counts[Verdict.SUPPORTED] == 1
    assert found.counts[Verdict.UNKNOWN_KEY] == 1


def test_what_has_not_changed_is_not_checked_again(desk: Desk):
    text = "It is gone at one hundred metres [@ponds2020]. Grids win [@ponds2020]."
    first = desk(text)
    asked = desk.judge.asked
    again = desk(f"A new first line.\n\n{text}")
    assert desk.judge.asked == asked
    assert again.cached == 2
    assert [f.verdict for f in again.findings] == [f.verdict for f in first.findings]
    assert again.findings[0].claim.begins.line == 3


def test_a_changed_claim_is_checked_again(desk: Desk):
    desk("It is gone at one hundred metres [@ponds2020].")
    found = desk("It is never gone at one hundred metres [@ponds2020].")
    assert found.cached == 0
    assert found.findings[0].verdict is Verdict.CONTRADICTED


def test_a_changed_document_is_read_again(desk: Desk):
    text = "It is gone at one hundred metres [@ponds2020]."
    desk(text)
    desk.world.write("ponds.md", PONDS.replace("one hundred", "two hundred"))
    desk.world.ingest()
    found = desk(text)
    assert found.cached == 0
    assert found.findings[0].verdict is Verdict.UNSUPPORTED


def test_a_new_document_may_be_a_better_source(desk: Desk):
    text = "Lakes warm the air in winter nights [@ponds2020]."
    assert desk(text).findings[0].better is None
    desk.world.write("lakes.md", "# Lakes\n\nThey say that lakes warm air in winter nights.\n")
    desk.world.ingest()
    better = desk(text).findings[0].better
    assert better is not None
    assert better.text == "They say that lakes warm air in winter nights."


def test_uncited_facts_are_listed_when_asked(desk: Desk):
    text = "About 12 ponds were seen to cool at one hundred metres.\n"
    assert desk(f"{text}\nGrids win [@grids2019].").uncited is None
    (found,) = desk(text, uncited=True).uncited or ()
    assert [quote.citekey for quote in found.candidates] == ["ponds2020"]


def test_a_draft_without_any_recognised_citation_is_refused_with_the_forms(desk: Desk):
    with pytest.raises(NoCitations, match=r"draft\.md: no citation was recognised.*Barba.*\[3"):
        desk("About 12 ponds were seen to cool at one hundred metres.\n")
    with pytest.raises(NoCitations, match="natbib"):
        desk.verify(DraftText(text="Ponds cool.", markup=DraftMarkup.LATEX))


def test_findings_that_cannot_be_read_are_made_anew(desk: Desk):
    text = "It is gone at one hundred metres [@ponds2020]."
    desk(text)
    kept = desk.folder / "verified" / "findings.jsonl"
    kept.write_text("no json\n" + kept.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert desk(text).cached == 0
    assert desk(text).cached == 1


def test_an_item_of_which_only_the_abstract_is_known(desk: Desk):
    for document in desk.world.stored():
        changed = document.model_copy(update={"mime_type": ITEM_TYPE})
        desk.world.catalogue.put_document(changed)
    found = desk("It is gone at one hundred metres [@ponds2020]. Grids win [@ponds2020].").findings
    assert [one.verdict for one in found] == [Verdict.SUPPORTED, Verdict.NO_TEXT]
    assert "abstract" in found[1].reasons[0]


def paged(*labels: str | None) -> ConversionResult:
    entries = tuple(
        PageEntry(page=number, label=label, spans=(CharSpan(start=number, end=number + 1),))
        for number, label in enumerate(labels, start=1)
    )
    structure = Structure(heading_tree=(), page_map=entries)
    return ConversionResult(doc_id="d", structure=structure, plain_text="x" * 20)


@each(
    ("locator", "labels", "expected"),
    [
        ("p. 128", ("127", "128", "129"), {2}),
        ("pp. 128-30", ("127", "128", "129"), {2, 3}),
        ("pp. iii-iv", ("iii", "iv", "1"), {1, 2}),
        ("127f.", ("127", "128", "129"), {1, 2}),
        ("p. 5", ("127", "128"), set()),
        ("PDF p. 2", ("127", "128"), {2}),
        ("p. 2", (None, None), None),
        ("p. 2", (), None),
        ("p. S12", ("S11", "S12"), {2}),
    ],
)
def test_the_pages_that_a_locator_names(locator, labels, expected):
    read, rest = parse_locator(locator)
    assert read is not None
    assert rest == ""
    assert pages_of(paged(*labels), read) == expected


@each("text", ["chap. 3", "mid 1990s", "see there", "sec. 2", "12th of May", ""])
def test_a_locator_without_a_page_is_a_note(text):
    assert parse_locator(text) == (None, text)


def test_english_words_that_are_short_words_of_other_languages_have_content():
    assert content_words("a theory of mind at 5 volt") == {"theory", "mind", "5", "volt"}


NESTS = """# Swans

Swans breed on small islands of the lake.

The eggs are laid in late spring, and both parents guard the nest against foxes.

Swans are large birds, which eat plants of the lake.

doi:10.5555/swans
"""


CLAIM_OF_TWO = "Swans breed on small islands, where both parents guard eggs."


def test_below_the_nearest_sentence_stands_the_one_that_adds_most(desk: Desk):
    desk.world.write("swans.md", NESTS)
    desk.world.ingest(references=desk.world.cite(an_item("swans", "10.5555/swans")))
    desk.judge = RuleJudge()
    found = desk.only(f"{CLAIM_OF_TWO[:-1]} [@swans].")
    assert found.verdict is Verdict.NOT_ESTABLISHED
    texts = [one.text for one in shown_evidence(found)]
    assert texts == [NESTS.split("\n\n")[1], NESTS.split("\n\n")[2]]
    assert found.reasons[-1] == "Another sentence of the source has “parents”, “guard”, “eggs”."
    more = desk.only(f"{CLAIM_OF_TWO[:-1]} and eat plants [@swans].")
    assert [one.text for one in shown_evidence(more)] == texts
    assert more.reasons[-1] == (
        "The nearest sentence does not have “eat”, “plants”; another sentence of the source has "
        "“parents”, “guard”, “eggs”."
    )
    quoted = desk.only(f"{CLAIM_OF_TWO[:-1]}, and “the swans of this lake never sleep” [@swans].")
    assert quoted.verdict is Verdict.MISQUOTED
    assert not any("another sentence" in one for one in quoted.reasons)
    altered = desk.only("Swans breed where “both parents guard all eggs in the nest” [@swans].")
    assert altered.verdict is Verdict.MISQUOTED
    assert [one.text for one in altered.evidence[:2]] == texts[::-1]


class LikesLast:
    """A reranker that is sure of sentences with a certain word."""

    name, fingerprint = "bundled", "0" * 64

    def __init__(self, word: str) -> None:
        self.word, self.read = word, 0

    def rerank(self, query: str, passages: Sequence[str], *_: object) -> list[float]:
        self.read += len(passages)
        return [0.9 if self.word in one else 0.1 for one in passages]


def test_the_reranker_has_a_say_in_the_order_of_evidence_unless_the_settings_forbid_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker = LikesLast("foxes")
    world = World(tmp_path / "library", reranker=reranker)
    world.write("swans.md", NESTS)
    world.ingest(references=world.cite(an_item("swans", "10.5555/swans")))
    desk, searcher = Desk(world, tmp_path), world.searcher
    cached: list[bool] = []
    for reads in (False, True, False):
        monkeypatch.setattr(World, "searcher", replace(searcher, rerank=reads))
        found = desk.only("Swans by the lake at a nest never saw an ostrich [@swans].")
        assert ("foxes" in found.evidence[0].text) is reads
        assert bool(reranker.read) is (reads or bool(cached))
        cached.append(found.cached)
    assert cached == [False, False, True]
