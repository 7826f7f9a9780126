"""Text of pages that failed the comparison: every verb that quotes it says so."""

from pathlib import Path

import pytest
from support.research.reviews import Desk
from support.world import HERE, World, an_item

from citeloom.application.documents.stores import SecondReading
from citeloom.application.ports.verification import DraftText
from citeloom.application.validation.checks import Check, Status
from citeloom.application.verification.judges import RuleJudge
from citeloom.application.verification.verify import Verify, VerifyRequest
from citeloom.domain.documents.fidelity import PDF, DocumentFidelity, compare_page
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.verification.drafts.draft import Finding
from citeloom.domain.verification.verdict import Verdict
from citeloom.infrastructure.cli.search.hits_view import as_markdown, place_line
from citeloom.infrastructure.mcp.answers.contents import found
from citeloom.infrastructure.mcp.handlers.projects import inspected
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile

FIRST = (
    "The cooling beside small ponds falls with distance and is gone at one hundred metres. "
    "We measured it on ninety summer evenings with sensors that were compared in a shelter."
)
SECOND = (
    "The square grid has the smallest error at every sample size that was drawn from the field. "
    "Random points have no such trouble with drained plots of any kind or number."
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A document of three pages: the first is right, the second uncertain, the third unknown."""
    world = World(tmp_path / "library")
    third = "# Lakes\n\nWind carries the cooling of lakes to town."
    world.write("paged.md", f"# Ponds\n\n{FIRST}\f\n# Grids\n\n{SECOND}\f\n{third}")
    world.ingest(references=world.cite(an_item("paged", "10.5555/p", title="Paged")))
    (stored,) = world.stored()
    compared = [compare_page(1, FIRST, [FIRST]), compare_page(2, SECOND, [SECOND[::-1]])]
    fidelity = DocumentFidelity.of(compared, [1, 2, 3])
    world.catalogue.put_document(stored.model_copy(update={"fidelity": fidelity, "mime_type": PDF}))
    return world


def test_a_hit_tells_whether_its_text_is_uncertain(world: World) -> None:
    by_page = {item.page_span: item for item in world.query("cooling grid error wind").items}
    assert {pages: item.text_uncertain for pages, item in by_page.items()} == {
        (1, 1): False,
        (2, 2): True,
        (3, 3): None,
    }
    assert place_line(by_page[2, 2]).endswith(" (text uncertain)")
    assert "uncertain" not in place_line(by_page[1, 1]) + place_line(by_page[3, 3])


def test_quotations_and_answers_carry_the_mark(world: World) -> None:
    result = world.query("which error has the square grid", top_k=1, context=1)
    (item,) = result.items
    assert f"{item.citation} (text uncertain)" in as_markdown(result)
    (shown,) = found([result])["items"]
    assert shown["text_uncertain"] is True
    assert not any("text_uncertain" in near for near in shown["context"])
    (other,) = found([world.query("ninety summer evenings", top_k=1, context=1)])["items"]
    assert "text_uncertain" not in other
    assert [near.get("text_uncertain") for near in other["context"]] == [True]


def test_a_disputed_sentence_is_named_wherever_its_passage_is_shown(world: World) -> None:
    (stored,) = world.stored()
    assert stored.fidelity is not None
    sentence = FIRST[FIRST.index("We measured") :]
    (item,) = world.query("ninety summer evenings", top_k=1).items
    start = item.char_span[0] + item.text.index(sentence)
    span = CharSpan(start=start, end=start + len(sentence))
    fidelity = stored.fidelity.model_copy(update={"disputed": (span,)})
    world.catalogue.put_document(stored.model_copy(update={"fidelity": fidelity}))
    result = world.query("ninety summer evenings", top_k=1)
    (item,) = result.items
    assert (item.text_uncertain, item.disputed) == (True, (sentence,))
    assert f"{item.citation} (text uncertain)" in as_markdown(result)
    (shown,) = found([result])["items"]
    assert (shown["text_uncertain"], shown["disputed"]) == (True, [sentence])
    (other,) = world.query("cooling lakes wind", top_k=1).items
    assert other.disputed == ()


def test_documents_that_were_never_compared_are_unknown(world: World) -> None:
    (stored,) = world.stored()
    world.catalogue.put_document(stored.model_copy(update={"fidelity": None}))
    assert {item.text_uncertain for item in world.query("cooling grid").items} == {None}
    (check,) = fidelity_checks(world)
    assert check.status is Status.WARN
    assert "text that was not compared with the page" in check.message
    (one,) = world.projects.inspect(HERE).fidelity
    assert one.fidelity is None


def test_inspect_and_validate_name_document_page_and_shares(world: World) -> None:
    inspection = world.projects.inspect(HERE, None)
    (one,) = inspection.fidelity
    assert one.citekey == "paged"
    assert one.fidelity is not None
    assert one.fidelity.uncertain == (2,)
    assert [page.page for page in one.fidelity.worst] == [2]
    samples = {tuple(s["page_span"]): s["text_uncertain"] for s in inspection.samples}
    assert samples == {(1, 1): False, (2, 2): True, (3, 3): None}
    assert inspected(inspection)["text_uncertain"] == [{"document": "paged", "pages": (2,)}]
    (check,) = fidelity_checks(world)
    assert check.status is Status.WARN
    assert "paged.md (page 2: 0 % kept, 0 % true, 0 % in order)" in check.message


def test_a_project_whose_pages_all_pass_passes(world: World) -> None:
    (stored,) = world.stored()
    right = DocumentFidelity.of([compare_page(1, FIRST, [FIRST])], [1])
    world.catalogue.put_document(stored.model_copy(update={"fidelity": right}))
    (check,) = fidelity_checks(world)
    assert check.status is Status.PASS


def fidelity_checks(world: World) -> list[Check]:
    checks = world.projects.validate(HERE).checks
    return [check for check in checks if check.check == "text fidelity"]


class Draft:
    def __init__(self, world: World, folder: Path) -> None:
        self._verify = Verify(
            catalogue=world.catalogue,
            bundles=world.bundles,
            searcher=world.searcher,
            references=world.references,
            drafts=DraftFiles(),
            judge=RuleJudge(),
            cache=FindingFile(folder / "findings.jsonl"),
            clock=world.clock,
        )

    def finding(self, text: str) -> Finding:
        request = VerifyRequest(project_id=HERE, draft=DraftText(text=text))
        (finding,) = self._verify(request).findings
        return finding


@pytest.fixture
def draft(world: World, tmp_path: Path) -> Draft:
    return Draft(world, tmp_path)


def test_an_altered_quotation_of_an_uncertain_page_is_not_called_misquoted(draft: Draft) -> None:
    altered = '"The square grid has the largest error at every sample size" [@paged].'
    finding = draft.finding(altered)
    assert finding.verdict is not Verdict.MISQUOTED
    assert finding.misquoted == ()
    assert "cannot be checked: the text of page 2 is uncertain." in finding.reasons[0]


def test_an_altered_quotation_of_a_page_that_passed_is_misquoted(draft: Draft) -> None:
    altered = '"The cooling beside small ponds grows with distance and is gone" [@paged].'
    assert draft.finding(altered).verdict is Verdict.MISQUOTED


def test_what_is_quoted_from_nowhere_may_stand_on_the_uncertain_page(draft: Draft) -> None:
    words = "A zeppelin crossed the northern ocean twice in that decade"
    finding = draft.finding(f'"{words}" [@paged].')
    assert finding.verdict is not Verdict.MISQUOTED
    assert "page 2 is uncertain" in finding.reasons[0]
    certain = draft.finding(f'"{words}" [@paged, PDF p. 1].')
    assert certain.verdict is Verdict.MISQUOTED


def test_a_supported_claim_with_an_unchecked_quotation_is_partial(draft: Draft) -> None:
    words = SECOND.partition(".")[0]
    exact = draft.finding(f'"{words}" [@paged].')
    assert exact.verdict is Verdict.SUPPORTED
    assert exact.evidence[0].text_uncertain is True
    altered = draft.finding(f'"{words.replace("every", "each")}" [@paged].')
    assert altered.verdict is Verdict.PARTIAL


def test_a_review_quotes_uncertain_text_as_another_reading_has_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(World(tmp_path / "library"))
    sentence = "The cooling beside small ponds is lost where wind blows over dry banks."
    desk.world.write("paged.md", f"# Banks\n\n{sentence}\f\n# Others\n\nNothing of it here.")
    desk.world.ingest()
    before = desk.review()(desk.request())
    assert sentence in (before.report or "")
    stored = next(one for one in desk.world.stored() if one.path and "paged" in one.path)
    failed = DocumentFidelity.of([compare_page(1, FIRST, [SECOND])], [1])
    desk.world.catalogue.put_document(stored.model_copy(update={"fidelity": failed}))
    after = desk.review()(desk.request())
    assert sentence not in (after.report or "")
    confirmed = "only what another reading of the file confirms is quoted"
    note = f"of page 1 {confirmed}, since the text is uncertain"
    assert any(note in one for one in after.warnings)
    monkeypatch.setattr(SecondReading, "has", lambda *_: True)
    assert sentence in (desk.review()(desk.request()).report or "")
