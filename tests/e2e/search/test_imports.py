"""Commands load only what they need."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import environment

HEAVY = (
    "docling",
    "docling_core",
    "docling_parse",
    "fastembed",
    "onnxruntime",
    "sqlalchemy",
    "mcp",
    "scipy",
)


def loaded_after(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(','.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=True,
    )
    return set(done.stdout.strip().splitlines()[-1].split(","))


def of_citeloom(modules: set[str]) -> list[str]:
    return [name for name in modules if name.partition(".")[0].startswith("citeloom")]


def test_help_loads_no_heavy_library() -> None:
    modules = loaded_after(
        "import typer\n"
        "import citeloom.infrastructure.cli.doctor\n"
        "from citeloom.infrastructure.cli.app import app\n"
        "assert 'importlib.metadata' not in sys.modules, 'a version is read at once'\n"
        "assert all(command.help for command in typer.main.get_command(app).commands.values())"
    )
    assert "citeloom.infrastructure.cli.zotero" in modules
    assert modules.isdisjoint({*HEAVY, "pydantic", "rich"})


def test_a_query_loads_no_other_command_and_nothing_to_print_tables(samples: Path) -> None:
    modules = loaded_after(
        "import contextlib, os\n"
        "sys.argv[1:] = ['query', 'pond', '-p', 'samples', '--json', "
        f"'--workspace', {str(samples)!r}]\n"
        "from citeloom.infrastructure.cli.app import main\n"
        "os._exit = sys.exit\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()\n"
    )
    package = "citeloom.infrastructure.cli."
    ours = {name.removeprefix(package) for name in modules if name.startswith(package)}
    assert "search.query" in ours
    others = {"ingest", "projects", "research", "serve", "verification", "watch", "library"}
    assert ours.isdisjoint(others)
    assert "onnxruntime" in modules
    # The version is read from a file of the installation, with a parser of e-mails.
    assert modules.isdisjoint({*HEAVY, "rich", "email.parser"} - {"onnxruntime"})
    assert len(of_citeloom(modules)) <= 150


def test_a_question_over_http_loads_at_most_400_modules(samples: Path) -> None:
    modules = loaded_after(
        "import json, socket, threading, time, urllib.request, uvicorn\n"
        "from pathlib import Path\n"
        "from citeloom.infrastructure.composition.application import open_application\n"
        "from citeloom.infrastructure.http.serving import http_app\n"
        "from citeloom.infrastructure.serving.extension import server_extension\n"
        "from citeloom.infrastructure.serving.http import ServerNames\n"
        f"a = open_application(Path({str(samples)!r}))\n"
        "app = http_app(a, server_extension(a).serving(), ServerNames(()), '')\n"
        "server = uvicorn.Server(uvicorn.Config(app, log_config=None))\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "threading.Thread(target=server.run, args=([listener],), daemon=True).start()\n"
        "while not server.started: time.sleep(0.01)\n"
        "url = f'http://127.0.0.1:{listener.getsockname()[1]}/api/v1/query'\n"
        "question = json.dumps({'project': 'samples', 'text': 'pond'}).encode()\n"
        "request = urllib.request.Request(url, question, {'Content-Type': 'application/json'})\n"
        "assert json.load(urllib.request.urlopen(request))['items']\n"
        "a.close()"
    )
    assert len(of_citeloom(modules)) <= 400


def test_a_worker_that_reads_pdfs_loads_no_docling() -> None:
    modules = loaded_after(
        "from pathlib import Path\n"
        "from citeloom.infrastructure.ingest.conversion.convert import convert_file, warm_up\n"
        "import hashlib\n"
        "warm_up()\n"
        "paper = Path('references/papers/pond-cooling.pdf')\n"
        "assert convert_file(paper, hashlib.sha256(paper.read_bytes()).hexdigest()).blocks"
    )
    assert modules.isdisjoint({"docling", "docling_core", "docling_parse", "pandas"})


def test_a_query_by_words_loads_no_model(samples: Path) -> None:
    modules = loaded_after(
        "from pathlib import Path\n"
        "from citeloom.infrastructure.composition.application import open_application\n"
        "from citeloom.domain.search.fusion import Mode\n"
        "from citeloom.domain.search.request import QueryRequest\n"
        "from citeloom.domain.projects.project import ProjectId\n"
        f"a = open_application(Path({str(samples)!r}))\n"
        "id = ProjectId.parse('samples')\n"
        "r = a.search.query(QueryRequest(project_id=id, query_text='pond', mode=Mode.SPARSE))\n"
        "assert r.count\n"
        "a.close()"
    )
    assert modules.isdisjoint({"fastembed", "onnxruntime", "tokenizers"})


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_the_base_install_has_no_deep_learning_framework(package: str) -> None:
    from importlib.util import find_spec

    assert find_spec(package) is None
