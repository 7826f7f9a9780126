"""Targets: settings, and lists of retractions."""

import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from fuzz.mutation import texts
from fuzz.target import Target
from support.paths import ROOT

from citeloom.domain.errors import CiteLoomError, ConfigurationError
from citeloom.infrastructure.references.retraction_watch import find_retractions
from citeloom.infrastructure.settings.settings import load_configuration

SETTINGS = (
    (ROOT / "config" / "citeloom.toml").read_text("utf-8"),
    '[embedding]\nmodel = "a"\nthreads = 2\n[query]\ntop_k = 5\n[conversion]\npage_seconds = 2.0\n',
)
RETRACTIONS = (
    "Record ID,Title,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature,Reason\n"
    '1,"A, b",1/2/2020 0:00,10.1/r,10.1/x,Retraction,+Error;+Fraud\n2,B,,,10.1/y,Correction,\n',
)
PIECES = ("[", "]", "=", '"', '"""', "'", "{", "}", ",", "#", ".", "true", "inf", "nan", "0x", "\n")


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="citeloom-fuzz-"))


def _settings(text: str) -> None:
    path = _folder() / "citeloom.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(ConfigurationError):
        load_configuration(path)


def _retractions(text: str) -> None:
    path = _folder() / "retractions.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(CiteLoomError):
        find_retractions(path, {"10.1/x", "10.1/y"})


TARGETS = (
    Target("settings", texts(SETTINGS, PIECES), _settings),
    Target("retractions", texts(RETRACTIONS, (*PIECES, ";", "+", "/", "10.1/x")), _retractions),
)
