"""``citeloom resolve`` on the sample library: every address opens, at the right pages."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from support.command_line import environment, inside

from citeloom.application.places.cut import ResolveRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.composition.application import open_application

KEY = "quillenbrookGridRandomTransect2019"


def page_texts(path: Path, pages: list[int] | None = None) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        chosen = [pdf[n - 1] for n in pages] if pages else list(pdf)
        return [page.get_textpage().get_text_bounded() for page in chosen]


def resolved(samples: Path, *arguments: str) -> dict[str, Any]:
    done = inside("resolve", *arguments, "-p", "samples", "--json", workspace=samples)
    assert done.code == 0, done.err
    found: dict[str, Any] = done.json
    return found


def test_every_node_of_every_paper_opens_at_its_pages(samples: Path) -> None:
    project = ProjectId.parse("samples")
    opened = open_application(samples)
    nodes = 0
    try:
        for stored in opened.stores.catalogue.documents(project):
            resource = opened.maps.structure.map(project, stored.document_id)
            for node in resource.walk():
                request = ResolveRequest(
                    project_id=project, name=resource.resource_id, node_id=node.id
                )
                virtual = opened.maps.cut.resolve(request.model_copy(update={"virtual": True}))
                found = opened.maps.cut.resolve(request)
                assert found.warnings == virtual.warnings == ()
                assert found.evidence.address == virtual.evidence.address
                if node.location.modality == "virtual":
                    continue
                assert found.evidence.output_path is not None
                pages = list(node.location.pages or ())
                assert page_texts(Path(found.evidence.output_path)) == page_texts(
                    Path(resource.source_path), pages
                )
                nodes += 1
    finally:
        opened.close()
    assert nodes > 20


def test_the_address_of_a_passage_opens_the_pages_that_hold_its_words(
    samples: Path, passages: list[dict[str, Any]]
) -> None:
    passage = next(one for one in passages if one["citekey"] == KEY and len(one["text"]) > 300)
    found = resolved(samples, passage["address"], "--quote", passage["text"][20:200])
    first, last = passage["page_span"]
    path = Path(found["output_path"])
    assert path.parent == samples / ".citeloom" / "evidence"
    texts = page_texts(path)
    assert texts == page_texts(Path(passage["source_path"]), list(range(first, last + 1)))
    assert passage["text"].split()[10] in " ".join(texts)
    assert found["address"] == passage["address"]


def test_the_command_prints_the_file_and_gives_it_again(samples: Path) -> None:
    done = inside("resolve", KEY, "abstract", "-p", "samples", workspace=samples)
    assert done.code == 0, done.err
    path = Path(done.out.strip())
    content = path.read_bytes()
    path.unlink()
    again = inside("resolve", "abstract", "-res", KEY, "-p", "samples", workspace=samples)
    assert again.out == done.out
    assert path.read_bytes() == content
    assert "[abstract]" in done.err


def test_a_virtual_place_loads_nothing_that_cuts(samples: Path) -> None:
    command = [
        sys.executable, "-X", "importtime", "-m", "citeloom", "resolve", f"{KEY}.abstract", "-p",
        "samples", "--virtual", "--json", "--workspace", str(samples),
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), check=True
    )
    assert '"output_path": null' in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    heavy = {"pikepdf", "PIL", "imageio_ffmpeg", "pypdfium2", "docling", "onnxruntime"}
    assert "citeloom.application.places.cut" in loaded
    assert not heavy & loaded


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nobody", "x"], 3, "nobody: no such document"),
        ([KEY, "nope"], 3, "Node 'nope' not found in resource '"),
        (["doc://../etc#pages=1"], 2, "doc://../etc#pages=1: no address: "),
        ([f"doc://{KEY}#pages=99"], 2, "no page 99"),
        (["abstract", "x", "--resource", KEY], 2, "--resource: names the document; leave x out"),
        ([KEY, "--page", "99"], 2, "99"),
        ([f"doc://{KEY}#pages=1", "--quote", "no such words"], 2, "is not on these pages"),
    ],
)
def test_what_cannot_be_opened_is_refused(
    samples: Path, arguments: list[str], code: int, said: str
) -> None:
    done = inside("resolve", *arguments, "-p", "samples", workspace=samples)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err
