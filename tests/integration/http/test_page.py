"""The views of the web page, on a library in memory."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx2
import pytest
from support.builders import annotation
from support.http_client import client_at
from support.http_server import serving
from support.paged import DOI, PagedConverter
from support.world import GRIDS, PONDS, World, an_item

HOSTILE = (
    "# <script>alert(1)</script> \"ponds\"\n\nIt is <b>gone</b> at 'one' hundred & ten metres.\n"
)
ASKED = {"project": "thesis", "q": "cooling at one hundred metres"}
MEASURED = {"project": "thesis", "q": "measured samples of the ponds"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("library"))
    for name, text in {"ponds": PONDS, "grids": GRIDS, "hostile": HOSTILE}.items():
        world.write(f"{name}.md", text)
    world.ingest()
    return world


@pytest.fixture(scope="module")
def page(world: World) -> Iterator[httpx2.Client]:
    with serving(world) as address, client_at(address) as client:
        yield client


def test_the_first_view_is_the_question(page: httpx2.Client) -> None:
    answer = page.get("/", follow_redirects=True)
    assert (answer.status_code, answer.url.path) == (200, "/ask")
    assert "Ask in your own words" in answer.text
    assert re.search(r'<option value="local/thesis" selected>thesis \(3\)', answer.text)


def test_a_question_shows_its_passages_by_paper(page: httpx2.Client) -> None:
    text = page.get("/ask", params=ASKED).text
    assert "gone at one hundred metres" in text
    assert "The source has no pages" in text
    assert text.count('<article class="paper">') == len(set(re.findall(r'/paper\?[^"]+', text)))


def test_filters_tell_what_they_count(page: httpx2.Client) -> None:
    text = page.get("/ask", params=MEASURED).text
    group = text.partition('aria-label="section, number of passages found"')[2]
    found = re.findall(
        r'filter=section%3D(\w+)"><span>(\w+)</span> <span class="count">(\d+)', group
    )
    assert {name for name, _, _ in found} >= {"Methods", "Results"}
    for name, told, count in found:
        assert name == told
        again = page.get("/ask", params={**MEASURED, "filter": f"section={name}"}).text
        assert again.count('<li class="hit') == int(count)
        assert "remove the filter" in again


def test_what_papers_say_is_never_markup(page: httpx2.Client) -> None:
    for path, asked in (
        ("/ask", {"project": "thesis", "q": '<i>gone</i> "one hundred'}),
        ("/library", {"project": "thesis", "words": "<u>script"}),
        ("/library", {"project": "thesis"}),
        ("/ask", {"project": "thesis", "q": "x", "filter": "<s>=1"}),
    ):
        answer = page.get(path, params=asked).text
        for tag in ("script>alert", "<b>", "<i>", "<u>", "<s>"):
            assert tag not in answer
    assert "<script>alert(1)</script>" in unescape(page.get("/library?project=thesis").text)


def test_an_error_is_told_on_the_page_with_the_next_step(page: httpx2.Client) -> None:
    absent = page.get("/ask", params={"project": "nowhere", "q": "x"})
    assert (absent.status_code, absent.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "local/nowhere: no such project" in absent.text
    wrong = page.get("/ask", params={"project": "thesis", "q": "x", "filter": "bad"})
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (400, True)
    assert page.get("/paper?project=thesis&document=nobody").status_code == 404


def test_a_browser_sees_problems_as_pages_and_a_program_as_data(
    page: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("citeloom.infrastructure.http.page.views.listed", listed)
    once = {"connection": "close"}  # The server closes the connection after a fault.
    reading = {"accept": "text/html,*/*", **once}
    for path, status, words in (
        ("/nothing", 404, "Page not found"),
        ("/ask?hit=x", 400, "Hit: "),
        ("/library?project=thesis", 500, "citeloom doctor"),
    ):
        answer = page.get(path, headers=reading)
        assert (answer.status_code, words in unescape(answer.text)) == (status, True), path
        assert re.search(r'<a href="/library">', answer.text)
        assert page.get(path, headers=once).json()["status"] == status
    assert page.get("/api/v1/nothing", headers=reading).json()["status"] == 404


def test_a_question_without_an_answer_gets_a_panel_with_what_to_do(page: httpx2.Client) -> None:
    asked = {"project": "thesis", "q": "who was the king of France?"}
    text = page.get("/ask", params=asked).text
    assert 'id="doubt">Probably not in these papers</h2>' in text
    assert '<a href="/library?project=local/thesis">add the paper</a>' in text
    assert 'id="doubt"' not in page.get("/ask", params=ASKED).text


def test_a_paper_without_a_key_is_asked_by_its_id(page: httpx2.Client, world: World) -> None:
    document = world.document("ponds").document_id
    asked = {**ASKED, "filter": f"doc={document}"}
    assert page.get("/ask", params=asked).text.count('<article class="paper">') == 1


def test_an_empty_library_begins_with_three_steps_and_the_sample_papers(tmp_path: Path) -> None:
    served = serving(World(tmp_path), secret="open")
    with served as address, httpx2.Client(base_url=address) as client:
        text = client.get("/ask").text
        (files,) = re.findall(r'id="samples" data-files="([^"]+)"', text)
        assert (text.count("<li><strong>"), len(files.split())) == (3, 5)
        assert all(client.get(f"/samples/{one}").status_code == 200 for one in files.split())


def test_papers_are_sorted_and_found_by_words(page: httpx2.Client) -> None:
    titles = re.compile(r'data-name="Title"><a href="[^"]+">([^<]+)<')
    by_title = page.get("/library?project=thesis&sort=title").text
    assert titles.findall(by_title) == sorted(titles.findall(by_title), key=str.casefold)
    assert re.search(r'aria-sort="ascending"><a href="[^"]+">Title<', by_title)
    assert titles.findall(page.get("/library?project=thesis&words=grid").text) == [
        "Grid, random or transect"
    ]
    turned = page.get("/library?project=thesis&sort=title&descending=true").text
    assert titles.findall(turned) == titles.findall(by_title)[::-1]
    assert 'aria-sort="descending"' in turned


def test_papers_to_look_at_are_counted_and_chosen(page: httpx2.Client) -> None:
    text = page.get("/library?project=thesis").text
    assert re.search(r'state=provisional"><span>provisional</span> <span class="count">3<', text)
    assert "3 of 3 papers have a provisional citation" in text
    chosen = page.get("/library?project=thesis&state=file+missing").text
    assert "No paper matches all of this" in chosen


def test_a_paper_without_pages_shows_its_contents_and_text(page: httpx2.Client) -> None:
    text = page.get("/paper?project=thesis&document=ponds").text
    assert re.findall(r"<li>\s*(?:<a[^>]*>)?(Methods|Results)", text) == ["Methods", "Results"]
    assert "gone at one hundred metres" in text


def test_nothing_is_loaded_from_elsewhere_and_no_script_is_inline(page: httpx2.Client) -> None:
    for path in ("/ask", "/library", "/paper?project=thesis&document=ponds", "/api/v1/projects"):
        answer = page.get(path, params=ASKED if path == "/ask" else {})
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not re.search(r'<script(?![^>]*src="/static/)|\sstyle=|\son\w+=', answer.text)
        assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text)


def test_static_files_are_sent_once(page: httpx2.Client) -> None:
    for name in ("site.css", "reader.js", "basket.js", "icon.svg"):
        first = page.get(f"/static/{name}")
        assert first.status_code == 200
        again = page.get(f"/static/{name}", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
    assert page.get("/static/../views.py").status_code == 404
    assert page.get("/static/%2e%2e/views.py").status_code == 404


def test_related_papers_and_marks_are_shown_with_links(tmp_path: Path) -> None:
    world = World(tmp_path)
    items = [an_item("one2020", "10.1000/ponds"), an_item("two2021", "10.1000/ponds", 2021)]
    world.write("one.md", PONDS)
    world.write("two.md", GRIDS)
    world.ingest(references=world.cite(*items))
    one = world.document("one")
    note = annotation("It is <b>gone</b>", page=2, comment="compare")
    world.application.stores.annotations.put(one.project_id, one.document_id, [note])
    path = f"/paper?project=thesis&document={one.document_id}"
    with serving(world) as address, client_at(address) as client:
        text = client.get(path).text
        assert "It is &lt;b&gt;gone&lt;/b&gt;" in text
        assert "compare" in text
        assert "page=2#page" in text
        related = unescape(client.get(f"{path}&related=true").text)
    assert "Cited by" in related


GUARDED = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def assert_guarded(answer: httpx2.Response) -> None:
    assert {name: answer.headers[name] for name in GUARDED} == GUARDED
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "camera=()" in answer.headers["permissions-policy"]


@pytest.mark.parametrize(
    ("path", "told", "status"),
    [
        ("/ask", {}, 200),
        ("/api/v1/nothing", {}, 404),
        ("/ask", {"host": "evil.example.org"}, 421),
        ("/ask", {"origin": "https://evil.example.org"}, 403),
        ("/ask", {"origin": "http://127.0.0.1:1"}, 403),
    ],
)
def test_every_answer_keeps_other_pages_and_caches_out(
    page: httpx2.Client, path: str, told: dict[str, str], status: int
) -> None:
    answer = page.get(path, headers=told)
    assert answer.status_code == status
    assert_guarded(answer)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/static/site.css", "/api/v1/projects"])
def test_what_a_browser_may_keep_is_kept_by_it_alone(page: httpx2.Client, path: str) -> None:
    answer = page.get(path)
    assert answer.headers["etag"]
    assert_guarded(answer)
    assert answer.headers["cache-control"] == "private, no-cache"


COPIED = re.compile(r'data-copy="(“[^"]+)"')


def test_a_quotation_begins_with_its_sentence_not_with_the_heading(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest(references=world.cite(an_item("ponds2020", "10.5555/ponds")))
    asked = {"project": "thesis", "q": "cooling is gone at one hundred metres"}
    with serving(world) as address, client_at(address) as client:
        text = unescape(client.get("/ask", params=asked).text)
    sentence = "The cooling falls with distance and is gone at one hundred metres."
    assert f"<blockquote><mark>{sentence}</mark>" in text
    (copied,) = COPIED.findall(text)
    assert copied.startswith(f"“{sentence}” [@ponds2020, ")


def test_a_quotation_is_cited_with_the_page_of_its_sentence(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.converter = pages = PagedConverter()
    pages.printed = {1: "11", 2: "12", 3: "13"}
    world.write("ponds.md", "as if this were three pages")
    world.ingest(references=world.cite(an_item("ponds2020", DOI)))
    asked = {"project": "thesis", "q": "The cooling falls with distance from the water"}
    with serving(world) as address, client_at(address) as client:
        text = unescape(client.get("/ask", params=asked).text)
    assert "pp. 11–13" in text
    (copied,) = COPIED.findall(text)
    assert copied == "“The cooling falls with distance from the water.” [@ponds2020, p. 12]"


@pytest.mark.parametrize("read", [(2,), (3,), ()])
def test_a_quotation_that_was_read_by_ocr_says_so(tmp_path: Path, read: tuple[int, ...]) -> None:
    world = World(tmp_path)
    world.converter = pages = PagedConverter()
    pages.ocr_pages = read
    world.write("ponds.md", "as if this were three pages")
    world.ingest(references=world.cite(an_item("ponds2020", DOI)))
    asked = {"project": "thesis", "q": "The cooling falls with distance from the water"}
    with serving(world) as address, httpx2.Client(base_url=address) as client:
        text = client.get("/ask", params=asked).text
    assert text.count('data-note="read by OCR: compare with the page"') == (2 if 2 in read else 0)


def test_a_provisional_citation_can_be_copied_and_is_marked(page: httpx2.Client) -> None:
    asked = page.get("/ask", params=ASKED).text
    paper = page.get(unescape(re.findall(r'/paper\?[^"]+', asked)[0])).text
    assert re.search(r'data-copy="[^"]*\[@anonnd', asked)
    for text in (asked, paper):
        assert re.search(r'<span class="flag" title="[^"]+">provisional</span>', text)


def test_a_paper_without_title_is_called_by_its_file_not_by_its_folders(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("scan.md", "It is gone at one hundred metres.\n")
    world.ingest()
    asked = {"project": "thesis", "q": "gone at one hundred metres"}
    with serving(world) as address, httpx2.Client(base_url=address) as client:
        answer = client.get("/ask", params=asked).text
        paper = unescape(re.findall(r'/paper\?[^"]+', answer)[0])
        for text in (answer, client.get("/library?project=thesis").text, client.get(paper).text):
            assert "scan.md<" in text
            assert str(world.folder) not in text
