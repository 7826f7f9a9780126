"""docling's standard pipeline: neural models for layout and tables, where installed.

Its packages (torch among them) come with ``citeloom[layout]``. Its weights are in no package:
docling's own tool downloads them into a folder once, or they are copied there.
"""

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import DocumentStream, InputFormat
from docling.datamodel.document import ConversionResult as DoclingResult
from docling.datamodel.pipeline_options import PdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.exceptions import ConversionError
from pydantic import SecretStr

from citeloom.domain.errors import ConversionFailed, ModelUnavailable
from citeloom.infrastructure.ingest.conversion.options import Options

SETTING = 'conversion.pdf = "docling-standard"'
INSTALL = 'pip install "citeloom[layout]"'
FETCH = "docling-tools models download layout tableformer -o FOLDER"
ALTERNATIVE = 'or set conversion.pdf = "native"'
_PACKAGES = ("torch", "torchvision", "transformers", "docling_ibm_models")


def convert(name: str, content: bytes, password: str | None, options: Options) -> DoclingResult:
    """Convert the ``content`` of a file ``name`` with docling's models.

    Raises ModelUnavailable saying what to install or fetch, ConversionFailed otherwise.
    """
    check(options.artifacts_path)
    try:
        stream = DocumentStream(name=name, stream=BytesIO(content))
        result: DoclingResult = _converter(password, options.artifacts_path).convert(stream)
    except ConversionError as error:
        raise ConversionFailed(
            f"{name}: docling's pipeline gave up on it ({_first_line(error)}); "
            'set conversion.pdf = "native"'
        ) from error
    except (ImportError, OSError) as error:
        raise _unavailable(f"its models cannot be loaded ({_first_line(error)})") from error
    return result


def check(artifacts_path: Path | None) -> None:
    """Whether packages and weights are there, before anything heavy is imported."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ModelUnavailable(
            f"{SETTING}: {', '.join(missing)} not installed; {INSTALL}, {ALTERNATIVE}"
        )
    if artifacts_path is None:
        raise _unavailable("conversion.artifacts_path is not set")
    folder = artifacts_path.expanduser()
    if not folder.is_dir() or not any(folder.iterdir()):
        raise _unavailable(f"no weights in {folder}")


def _unavailable(reason: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{SETTING}: {reason}; fetch the weights on a machine with network access by "
        f"`{FETCH}` and set conversion.artifacts_path to that folder, {ALTERNATIVE}"
    )


def _converter(password: str | None, artifacts_path: Path | None) -> Any:
    """Replaced in tests, which have no weights."""
    return DocumentConverter(
        allowed_formats=[InputFormat.PDF],
        format_options={
            InputFormat.PDF: PdfFormatOption(
                pipeline_options=PdfPipelineOptions(
                    do_ocr=False,
                    artifacts_path=artifacts_path.expanduser() if artifacts_path else None,
                ),
                backend_options=PdfBackendOptions(
                    password=SecretStr(password) if password else None
                ),
            )
        },
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
