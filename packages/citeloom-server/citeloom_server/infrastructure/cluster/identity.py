"""What a cluster worker must have in common with the machine that asks it."""

from functools import cache

from citeloom.domain.value import Value
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import choose_engine
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter, distribution_version


class WorkerIdentity(Value):
    """Versions and engines that a document's text and passages depend on."""

    citeloom: str
    converter: str
    ocr: str
    chunking: str
    distributed: str

    def difference(self, other: "WorkerIdentity") -> str | None:
        """What ``other``, a worker's, has otherwise, and what to do about it; None if nothing."""
        for name, remedy in _REMEDIES.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                return f"has {_LABELS[name]} {theirs}, this machine {mine}; {remedy}"
        return None


_SAME_INSTALL = "install the same version of CiteLoom on both, with what its requirements.lock pins"
_LABELS = {
    "citeloom": "CiteLoom",
    "converter": "the converter",
    "ocr": "the OCR engine",
    "chunking": "the chunker",
    "distributed": "distributed",
}
# In the order in which they are told: an old CiteLoom differs in all of them.
_REMEDIES = {
    "citeloom": _SAME_INSTALL,
    "converter": _SAME_INSTALL,
    "ocr": 'install the same engine and languages on both, or set ocr.engine to "none"',
    "chunking": _SAME_INSTALL,
    "distributed": _SAME_INSTALL,
}


@cache
def identity_of_this_process(function: str, options: Options) -> WorkerIdentity:
    """The identity for conversions by ``function``; asked for once, since an OCR engine may have to
    be started for it."""
    converter = ProcessConverter(function=function, options=options)
    return WorkerIdentity(
        citeloom=distribution_version("citeloom"),
        converter=converter.fingerprint,
        ocr=choose_engine(options).fingerprint,
        chunking=StructuralChunker().fingerprint,
        distributed=distribution_version("distributed"),
    )
