"""Open drafts, their changes and the options of a client."""

from lsprotocol import types
from support.cases import each

from citeloom_lsp.infrastructure.buffers import OpenDrafts
from citeloom_lsp.infrastructure.session import read_options

URI = "file:///d.md"


def opened(text: str) -> OpenDrafts:
    drafts = OpenDrafts()
    item = types.TextDocumentItem(URI, "markdown", 1, text)
    assert drafts.open(item, "utf-16") is not None
    return drafts


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> object:
    span = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(span, text)


def test_changes_are_applied_one_after_the_other() -> None:
    drafts = opened("one\ntwo\nthree\n")
    document = types.VersionedTextDocumentIdentifier(7, URI)
    draft = drafts.change(document, [change((0, 0), (1, 0), ""), change((1, 0), (1, 5), "x")])
    assert draft is not None
    assert (draft.buffer.text, draft.buffer.version) == ("two\nx\n", 7)
    assert draft.touched == (0, 5)


def test_findings_of_another_text_are_not_taken() -> None:
    drafts = opened("one")
    draft = drafts.get(URI)
    assert draft is not None
    drafts.change(types.VersionedTextDocumentIdentifier(2, URI), [change((0, 0), (0, 0), "x")])
    assert drafts.found(draft.buffer, ()) is None
    latest = drafts.get(URI)
    assert latest is not None
    taken = drafts.found(latest.buffer, ())
    assert taken is not None
    assert taken.touched is None


def test_what_is_not_open() -> None:
    drafts = OpenDrafts()
    other = types.TextDocumentItem("file:///a.py", "python", 1, "x")
    assert drafts.open(other, "utf-16") is None
    assert drafts.change(types.VersionedTextDocumentIdentifier(2, URI), []) is None
    assert not drafts.close(URI)


@each(
    ("given", "project", "verifies", "told"),
    [
        (None, None, True, None),
        ({"project": "thesis", "verifyOnSave": False}, "thesis", False, None),
        ({"project": "thesis", "projekt": 1}, "thesis", True, "projekt"),
        ({"project": 7, "verifyOnSave": False}, None, False, "project"),
        (["thesis"], None, True, "object"),
    ],
)
def test_options_that_are_wrong_are_told_and_the_others_kept(
    given: object, project: str | None, verifies: bool, told: str | None
) -> None:
    options, problem = read_options(given)
    assert (options.project, options.verify_on_save) == (project, verifies)
    assert (problem is None) == (told is None)
    assert told is None or told in str(problem)
