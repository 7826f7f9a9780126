"""Observations as text: the forms that are specified, and nothing that text can break out of."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from citeloom.domain.resources.observations import (
    Listed,
    ObsBody,
    ObsChunk,
    ObsCollection,
    Observation,
    ObsFile,
    ObsMedia,
    ObsPlain,
    SectionTitle,
    render_body,
    render_info,
)

DOC = "ndk://file/p/a"


def a_chunk(text: str, description: str | None = None, **more: str) -> ObsChunk:
    return ObsChunk(
        uri=f"{DOC}/$chunk/01", document=DOC, text=text, description=description, **more
    )


def test_a_document_in_brief_is_one_escaped_element() -> None:
    body = ObsBody(uri=f"{DOC}/$body", document=DOC, description='Tea & "ponds" <b>')
    assert render_info(body) == (
        f'<document uri="{DOC}" description="Tea &amp; &quot;ponds&quot; &lt;b&gt;" />'
    )


def test_a_document_of_one_part_in_full() -> None:
    body = ObsBody(uri=f"{DOC}/$body", document=DOC, chunk=a_chunk("# A\n\na < b & c"))
    assert render_body(body) == (
        f'<document uri="{DOC}">\n<document-chunk uri="{DOC}/$chunk/01">\n'
        "# A\n\na &lt; b &amp; c\n</document-chunk>\n</document>"
    )


def test_a_long_document_in_full_is_its_table_of_contents() -> None:
    body = ObsBody(
        uri=f"{DOC}/$body",
        document=DOC,
        contents=(
            Listed(uri=f"{DOC}/$chunk/00", description="A: It begins."),
            SectionTitle(title="B & C", level=2),
            Listed(uri=f"{DOC}/$chunk/01/00"),
        ),
        media=(Listed(uri=f"{DOC}/$media/figure-1.png", description="Figure 1: A pond."),),
    )
    assert render_body(body).splitlines() == [
        f'<document uri="{DOC}">',
        f'<document-chunk uri="{DOC}/$chunk/00" description="A: It begins." />',
        "## B &amp; C",
        f'<document-chunk uri="{DOC}/$chunk/01/00" />',
        f'<blob uri="{DOC}/$media/figure-1.png" description="Figure 1: A pond." />',
        "</document>",
    ]


def test_a_part_stands_in_its_document() -> None:
    assert render_body(a_chunk("It says.", within=f"{DOC}/$chunk/02")) == (
        f'<document uri="{DOC}">\n<document-chunk uri="{DOC}/$chunk/01" '
        f'within="{DOC}/$chunk/02">\nIt says.\n</document-chunk>\n</document>'
    )
    assert render_info(a_chunk("It says.", "What it says.")) == (
        f'<document-chunk uri="{DOC}/$chunk/01" description="What it says." />'
    )


def test_plain_text_stands_in_a_fence() -> None:
    plain = ObsPlain(uri=f"{DOC}/$plain", mime_type="text/markdown", text="# A\n<x>")
    assert render_body(plain) == (
        f'<plain uri="{DOC}/$plain" mimetype="text/markdown">\n'
        "```markdown\n# A\n&lt;x&gt;\n```\n</plain>"
    )
    assert render_info(plain) == f'<plain uri="{DOC}/$plain" mimetype="text/markdown" />'


@each("text", ["```\nx\n```", "````", "a ``` b", "`````x```"])
def test_no_text_ends_its_fence(text: str) -> None:
    plain = ObsPlain(uri=f"{DOC}/$plain", mime_type="text/plain", text=text)
    lines = render_body(plain).splitlines()
    fence = lines[1].removesuffix("plain")
    assert set(fence) == {"`"}
    assert lines[-2] == fence
    assert fence not in text


def test_a_picture_is_stood_in_for() -> None:
    picture = ObsMedia(uri=f"{DOC}/$media/a.png", mime_type="image/png", placeholder="A <pond>")
    assert render_body(picture) == (
        f'<blob uri="{DOC}/$media/a.png" mimetype="image/png">A &lt;pond&gt;</blob>'
    )
    assert 'description="A &lt;pond&gt;"' in render_info(picture)


def test_collections_name_their_members_and_files_their_place() -> None:
    collection = ObsCollection(
        uri=f"{DOC}/$collection", resources=(Listed(uri="ndk://file/p/b", description="B"),)
    )
    assert '<resource uri="ndk://file/p/b" description="B" />' in render_body(collection)
    assert render_info(collection) == f'<collection uri="{DOC}/$collection" />'
    file = ObsFile(uri=f"{DOC}/$file", path='/a "b".pdf', mime_type="application/pdf")
    assert 'path="/a &quot;b&quot;.pdf"' in render_body(file)
    assert "path" not in render_info(file)


@given(st.text(max_size=80))
def test_whatever_a_document_says_the_rest_stays_as_it_is(text: str) -> None:
    seen: list[Observation] = [
        ObsBody(uri=DOC, document=DOC, description=text, chunk=a_chunk(text, text)),
        ObsBody(uri=DOC, document=DOC, contents=(SectionTitle(title=text, level=1),)),
        a_chunk(text, text),
        ObsMedia(uri=DOC, mime_type="image/png", placeholder=text),
        ObsPlain(uri=DOC, mime_type="text/plain", text=text),
        ObsFile(uri=DOC, mime_type="text/plain", path=text),
    ]
    for one in seen:
        for rendered in (render_info(one), render_body(one)):
            element = ElementTree.fromstring(rendered)
            assert element.attrib["uri"] == DOC or element.attrib["uri"].startswith(DOC)
            assert {child.tag for child in element} <= {"document-chunk"}


def test_what_xml_cannot_write_parts_words_still() -> None:
    assert "tasks\ufffdand" in render_body(a_chunk("tasks\uffffand"))
